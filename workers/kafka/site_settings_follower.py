"""Keeps the settings of all sites up to date with the topic `site-settings`.

A topic that has lost records is read again as a whole, and what it says counts. Only that a site is taken
down is remembered until the topic says something else about the site.
"""

import asyncio
import logging
import os
import signal
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence

from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition

from schemas.codec import SchemaError, encode_json
from schemas.topics import SITE_SETTINGS
from workers.errors import InputProblem
from workers.kafka.broker.partitioning import MisplacedRecords
from workers.kafka.broker.received import processable
from workers.kafka.config import KafkaConfig
from workers.kafka.logs.follower import LogFollower, Logs, Position
from workers.kafka.logs.log_reader import LogReader
from workers.kafka.logs.resume import LogSnapshot, has_lost_records
from workers.log_lines import record_fields
from workers.site_settings import (
    SITE_SETTINGS_FILE,
    SettingsOfSites,
    decided_site,
    read_records,
    write_records,
)

_MORE_S = 5.0
"""Time for which further take-downs are waited for before the process ends, so that many cost one restart."""
log = logging.getLogger("templ")


class SiteSettingsFollower(LogFollower):
    """Reads the whole topic at its start, and each record that comes later within milliseconds.

    What is known is also written to a file in the state directory, where commands read it that look at
    the state of a running worker. Some seconds after a site was taken down the process ends, to be started
    again: memory that was freed may still hold bytes of the site, and nothing but the end of a process
    clears it for certain.
    """

    _needs_settled = False

    def __init__(
        self,
        config: KafkaConfig,
        site_settings: SettingsOfSites,
        take_down: Callable[[str], Awaitable[bool]],
    ) -> None:
        """Keep site settings up to date; `take_down` erases what this worker knows of a site, and returns whether that was anything.

        It is called again after each start, because an earlier call may have been interrupted.
        """
        super().__init__(
            config.broker, config.broker.topic(SITE_SETTINGS), range(config.partitions)
        )
        self._path = config.state / SITE_SETTINGS_FILE
        self._site_settings = self._read_into = site_settings
        self._take_down = take_down
        self._ends_at_s = float("inf")
        self.ends_as_planned = False
        """Whether the process ends to be started again."""
        self._known: dict[int, LogSnapshot] = {}
        self._named: set[str] = set()
        """Sites whose settings have come since they were kept last."""

    async def run(self, *, stays: bool = True) -> None:
        """Follow the topic forever; until it is read, what was taken down before stays so.

        Raises:
            BrokerProblem: There was no progress for a minute before the start was read.
        """
        try:
            records = await asyncio.to_thread(read_records, self._path)
        except InputProblem as problem:
            log.warning("%s: until the topic is read, take-downs are not known", problem)
        else:
            self._site_settings.become(
                SettingsOfSites(decided_site(record) for record in records if record.forgotten)
            )
        await super().run(stays=stays)

    async def _follow(self, consumer: AIOKafkaConsumer, reader: LogReader) -> None:
        for site in self._site_settings.forgotten():
            if await self._take_down(site):
                self._ends_at_s = time.monotonic() + _MORE_S
        await super()._follow(consumer, reader)

    def _position(self, number: int) -> Position:
        return 0, self._known[number].encode() if number in self._known else None

    def _begin(self, logs: Logs, settled: Mapping[int, int]) -> Mapping[int, int]:  # noqa: ARG002
        self._read_into, self._named = SettingsOfSites(), set()
        self._misplaced, self._in_place = MisplacedRecords(len(self._wanted)), set[str]()
        self._note(logs)
        return {number: state.start for number, state in logs.items()}

    def _note(self, logs: Logs) -> None:
        self._known = {number: state.snapshot for number, state in logs.items()}

    def _reach(self, _ends: Mapping[TopicPartition, int]) -> None:
        """Make the site settings what the whole topic says, and what it has lost of sites that are taken down."""
        site_settings, named = self._read_into, self._named
        lost = [
            record
            for record in self._site_settings.records()
            if record.forgotten and record.site not in named
        ]
        for record in lost:
            site_settings.put(record.site, encode_json(record))
        if lost:
            log.warning(
                "%s no longer says that %s taken down, but this worker remembers it: `templ doctor "
                "--state` lists the sites",
                *(self._topic, "a site is" if len(lost) == 1 else f"{len(lost)} sites are"),
            )
        self._site_settings.become(site_settings)
        self._read_into, self._named = self._site_settings, set()
        self._keep()

    def _is_other_log(self, logs: Logs) -> bool:
        if any(has_lost_records(self._known[number], state) for number, state in logs.items()):
            log.warning("%s has lost records; it is read again as a whole", self._topic)
            return True
        self._note(logs)
        return False

    async def _after_poll(self) -> None:
        """Take sites down whose records have come; end the process some seconds after the last one."""
        changed, self._named = self._named, set()
        if changed:
            await asyncio.to_thread(self._keep)
        for site in sorted(changed):
            if self._site_settings.is_forgotten(site):
                await self._take_down(site)
                self._ends_at_s = time.monotonic() + _MORE_S
        if time.monotonic() >= self._ends_at_s:
            self._ends_at_s = float("inf")
            self.ends_as_planned = True
            log.info(
                "a site was taken down and erased; the process ends to be started again, so that no memory "
                "holds the site"
            )
            os.kill(
                os.getpid(), signal.SIGTERM
            )  # it leaves its group, and takes its partitions up at once

    def _take(self, records: Sequence[ConsumerRecord]) -> None:
        for record in records:
            try:
                site = (record.key or b"").decode()
                if not self._misplaced.holds(site, record):
                    self._in_place.add(site)
                elif site in self._in_place:
                    continue
                self._read_into.put(site, processable(record.value))
                self._named.add(site)
            except (SchemaError, UnicodeDecodeError) as error:
                place = f"{record.topic}-{record.partition}-{record.offset}"
                extra = record_fields(record)
                log.warning("site settings at %s cannot be used: %s", place, error, extra=extra)

    def _keep(self) -> None:
        try:
            write_records(self._path, self._site_settings.records())
        except OSError as error:
            log.warning(
                "cannot write %s: %s; commands that read it see older settings", self._path, error
            )
