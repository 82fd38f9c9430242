"""What the cleaner and the refresher have in common."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, ClassVar

import faust

from workers.kafka.app import build_app, essential, raw_topic
from workers.kafka.broker.batches import batches
from workers.kafka.broker.received import Received, received_from_faust
from workers.kafka.config import KafkaConfig
from workers.kafka.metrics import RoleMetrics
from workers.kafka.outputs import TopicOutputs
from workers.kafka.settings_follower import SettingsFollower
from workers.kafka.traces import Traces
from workers.processes.pool import Pool
from workers.site_settings import SettingsBook


class Role(ABC):
    """Takes small batches of the records of one topic, and acknowledges them once everything is out."""

    name: ClassVar[str]
    input_topic: ClassVar[str]
    """The topic that it reads, without the prefix."""
    doing: ClassVar[str]
    """What it does with a batch, for messages."""
    prepared: ClassVar[str]
    """What is true of it once it is ready."""
    metrics: RoleMetrics

    def __init__(self, config: KafkaConfig, pool: Pool, traces: Traces | None) -> None:
        self.config = config
        self.topic = config.topic(self.input_topic)
        self.group = config.group(self.name)
        self.app = build_app(config, self.name)
        self._pool = pool
        self._traces = traces or Traces()
        self._outputs = TopicOutputs(self.app, config)
        self._book = SettingsBook()
        self._settings = SettingsFollower(config, self._book, self._take_down)
        self._keep_doing("site settings", self._settings.run)
        self.app.agent(raw_topic(self.app, self.topic), name=self.name)(self._take_batches)
        self.app.on_partitions_assigned.connect(self._assigned)  # type: ignore[arg-type]

    @abstractmethod
    def inner_progress(self) -> object:
        """Return the progress of work that commits no offsets: any value that changes with it."""

    def waiting_for(self) -> str:
        """Return what is waited for before this role does its work; empty for nothing."""
        if not self.app.has_joined:
            return "the consumer group has not assigned partitions yet"
        return self._missing()

    @abstractmethod
    def _missing(self) -> str:
        """Return what is missing of what this role needs to know; empty for nothing."""

    async def _known(self) -> None:
        """Wait until all is known that a batch needs."""
        await self._settings.ready.wait()

    @abstractmethod
    async def _batch(self, events: Sequence[faust.EventT[Any]]) -> None:
        """Do what the records of a batch ask for."""

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

    async def _take_batches(self, stream: faust.StreamT[Any]) -> None:
        await self._known()  # a first batch of one page would not wait for the others
        async for events in batches(stream, self.config.settings):
            await essential(self.app, self.doing, partial(self._batch, events))

    async def _messages(self, events: Sequence[faust.EventT[Any]]) -> list[Received]:
        """Return the records of events, and those that faust has skipped before them."""
        return await self.app.gaps.complete([received_from_faust(one.message) for one in events])
