"""The windows of a partition of `documents`, and the models that `site-models` has lost."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import cast

import msgspec
from aiokafka.errors import KafkaError

from schemas.codec import SchemaError, decode_document_record
from schemas.document import DocumentRecord, document_key
from schemas.topics import DOCUMENTS, SITE_MODELS
from workers.kafka.broker.access import BrokerAccess
from workers.kafka.broker.partitioning import MisplacedRecords
from workers.kafka.broker.received import Received, processable
from workers.kafka.config import KafkaConfig
from workers.kafka.logs.log_reader import CHECK_S, LogReader, log_reader
from workers.kafka.logs.resume import (
    LogSnapshot,
    LogState,
    decode_snapshot,
    has_lost_records,
)
from workers.kafka.owned_partitions import OwnedPartitions, PartitionWork
from workers.log_lines import lines_about, record_fields
from workers.pipeline.site_engine import SiteEngine
from workers.processes.pool import Pool
from workers.site_settings import SettingsOfSites
from workers.state.window_store import WindowStore

log = logging.getLogger("templ")


class PartitionWindows(PartitionWork[WindowStore]):
    """The windows of one partition, and the engine that learns from them."""

    def __init__(
        self,
        config: KafkaConfig,
        pool: Pool,
        number: int,
        site_settings: SettingsOfSites | None = None,
    ) -> None:
        settings, path = config.settings, config.state / f"windows-{number}"
        super().__init__(config.broker, DOCUMENTS, path, lambda path: WindowStore(path, settings))
        self._site_settings = site_settings or SettingsOfSites()
        self._misplaced = MisplacedRecords(config.partitions)
        self.models_snapshot = decode_snapshot(self.store.log_mark(SITE_MODELS))
        """The log of `site-models` as it was when models were published last."""
        self.engine = SiteEngine(
            pool,
            settings,
            windows=self.store,
            site_settings=self._site_settings,
            fits_messages=True,
        )

    def learn(self, site: str, message: Received) -> bool:
        """Learn from a record with the site in its key; if it cannot be used, log why, and return False."""
        store, offset = self.store, message.offset
        if self._misplaced.holds(site, message, is_new=store.is_new(offset)):
            store.skip(offset)
            return message.value is None
        if self._site_settings.is_forgotten(site):
            store.skip(offset)
            return True
        with lines_about(partial(record_fields, message.source, message.headers, site)):
            try:
                record = _document(site, message)
                if record is None:
                    store.remove(site, message.key or b"", offset)
                    return True
                problem = self.engine.learn(record, offset)
            except SchemaError as error:
                store.skip(offset)
                problem = str(error)
            if problem is not None:
                log.warning("document %s is left out: %s", message.source, problem)
        return problem is None

    def keep(self, message: Received) -> None:
        """Skip a null value that does not count; its document stays, and is sent again."""
        self.store.keep(message.key or b"", message.offset)

    def note_log(self, snapshot: LogSnapshot) -> None:
        """Store with the windows which log they were read from."""
        super().note_log(snapshot)
        self._misplaced.warn()

    def note_models_log(self, snapshot: LogSnapshot) -> None:
        """Store with the windows which log of `site-models` holds all their models."""
        self.store.mark_log(SITE_MODELS, snapshot.encode())
        self.models_snapshot = snapshot

    def decided_from(self) -> LogSnapshot:
        """Return the log that the windows were read from, up to the first record that was not read.

        Call it only after the store was compared with its log.
        """
        return msgspec.structs.replace(
            cast("LogSnapshot", self.snapshot), end=self.store.next_offset
        )


def _document(site: str, message: Received) -> DocumentRecord | None:
    """Return the document of a record; None for a null value.

    Raises:
        SchemaError: The value is no document of the key.
    """
    value = processable(message.value)
    if value is None:
        return None
    record = decode_document_record(value)
    if record.site != site or document_key(site, record.source) != message.key:
        raise SchemaError(f"its key {message.key!r} is not that of {record.source} of its site")
    return record


Publish = Callable[[int, str, PartitionWindows], Awaitable[None]]
"""Publishes the model of a site of a partition, whose windows are held."""


class LostModels:
    """Compares the logs of `site-models` with what they were when models were published last.

    A site's next model may be days away, and a cleaner that starts in the meantime would clean the site's
    pages as those of a new site. So models that their topic has lost are published again.
    """

    def __init__(
        self,
        broker: BrokerAccess,
        topic: str,
        owned: OwnedPartitions[PartitionWindows],
        publish: Publish,
    ) -> None:
        self._broker = broker
        self._topic = topic
        self._owned = owned
        self._publish = publish

    async def watch(self) -> None:
        """Check the topic for as long as the broker answers."""
        try:
            async with log_reader(self._broker) as reader:
                while True:
                    await asyncio.sleep(CHECK_S)
                    await self.check(reader)
        except (KafkaError, OSError) as error:
            log.debug("the logs of %s cannot be read: %r", self._topic, error)
            await asyncio.sleep(CHECK_S)

    async def check(self, reader: LogReader) -> None:
        """Publish all models of each partition again whose log has lost records since the last check."""
        opened = self._owned.opened()
        snapshots = {number: windows.models_snapshot for number, windows in opened.items()}
        logs = await reader.logs(self._topic, snapshots) if snapshots else {}
        for number, state in logs.items():
            if state.snapshot != snapshots[number]:
                await self._compare(number, snapshots[number], state)

    async def _compare(self, number: int, snapshot: LogSnapshot | None, state: LogState) -> None:
        sites: list[str] = []
        async with self._owned.hold(number) as windows:
            if windows is None:
                return
            if snapshot is not None and has_lost_records(snapshot, state):
                sites = await asyncio.to_thread(_published_sites, windows)
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
                await asyncio.to_thread(windows.note_models_log, state.snapshot)


def _published_sites(windows: PartitionWindows) -> list[str]:
    return [site for site, state in windows.store.sites() if state.model_version and state.pages]
