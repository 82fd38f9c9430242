"""Publishes site models again that their topic has lost.

A site's next model may be days away, and a cleaner that starts in the meantime would clean the site's
pages as those of a new site.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from aiokafka.errors import KafkaError

from workers.kafka.access.broker_access import BrokerAccess
from workers.kafka.logs.log_reader import log_reader
from workers.kafka.logs.resume import LogMark, LogState, has_lost_records
from workers.kafka.partition_windows import OwnedPartitions, PartitionWindows

LOOK_S = 2.0
"""Time between two looks at the topic."""
log = logging.getLogger("templ")

Publish = Callable[[int, str, PartitionWindows], Awaitable[None]]
"""Publishes the model of a site of a partition, whose windows are held."""


class LostModels:
    """Compares the logs of `site-models` with what they were when models were published last."""

    def __init__(
        self, broker: BrokerAccess, topic: str, owned: OwnedPartitions, publish: Publish
    ) -> None:
        self._broker = broker
        self._topic = topic
        self._owned = owned
        self._publish = publish

    async def watch(self) -> None:
        """Look at the topic for as long as the broker answers."""
        try:
            async with log_reader(self._broker) as reader:
                while True:
                    await asyncio.sleep(LOOK_S)
                    marks = self._marks()
                    if marks:
                        for number, state in (await reader.logs(self._topic, marks)).items():
                            await self.look(number, marks[number], state)
        except (KafkaError, OSError) as error:
            log.debug("%s cannot be looked at: %r", self._topic, error)
            await asyncio.sleep(LOOK_S)

    async def look(self, number: int, mark: LogMark | None, state: LogState) -> None:
        """Publish all models of a partition again if its log has lost records since the mark."""
        if state.mark == mark:
            return
        async with self._owned.hold(number) as windows:
            if windows is None:
                return
            is_lost = mark is not None and has_lost_records(mark, state)
            sites = await asyncio.to_thread(_published_sites, windows) if is_lost else []
        if sites:
            log.warning(
                "%s-%s has lost records; the models of %s sites are published again",
                *(self._topic, number, len(sites)),
                extra={"topic": self._topic, "partition": number},
            )
        for site in sites:
            async with self._owned.hold(number) as now:
                if now is not windows:
                    return
                await self._publish(number, site, windows)
        async with self._owned.hold(number) as now:
            if now is windows:
                await asyncio.to_thread(windows.mark_models, state.mark)

    def _marks(self) -> dict[int, LogMark | None]:
        return {number: windows.models_mark for number, windows in self._owned.opened().items()}


def _published_sites(windows: PartitionWindows) -> list[str]:
    return [site for site, state in windows.store.sites() if state.model_version and state.pages]
