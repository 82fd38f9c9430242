"""The place of an input up to which every record is acknowledged."""

from collections import deque
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from workers.page import Page, Rejected

PlaceType = TypeVar("PlaceType")


class ReplayedRecord(NamedTuple):
    """A record of an input that is replayed."""

    record: Page | Rejected
    acknowledge: Callable[[], None]
    """Is called when the record need not be read again."""


class Acknowledged(Generic[PlaceType]):
    """The records of an input, which are acknowledged in any order.

    >>> records = Acknowledged("start")
    >>> first, second = records.expect("behind the first"), records.expect("behind the second")
    >>> second()
    >>> records.place()
    'start'
    >>> first()
    >>> records.place()
    'behind the second'
    """

    def __init__(self, start: PlaceType) -> None:
        """Begin at a place before which every record is acknowledged."""
        self._place = start
        self._waiting: deque[_Waiting[PlaceType]] = deque()

    def expect(self, behind: PlaceType) -> Callable[[], None]:
        """Add the next record of the input; return what is to be called when it is acknowledged.

        Args:
            behind: The place behind the record.
        """
        waiting = _Waiting(behind)
        self._waiting.append(waiting)
        return waiting.acknowledge

    def place(self) -> PlaceType:
        """Return the place before which every record is acknowledged."""
        while self._waiting and self._waiting[0].is_done:
            self._place = self._waiting.popleft().behind
        return self._place


class _Waiting(Generic[PlaceType]):
    """A record that is to be acknowledged."""

    def __init__(self, behind: PlaceType) -> None:
        self.behind = behind
        self.is_done = False

    def acknowledge(self) -> None:
        """Note that the record is acknowledged."""
        self.is_done = True
