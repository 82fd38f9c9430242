"""A role that keeps a store for each partition of its topic."""

import asyncio
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from typing import Any, Generic

import faust

from workers.kafka.broker.received import Received
from workers.kafka.config import KafkaConfig
from workers.kafka.logs.log_reader import CHECK_S
from workers.kafka.owned_partitions import OwnedPartitions, Work
from workers.kafka.role import Role


class StoreRole(Role, Generic[Work]):
    """Takes records into the stores of their partitions, and publishes what follows from these."""

    def __init__(self, config: KafkaConfig) -> None:
        super().__init__(config)
        self._owned = OwnedPartitions(config.broker, self.input_topic, self._open, self._learn)
        self.app.on_partitions_revoked.connect(self._revoked)  # type: ignore[arg-type]
        self._keep_doing("noting logs", self._note_logs)

    @abstractmethod
    def _open(self, number: int) -> Work:
        """Open the store of a partition."""

    @abstractmethod
    async def _learn(self, number: int, work: Work, messages: Sequence[Received]) -> object:
        """Take records in, at least the first; it ends early when the partition is revoked."""

    @abstractmethod
    async def _process(self, number: int, work: Work, messages: Sequence[Received]) -> None:
        """Take records in, and publish what follows, while the partition is held."""

    @abstractmethod
    async def _take_over(self, number: int) -> None:
        """Bring the store of a partition up to date, and publish what follows from it."""

    def close(self) -> None:
        """Close the stores."""
        self._owned.close()

    async def _assigned(self, _app: Any, assigned: Any, **_: Any) -> None:
        numbers = sorted(tp.partition for tp in assigned)
        self._owned.assign(numbers)
        for number in numbers:
            self._do_once("recovery", partial(self._take_over, number))

    async def _revoked(self, _app: Any, revoked: Any, **_: Any) -> None:
        await self._owned.release(tp.partition for tp in revoked)

    async def _batch(self, events: Sequence[faust.EventT[Any]]) -> None:
        by_partition: defaultdict[int, list[Received]] = defaultdict(list)
        for message in await self._messages(events):
            by_partition[message.partition].append(message)
        for number, messages in by_partition.items():
            await self._batch_of(number, messages)

    async def _batch_of(self, number: int, messages: Sequence[Received]) -> None:
        """Process the messages of a partition; those of one that was revoked are left to its new owner."""
        async with self._owned.hold(number) as work:
            if work is not None:
                await self._owned.note_leader(number, messages[0].offset)
                await self._owned.catch_up(number, messages[0].offset)
                await self._process(number, work, messages)

    async def _note_logs(self) -> None:
        """Store the snapshots of the logs that the watchdog has taken."""
        await asyncio.sleep(CHECK_S)
        await self._owned.note_logs(self.app.snapshots)
