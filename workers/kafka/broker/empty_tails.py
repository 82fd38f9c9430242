"""Which offsets behind the last record of a partition hold nothing for a reader.

The end of a transaction takes an offset of its own, and the records of an aborted transaction are never
given to a reader. Where such offsets come last, no acknowledged record leads beyond them, and the group
would seem to lag for ever.
"""


class EmptyTails:
    """The empty offsets that the last fetch of each partition ended with; any thread may use it."""

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


EMPTY_TAILS = EmptyTails()
"""The tails of all partitions that this process reads."""
