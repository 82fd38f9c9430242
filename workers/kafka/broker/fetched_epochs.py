"""Which leaders' records this process has fetched, and how far.

The broker writes into each batch how many leaders its partition had had (Kafka's KIP-101). So the
fetched batches tell exactly which log they are of, even when records were lost and others have taken
their offsets since.
"""

import struct
from collections.abc import Mapping

_HEAD = struct.Struct(">qii")
"""First offset of a batch, size of what follows in bytes without the epoch, leader epoch."""
_EPOCH_BYTES = 4


class FetchedEpochs:
    """The batches that were fetched since the last check; any thread may use it."""

    def __init__(self) -> None:
        self._ends: dict[tuple[str, int, int], int] = {}

    def note(self, topic: str, number: int, batches: bytes) -> None:
        """Note the batches that were fetched of a partition.

        Args:
            topic: Full name of the topic.
            number: The partition.
            batches: Whole batches as the broker sent them; the last one may be cut.
        """
        at = 0
        while at + _HEAD.size <= len(batches):
            first, size_bytes, epoch = _HEAD.unpack_from(batches, at)
            if size_bytes < _EPOCH_BYTES:
                return
            key = topic, number, epoch
            self._ends[key] = max(first + 1, self._ends.get(key, 0))
            at += _HEAD.size - _EPOCH_BYTES + size_bytes

    def of(self, topic: str, number: int) -> dict[int, int]:
        """Return, by leader epoch, the offset after the first record of the newest batch fetched."""
        return {
            epoch: end
            for (name, of, epoch), end in dict(self._ends).items()
            if (name, of) == (topic, number)
        }

    def drop(self, topic: str, number: int, checked: Mapping[int, int]) -> None:
        """Drop what was checked, unless more was fetched since.

        Args:
            topic: Full name of the topic.
            number: The partition.
            checked: What `of` returned.
        """
        for epoch, end in checked.items():
            if self._ends.get((topic, number, epoch)) == end:
                del self._ends[topic, number, epoch]


FETCHED = FetchedEpochs()
"""The batches of all consumers of this process."""
