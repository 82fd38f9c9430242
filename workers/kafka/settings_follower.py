"""Keeps the settings of all sites up to date with the topic `site-settings`.

A topic that has lost records is read again as a whole, and what it says counts. Only that a site is taken
down is remembered until the topic says something else about the site.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence

from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition

from schemas.codec import SchemaError, encode_json
from schemas.topics import SITE_SETTINGS
from workers.errors import InputProblem
from workers.kafka.app import end_process
from workers.kafka.broker.partitioning import MisplacedRecords
from workers.kafka.broker.plain_consumer import plain_consumer, read_until
from workers.kafka.broker.received import processable
from workers.kafka.config import KafkaConfig
from workers.kafka.logs.log_reader import LogReader, ask_for_logs, follow, log_reader
from workers.kafka.logs.resume import LogSnapshot, has_lost_records
from workers.log_lines import record_fields
from workers.site_settings import (
    SETTINGS_FILE,
    SettingsBook,
    decided_site,
    read_records,
    write_records,
)

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
        await asyncio.to_thread(self._remember_take_downs)
        broker = self._config.broker
        async with plain_consumer(broker) as consumer, log_reader(broker) as reader:
            while True:
                snapshots = await self._read_whole(consumer)
                self.ready.set()
                for site in self._book.forgotten():
                    if await self._take_down(site):
                        self._ends_at_s = time.monotonic() + _MORE_S
                await self._follow_on(consumer, reader, snapshots)

    def _remember_take_downs(self) -> None:
        """Put into the book which sites were taken down when this state directory was used last."""
        try:
            records = read_records(self._config.state / SETTINGS_FILE)
        except InputProblem as problem:
            log.warning("%s: only the topic says now which sites are taken down", problem)
        else:
            self._book.become(SettingsBook(decided_site(one) for one in records if one.forgotten))

    async def _read_whole(self, consumer: AIOKafkaConsumer) -> dict[int, LogSnapshot]:
        """Make the book what the whole topic says; return the snapshots of the logs that were read."""
        numbers = range(self._config.partitions)
        logs = await ask_for_logs(
            self._config.broker, lambda reader: reader.logs(self._topic, dict.fromkeys(numbers))
        )
        ends = {TopicPartition(self._topic, number): one.end for number, one in logs.items()}
        consumer.assign(list(ends))
        await consumer.seek_to_beginning(*ends)
        book, named = SettingsBook(), set[str]()
        self._misplaced, self._in_place = MisplacedRecords(self._config.partitions), set[str]()
        async for records in read_until(consumer, ends):
            named.update(self._take_all(records, book))
        lost = [one for one in self._book.records() if one.forgotten and one.site not in named]
        for record in lost:
            book.put(record.site, encode_json(record))
        if lost:
            log.warning(
                "%s does not say any more that %s taken down; this worker remembers it: `templ doctor "
                "--state` has the sites",
                *(self._topic, "a site is" if len(lost) == 1 else f"{len(lost)} sites are"),
            )
        self._book.become(book)
        await self._keep()
        return {number: one.snapshot for number, one in logs.items()}

    async def _follow_on(
        self, consumer: AIOKafkaConsumer, reader: LogReader, snapshots: dict[int, LogSnapshot]
    ) -> None:
        """Take records as they come, until a log has lost records since its snapshot."""
        async for found in follow(consumer, reader, self._topic, lambda: snapshots):
            changed = [site for one in found.batches for site in self._take_all(one, self._book)]
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
            if any(has_lost_records(snapshots[number], one) for number, one in found.logs.items()):
                log.warning("%s has lost records; it is read again as a whole", self._topic)
                return
            snapshots.update({number: one.snapshot for number, one in found.logs.items()})

    def _take_all(self, records: Sequence[ConsumerRecord], book: SettingsBook) -> list[str]:
        """Take records into a book, and return the sites whose settings have changed."""
        changed = []
        for record in records:
            try:
                site = (record.key or b"").decode()
                if not self._misplaced.holds(site, record):
                    self._in_place.add(site)
                elif site in self._in_place:
                    continue
                book.put(site, processable(record.value))
                changed.append(site)
            except (SchemaError, UnicodeDecodeError) as error:
                place = f"{record.topic}-{record.partition}-{record.offset}"
                extra = record_fields(record)
                log.warning("site settings at %s cannot be used: %s", place, error, extra=extra)
        return changed

    async def _keep(self) -> None:
        path, records = self._config.state / SETTINGS_FILE, self._book.records()
        try:
            await asyncio.to_thread(write_records, path, records)
        except OSError as error:
            log.warning("cannot write %s: %s; commands that look at it see older ones", path, error)
