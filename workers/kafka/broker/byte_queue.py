"""What bounds the bytes of records in memory: faust counts records only, and a page may have 8 MiB."""

from typing import Any

import faust
from mode.utils.queues import ThrowableQueue


class ByteQueue(ThrowableQueue):
    """A queue of events that is full, too, once their values have so many bytes."""

    def __init__(self, *args: Any, most_bytes: int, **options: Any) -> None:
        self._bytes = 0
        self._most_bytes = most_bytes
        super().__init__(*args, **options)

    def full(self) -> bool:
        """Whether a producer has to wait."""
        return self._bytes >= self._most_bytes or super().full()

    def clear(self) -> None:
        """Drop what is waiting."""
        super().clear()
        self._bytes = 0

    def _put(self, item: faust.EventT) -> None:
        super()._put(item)
        self._bytes += value_bytes(item)

    def _get(self) -> faust.EventT:
        item: faust.EventT = super()._get()
        self._bytes -= value_bytes(item)
        return item


def value_bytes(event: faust.EventT) -> int:
    """Bytes of an event's value."""
    return len(event.message.value or b"")
