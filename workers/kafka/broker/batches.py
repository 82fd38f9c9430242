"""Events of a stream in small batches, bounded in records and in bytes."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence

import faust

from workers.kafka.broker.byte_queue import value_bytes
from workers.settings import Settings


async def batches(
    stream: faust.StreamT, settings: Settings
) -> AsyncIterator[Sequence[faust.EventT]]:
    """What has come, as soon as something has; the next batch gathers while one is in work.

    Each event is acknowledged once its consumer comes back for the next batch. Not `take_events`: that
    one acknowledges a batch also when its consumer is cancelled over it, as every stop of the worker
    does, and the pages would be committed without having been done. Nor `noack_take`, which wakes
    up fifty times a second to give a page that comes alone a twentieth of a second's delay.
    """
    stream.enable_acks = False
    gathered = BatchBuffer(lambda: stream.current_event, settings.batch_pages, settings.batch_bytes)
    stream.add_processor(gathered.add)
    stream.add_future(_drain(stream))
    while not stream.should_stop:
        await stream.wait_for_stopped(gathered.some)
        events = gathered.take()
        if events:
            yield events
            for event in events:
                await stream.ack(event)


async def _drain(stream: faust.StreamT) -> None:
    """Have every event handed to the stream's processors."""
    async for _value in stream:
        pass


class BatchBuffer:
    """Events that wait for the next batch; whoever brings more than it may hold waits for room."""

    def __init__(
        self, current: Callable[[], faust.EventT], most_events: int, most_bytes: int
    ) -> None:
        self._current = current
        self._most_events = most_events
        self._most_bytes = most_bytes
        self._events: list[faust.EventT] = []
        self._room = asyncio.Event()
        self._room.set()
        self.some = asyncio.Event()
        """Set while there are any."""

    async def add(self, value: bytes | None) -> bytes | None:
        """Take the event whose value this is; a stream's processor."""
        await self._room.wait()
        self._events.append(self._current())
        self.some.set()
        if (
            len(self._events) >= self._most_events
            or sum(map(value_bytes, self._events)) >= self._most_bytes
        ):
            self._room.clear()
        return value

    def take(self) -> list[faust.EventT]:
        """All that wait."""
        events, self._events = self._events, []
        self.some.clear()
        self._room.set()
        return events
