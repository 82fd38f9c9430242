"""Events of a faust stream in batches that are bounded in number and in bytes."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, cast

import faust

from workers.kafka.patches import value_bytes
from workers.settings import Settings


async def batches(
    stream: faust.StreamT[Any], settings: Settings
) -> AsyncIterator[Sequence[faust.EventT[Any]]]:
    """Yield batches of events, which the caller acknowledges; the next batch fills meanwhile.

    A batch holds what has arrived and never waits for more.

    faust's `take_events` is not used, because it acknowledges a batch even when its consumer is
    cancelled, which happens at every stop of the worker; such pages would be lost. `noack_take` is
    not used, because it delays a page that arrives alone by up to 50 ms.
    """
    stream.enable_acks = False
    buffer = BatchBuffer(
        lambda: cast("faust.EventT[Any]", stream.current_event),
        settings.batch_pages,
        settings.batch_bytes,
    )

    async def pass_all_through_the_processor() -> None:
        async for _value in stream:
            pass

    stream.add_processor(buffer.add)
    service = cast("faust.Stream[Any]", stream)  # the only class of streams that faust has
    service.add_future(pass_all_through_the_processor())
    while not service.should_stop:
        await service.wait_for_stopped(buffer.has_events.wait())
        if events := buffer.take():
            yield events


class BatchBuffer:
    """The events of the next batch; whoever adds one waits while the buffer is full."""

    def __init__(
        self, current_event: Callable[[], faust.EventT[Any]], most_events: int, most_bytes: int
    ) -> None:
        """Start empty; `current_event` returns the event whose value is being added."""
        self._current_event = current_event
        self._most_events = most_events
        self._most_bytes = most_bytes
        self._events: list[faust.EventT[Any]] = []
        self._room = asyncio.Event()
        self._room.set()
        self.has_events = asyncio.Event()
        """Set while the buffer holds events."""

    async def add(self, value: bytes | None) -> bytes | None:
        """Add the event of a value, and return the value, as a stream's processor does."""
        await self._room.wait()
        self._events.append(self._current_event())
        self.has_events.set()
        if (
            len(self._events) >= self._most_events
            or sum(map(value_bytes, self._events)) >= self._most_bytes
        ):
            self._room.clear()
        return value

    def take(self) -> list[faust.EventT[Any]]:
        """Remove and return all events."""
        events, self._events = self._events, []
        self.has_events.clear()
        self._room.set()
        return events
