"""What the cleaner, the refresher and the watcher have in common."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial
from typing import Any, ClassVar, cast

import faust

from workers.kafka.app import build_app, essential, raw_topic
from workers.kafka.broker.received import Received, received_from_faust
from workers.kafka.config import KafkaConfig
from workers.kafka.metrics import RoleMetrics
from workers.kafka.outputs import TopicOutputs
from workers.kafka.patches import value_bytes
from workers.kafka.site_settings_follower import SiteSettingsFollower
from workers.settings import Settings
from workers.site_settings import SettingsOfSites

Remainder = Callable[[], Awaitable[None]]
"""What remains to be done of a batch before it is acknowledged."""


class Role(ABC):
    """Takes small batches of the records of one topic, and acknowledges them once all outputs are stored."""

    name: ClassVar[str]
    input_topic: ClassVar[str]
    """The topic that it reads, without the prefix."""
    doing: ClassVar[str]
    """Verb for what it does with a batch, for messages."""
    prepared: ClassVar[str]
    """Sentence that is true once it is ready."""
    metrics: RoleMetrics

    def __init__(self, config: KafkaConfig) -> None:
        self.config = config
        self.topic = config.broker.topic(self.input_topic)
        self.group = config.broker.group(self.name)
        self.app = build_app(config, self.name)
        self.outputs = TopicOutputs(self.app, config)
        self._site_settings = SettingsOfSites()
        self._once: set[asyncio.Task[None]] = set()
        self._site_settings_follower = SiteSettingsFollower(
            config, self._site_settings, self._take_down
        )
        self._keep_doing("site settings", self._site_settings_follower.run)
        self.app.agent(raw_topic(self.app, self.topic), name=self.name)(self._take_batches)
        self.app.on_partitions_assigned.connect(self._assigned)  # type: ignore[arg-type]

    @abstractmethod
    def inner_progress(self) -> object:
        """Return the progress of work that commits no offsets: any value that changes with it."""

    @property
    def ends_as_planned(self) -> bool:
        """Whether the process ends to be started again, although nothing is wrong."""
        return self._site_settings_follower.ends_as_planned

    def waiting_for(self) -> str:
        """Return what is waited for before this role does its work; empty for nothing."""
        if not self.app.has_joined:
            return "the consumer group has not assigned partitions yet"
        return self._missing()

    @abstractmethod
    def _missing(self) -> str:
        """Return what this role still has to read; empty for nothing."""

    async def _known(self) -> None:
        """Wait until everything that a batch needs is known."""
        await self._site_settings_follower.ready.wait()

    @abstractmethod
    async def _batch(self, events: Sequence[faust.EventT[Any]]) -> Remainder | None:
        """Process a batch, and return what remains to be done while the next one begins."""

    @abstractmethod
    async def _take_down(self, site: str) -> bool:
        """Erase what is known of a site from disk and memory; return whether anything was stored."""

    @abstractmethod
    async def _assigned(self, _app: Any, assigned: Any, **_: Any) -> None:
        """Take partitions over."""

    def _keep_doing(self, name: str, step: Callable[[], Awaitable[None]]) -> None:
        """Take a step again and again while the app runs."""

        async def forever() -> None:
            while True:
                await essential(self.app, name, step)

        self.app.task(forever)

    def _do_once(self, name: str, step: Callable[[], Awaitable[None]]) -> None:
        """Take a step once, beside all other work."""
        task = asyncio.ensure_future(essential(self.app, name, step))
        self._once.add(task)  # The event loop itself does not keep it.
        task.add_done_callback(self._once.discard)

    async def _take_batches(self, stream: faust.StreamT[Any]) -> None:
        """Take one batch after the other; what remains of one is done while the next is taken."""
        await self._known()  # a first batch of one page would not wait for the others
        remaining = asyncio.ensure_future(asyncio.sleep(0))
        try:
            async for events in batches(stream, self.config.settings):
                remainder = await essential(self.app, self.doing, partial(self._batch, events))
                await remaining
                remaining = asyncio.ensure_future(self._finish(stream, events, remainder))
            await remaining
        finally:
            remaining.cancel()

    async def _finish(
        self,
        stream: faust.StreamT[Any],
        events: Sequence[faust.EventT[Any]],
        remainder: Remainder | None,
    ) -> None:
        """Do what remains of a batch; then its offsets may be committed."""
        if remainder is not None:
            await essential(self.app, self.doing, remainder)
        for event in events:
            self.app.consumer.finish(event.message)  # type: ignore[attr-defined]
            await stream.ack(event)

    async def _messages(self, events: Sequence[faust.EventT[Any]]) -> list[Received]:
        """Return the records of events, and those that faust has skipped before them."""
        return await self.app.gaps.complete(
            [received_from_faust(event.message) for event in events]
        )


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
        self._bytes = 0
        self._room = asyncio.Event()
        self._room.set()
        self.has_events = asyncio.Event()
        """Set while the buffer holds events."""

    async def add(self, value: bytes | None) -> bytes | None:
        """Add the event of a value, and return the value, as a stream's processor does."""
        await self._room.wait()
        event = self._current_event()
        self._events.append(event)
        self._bytes += value_bytes(event)
        self.has_events.set()
        if len(self._events) >= self._most_events or self._bytes >= self._most_bytes:
            self._room.clear()
        return value

    def take(self) -> list[faust.EventT[Any]]:
        """Remove and return all events."""
        events, self._events, self._bytes = self._events, [], 0
        self.has_events.clear()
        self._room.set()
        return events
