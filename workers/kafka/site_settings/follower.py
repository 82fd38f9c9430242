"""Keeps the settings of all sites up to date with the topic `site-settings`."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence

from aiokafka import ConsumerRecord, TopicPartition

from schemas.codec import SchemaError
from schemas.topics import SITE_SETTINGS
from workers.kafka.app import end_process
from workers.kafka.broker.partitioning import Strays
from workers.kafka.broker.plain_consumer import plain_consumer, read_until
from workers.kafka.broker.record_batch import processable
from workers.kafka.config import KafkaConfig
from workers.log_lines import record_fields
from workers.site_settings.book import SETTINGS_FILE, SettingsBook, write_records

_POLL_MS = 1000
_MORE_S = 5.0
"""Time for which further take-downs are waited for before the process ends, so that many cost one restart."""
log = logging.getLogger("templ")


class SettingsFollower:
    """Reads the whole topic at its start, and each record that comes later within milliseconds.

    What is known is also written to a file in the state directory, where commands read it that look at
    the state of a running worker.
    """

    def __init__(
        self, config: KafkaConfig, book: SettingsBook, take_down: Callable[[str], Awaitable[bool]]
    ) -> None:
        """Set what is followed.

        Args:
            config: Where the broker and the state are.
            book: The settings to keep up to date.
            take_down: Erases what this worker knows of a site that is taken down, and returns whether
                anything was stored. It is called again after each start, because an earlier call may
                have been interrupted.
        """
        self._config = config
        self._book = book
        self._take_down = take_down
        self._topic = config.topic(SITE_SETTINGS)
        self._strays = Strays(config.partitions)
        self._in_place: set[str] = set()
        """Sites of which a record was read in their own partition; records elsewhere are older."""
        self._ends_at_s = float("inf")
        self.ready = asyncio.Event()
        """Set while all settings are known that were there at the start."""

    async def run(self) -> None:
        """Follow the topic for ever.

        Some seconds after a site was taken down the process ends, to be started again: memory that was freed
        may still hold bytes of the site, and nothing but the end of a process clears it for certain.

        Raises:
            BrokerProblem: There was no progress for a minute before the start was read.
        """
        partitions = [TopicPartition(self._topic, one) for one in range(self._config.partitions)]
        async with plain_consumer(self._config.broker) as consumer:
            consumer.assign(partitions)
            await consumer.seek_to_beginning(*partitions)
            ends = await consumer.end_offsets(partitions)
            async for records in read_until(consumer, ends):
                self._take_all(records)
            await self._keep()
            self.ready.set()
            for site in self._book.forgotten():
                if await self._take_down(site):
                    self._ends_at_s = time.monotonic() + _MORE_S
            while True:
                batches = await consumer.getmany(timeout_ms=_POLL_MS)
                changed = [site for one in batches.values() for site in self._take_all(one)]
                if changed:
                    await self._keep()
                for site in changed:
                    if self._book.is_forgotten(site):
                        await self._take_down(site)
                        self._ends_at_s = time.monotonic() + _MORE_S
                if time.monotonic() >= self._ends_at_s:
                    end_process(
                        "a site was taken down and erased; the process ends to be started again, so that "
                        "no memory holds the site",
                        level=logging.INFO,
                    )

    def _take_all(self, records: Sequence[ConsumerRecord]) -> list[str]:
        """Take records in, and return the sites whose settings have changed."""
        changed = []
        for record in records:
            try:
                site = (record.key or b"").decode()
                if not self._strays.holds(site, record):
                    self._in_place.add(site)
                elif site in self._in_place:
                    continue
                self._book.put(site, processable(record.value))
                changed.append(site)
            except (SchemaError, UnicodeDecodeError) as error:
                place = f"{record.topic}-{record.partition}-{record.offset}"
                log.warning(
                    "site settings at %s cannot be used: %s",
                    place,
                    error,
                    extra=record_fields(record),
                )
        return changed

    async def _keep(self) -> None:
        path, records = self._config.state / SETTINGS_FILE, self._book.records()
        try:
            await asyncio.to_thread(write_records, path, records)
        except OSError as error:
            log.warning("cannot write %s: %s; commands that look at it see older ones", path, error)
