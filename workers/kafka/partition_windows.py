"""The windows of the partitions of `documents` that this worker has, opened when first needed.

Opening, closing and removing a store may take seconds. All of it happens in threads, so that the
event loop goes on answering the broker.
"""

import asyncio
import logging
import shutil
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from functools import partial
from typing import cast

import msgspec

from schemas.codec import SchemaError, decode_document_record
from schemas.document import document_key
from schemas.topics import DOCUMENTS, SITE_MODELS
from workers.kafka.broker.partitioning import MisplacedRecords
from workers.kafka.broker.received import Received, processable
from workers.kafka.config import KafkaConfig
from workers.kafka.logs.resume import LogSnapshot, decode_snapshot
from workers.log_lines import lines_about, record_fields
from workers.pipeline.site_engine import SiteEngine
from workers.processes.pool import Pool
from workers.site_settings import SettingsBook
from workers.state.rebuildable import open_rebuildable
from workers.state.window_store import WindowStore

log = logging.getLogger("templ")


class PartitionWindows:
    """The windows of one partition, and the engine that learns from them."""

    def __init__(
        self, config: KafkaConfig, pool: Pool, number: int, book: SettingsBook | None = None
    ) -> None:
        """Open the store; an empty one takes the place of one that cannot be used.

        Args:
            config: Where the state is, and what the deployment decides.
            pool: Where documents are learned, models fitted and texts revised.
            number: The partition.
            book: What operators have decided about sites; None = nothing.

        Raises:
            StateProblem: The store is in use or not writable.
        """
        self._path = config.state / f"windows-{number}"
        self._book = book or SettingsBook()
        self.snapshot: LogSnapshot | None = None
        """The log that the store was compared with since it was opened; None before."""
        settings = config.settings
        self._misplaced = MisplacedRecords(config.partitions)
        self.store = open_rebuildable(
            self._path, lambda path: WindowStore(path, settings), config.topic(DOCUMENTS)
        )
        self.models_snapshot = decode_snapshot(self.store.log_mark(SITE_MODELS))
        """The log of `site-models` as it was when models were published last."""
        self.engine = SiteEngine(
            pool, settings, windows=self.store, book=self._book, fits_messages=True
        )

    def ingest(self, site: str, message: Received) -> bool:
        """Take one record of `documents` in, or step over it and log why it cannot be used.

        Args:
            site: Site in the record's key.
            message: The record.

        Returns:
            Whether it was taken in.
        """
        if self._misplaced.holds(site, message, is_new=self.store.is_new(message.offset)):
            self.store.skip(message.offset)
            return message.value is None
        with lines_about(partial(record_fields, message, message.headers, site)):
            try:
                problem = self._take(site, message)
            except SchemaError as error:
                self.store.skip(message.offset)
                problem = str(error)
            if problem is not None:
                place = f"{message.topic}-{message.partition}-{message.offset}"
                log.warning("document %s is left out: %s", place, problem)
        return problem is None

    def _take(self, site: str, message: Received) -> str | None:
        """Take one record in.

        Returns:
            Why nothing was learned from it, or None.

        Raises:
            SchemaError: The record is not a document of a known format, or not of its key.
        """
        value = processable(message.value)
        if self._book.is_forgotten(site):
            self.store.skip(message.offset)
            return None
        if value is None:
            self.store.remove(site, _source_id(message), message.offset)
            return None
        record = decode_document_record(value)
        if record.site != site or document_key(site, record.source) != message.key:
            raise SchemaError(f"its key {message.key!r} is not that of {record.source} of its site")
        return self.engine.learn(record, message.offset)

    def keep(self, site: str, message: Received) -> bool:
        """Step over a null value that does not count; its document stays, and is sent again.

        Returns:
            False, since nothing was taken in.
        """
        self.store.keep(site, _source_id(message), message.offset)
        return False

    def note_log(self, snapshot: LogSnapshot) -> None:
        """Store with the windows which log they are of."""
        self.store.mark_log(DOCUMENTS, snapshot.encode())
        self.snapshot = snapshot
        self._misplaced.warn()

    def note_models_log(self, snapshot: LogSnapshot) -> None:
        """Store with the windows which log of `site-models` has all their models."""
        self.store.mark_log(SITE_MODELS, snapshot.encode())
        self.models_snapshot = snapshot

    def decided_from(self) -> LogSnapshot:
        """Return the log that the windows are of, up to the first record that was not read.

        Call it only after the store was compared with its log.
        """
        return msgspec.structs.replace(
            cast("LogSnapshot", self.snapshot), end=self.store.next_offset
        )

    def remove(self) -> None:
        """Close the store and remove it from the disk."""
        self.store.close()
        shutil.rmtree(self._path)


def _source_id(message: Received) -> str:
    return (message.key or b"").partition(b"\0")[2].decode(errors="replace")


class OwnedPartitions:
    """Which partitions are this worker's, their windows, and a lock for each of them."""

    def __init__(self, open_windows: Callable[[int], PartitionWindows], recover: "Recover") -> None:
        """Own no partition yet.

        Args:
            open_windows: Opens the windows of a partition.
            recover: Called with windows that were opened, before anybody else has them: what was read
                and decided in another log must not be acted upon.
        """
        self._open_windows = open_windows
        self._recover = recover
        self._numbers: set[int] = set()
        self._open: dict[int, PartitionWindows] = {}
        self._locks: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)

    def __contains__(self, number: int) -> bool:
        return number in self._numbers

    def assign(self, numbers: Iterable[int]) -> None:
        """Take these partitions, and no others, for ours."""
        self._numbers = set(numbers)

    def opened(self) -> dict[int, PartitionWindows]:
        """Return the windows that are open now, by partition."""
        return dict(self._open)

    def not_ready(self) -> list[int]:
        """Return the partitions that are ours and whose windows lack records; any thread may call."""
        opened = dict(self._open)
        return [
            number
            for number in sorted(set(self._numbers))
            if number not in opened or opened[number].snapshot is None
        ]

    @asynccontextmanager
    async def hold(self, number: int) -> AsyncIterator[PartitionWindows | None]:
        """Keep all other work off a partition; gives None where the partition is not ours."""
        async with self._locks[number]:
            if number in self._numbers:
                await self._make_ready(number)
            yield self._open.get(number) if number in self._numbers else None

    async def _make_ready(self, number: int) -> None:
        if number not in self._open:
            self._open[number] = await asyncio.to_thread(self._open_windows, number)
        if self._open[number].snapshot is None:
            await self._recover(self, number)

    async def rebuild(self, number: int, why: str) -> PartitionWindows:
        """Drop windows that the topic no longer leads on from; call it while holding them."""
        windows = self._open.pop(number)
        offset = windows.store.next_offset
        log.warning(
            "windows-%s read up to offset %s are rebuilt: %s",
            number,
            offset,
            why,
            extra={"partition": number, "offset": offset},
        )
        await asyncio.to_thread(windows.remove)
        self._open[number] = await asyncio.to_thread(self._open_windows, number)
        return self._open[number]

    async def release(self, numbers: Iterable[int]) -> None:
        """Let partitions go; work on them ends early, then their stores are closed."""
        leaving = set(numbers)
        self._numbers -= leaving
        for number in leaving:
            async with self._locks[number]:
                windows = self._open.pop(number, None)
                if windows is not None:
                    await asyncio.to_thread(windows.store.close)

    def close(self) -> None:
        """Close all stores, once nothing else runs."""
        for windows in self._open.values():
            windows.store.close()
        self._open.clear()


Recover = Callable[[OwnedPartitions, int], Awaitable[None]]
"""Compares open windows with the log of their partition, and brings them up to date."""
