"""What the fetches of this process have shown of the logs that it reads; any thread may ask.

The broker writes into each batch how many leaders its partition had had (Kafka's KIP-101). So the
fetched batches show exactly which log they are of, even when records were lost and others have taken
their offsets since.

The end of a transaction takes an offset of its own, and the records of an aborted transaction are never
given to a reader. Where such offsets come last, no acknowledged record leads beyond them, and the group
would seem to lag forever.
"""

import struct
from collections.abc import Mapping

_HEAD = struct.Struct(">qii")
"""First offset of a batch, size of what follows in bytes without the epoch, leader epoch."""
_EPOCH_BYTES = 4


class FetchedEpochs:
    """The leaders whose batches were fetched since the last check, and how far."""

    def __init__(self) -> None:
        self._ends: dict[tuple[str, int, int], int] = {}
        self._starts: dict[tuple[str, int], dict[int, int]] = {}

    def note(self, topic: str, number: int, batches: bytes) -> None:
        """Note the batches that were fetched of a partition, as the broker sent them; the last may be cut."""
        at = 0
        while at + _HEAD.size <= len(batches):
            first, size_bytes, epoch = _HEAD.unpack_from(batches, at)
            if size_bytes < _EPOCH_BYTES:
                return
            key = topic, number, epoch
            self._ends[key] = max(first + 1, self._ends.get(key, 0))
            starts = self._starts.setdefault((topic, number), {})
            starts[epoch] = min(first, starts.get(epoch, first))
            at += _HEAD.size - _EPOCH_BYTES + size_bytes

    def of(self, topic: str, number: int) -> dict[int, int]:
        """Return, by leader epoch, the offset after the first record of the newest batch fetched."""
        ends = {key: end for key, end in dict(self._ends).items() if key[:2] == (topic, number)}
        return {epoch: end for (_, _, epoch), end in ends.items()}

    def leader_of(self, topic: str, number: int, offset: int) -> int | None:
        """Return the leader epoch of a record that was fetched; None where none before it was."""
        starts = dict(self._starts.get((topic, number), {}))
        return max((epoch for epoch, first in starts.items() if first <= offset), default=None)

    def drop(self, topic: str, number: int, checked: Mapping[int, int]) -> None:
        """Drop what `of` returned and was checked, unless more was fetched since."""
        for epoch, end in checked.items():
            if self._ends.get((topic, number, epoch)) == end:
                del self._ends[topic, number, epoch]


class EmptyTails:
    """The offsets without a record that the last fetch of each partition ended with."""

    def __init__(self) -> None:
        self._tails: dict[tuple[str, int], tuple[int, int]] = {}

    def note(self, topic: str, number: int, first: int, end: int) -> None:
        """Note that a fetch gave no record from the offset `first` to before `end`."""
        known_first, known_end = self._tails.get((topic, number), (first, first))
        self._tails[topic, number] = known_first if known_end == first else first, end

    def end_after(self, topic: str, number: int, offset: int) -> int:
        """Return the offset up to which there is no record from `offset` on, as far as known."""
        first, end = self._tails.get((topic, number), (offset, offset))
        return end if first <= offset < end else offset

    def drop(self, topic: str, number: int) -> None:
        """Forget a partition, whose log may be another one now."""
        self._tails.pop((topic, number), None)


FETCHED = FetchedEpochs()
"""The batches of all consumers of this process."""
EMPTY_TAILS = EmptyTails()
"""The tails of all partitions that this process reads."""
