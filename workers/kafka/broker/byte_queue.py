"""A queue of faust events that is bounded in bytes.

faust itself bounds the number of waiting records only, and a page may have 8 MiB.
"""

from typing import Any

import faust
from mode.utils.queues import ThrowableQueue


class ByteQueue(ThrowableQueue[faust.EventT[Any]]):
    """A queue that is also full when the values of its events have reached a number of bytes."""

    def __init__(self, *args: Any, most_bytes: int, **options: Any) -> None:
        self._bytes = 0
        self._most_bytes = most_bytes
        super().__init__(*args, **options)

    def full(self) -> bool:
        """Return whether a producer has to wait."""
        return self._bytes >= self._most_bytes or super().full()

    def clear(self) -> None:
        """Drop all waiting events."""
        super().clear()
        self._bytes = 0

    def _put(self, item: faust.EventT[Any]) -> None:
        super()._put(item)
        self._bytes += value_bytes(item)

    def _get(self) -> faust.EventT[Any]:
        item: faust.EventT[Any] = super()._get()
        self._bytes -= value_bytes(item)
        return item


def value_bytes(event: faust.EventT[Any]) -> int:
    """Return the size of an event's value in bytes."""
    return len(event.message.value or b"")
