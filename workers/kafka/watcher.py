"""The watcher on Kafka: `cleaned` in; `page-changes`, `page-copies`, `site-events` and `fingerprints` out."""

import asyncio
import logging
import shutil
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import get_args

import msgspec
from aiokafka import TopicPartition

from schemas.cleaned import CleanedRecord, DeletedRecord, Observed
from schemas.codec import SchemaError, decode_json, encode_json, encode_msgpack
from schemas.fingerprint import FingerprintRecord, Original, fingerprint_key
from schemas.page_change import PageChangeRecord
from schemas.page_copy import PageCopyRecord
from schemas.site_event import SiteEventRecord
from schemas.source import Source
from schemas.topics import CLEANED, FINGERPRINTS, PAGE_CHANGES, PAGE_COPIES, SITE_EVENTS
from workers.errors import DamagedStore, OtherFormat
from workers.kafka.broker.partitioning import partition_of
from workers.kafka.broker.plain_clients import read_whole
from workers.kafka.broker.received import Received, processable
from workers.kafka.config import KafkaConfig
from workers.kafka.logs.log_reader import ask_for_logs
from workers.kafka.metrics import WatcherMetrics
from workers.kafka.outputs import send_all
from workers.kafka.owned_partitions import PartitionWork
from workers.kafka.store_follower import StoreFollower
from workers.kafka.store_role import StoreRole
from workers.log_lines import record_fields
from workers.site_settings import SettingsOfSites
from workers.state.content_index import ContentIndex, DuePage
from workers.state.rebuildable import remove_set_aside
from workers.watcher.watch import CopyEnded, Watch, WatchRecord
from workers.watcher.watch_store import WatchChange, WatchStore

_SILENCE_S = 600.0
"""Seconds between two searches for sites whose pages no longer come."""
_JUDGE_S = 1.0
"""Seconds between two searches for pages that are to be judged again."""
_SENT_AT_ONCE = 500
"""Records that are read from the outbox at a time."""
_UNOBSERVED_RECORDS = 100
"""Records after which, if nothing was observed of any page, the workers do not write what a watcher needs."""
log = logging.getLogger("templ")


class _OutboxEntry(msgspec.Struct, array_like=True):
    """A report that is to be sent."""

    kind: str
    value: msgspec.Raw


_KINDS: dict[str, type[WatchRecord]] = {kind.__name__: kind for kind in get_args(WatchRecord)}


def _encode_report(report: WatchRecord) -> bytes:
    value = msgspec.Raw(msgspec.msgpack.encode(report))
    return msgspec.msgpack.encode(_OutboxEntry(type(report).__name__, value))


def _decode_report(stored: bytes) -> WatchRecord:
    entry = msgspec.msgpack.decode(stored, type=_OutboxEntry)
    return msgspec.msgpack.decode(entry.value, type=_KINDS[entry.kind])


class ObservedCheck:
    """Warns once if the first records of all partitions have no field `observed`, as without TEMPL_OBSERVED."""

    def __init__(self) -> None:
        self._records_left = _UNOBSERVED_RECORDS

    def note(self, record: CleanedRecord) -> None:
        """Count a record; threads of several partitions may call it."""
        if self._records_left <= 0:
            return
        if isinstance(record.observed, Observed):
            self._records_left = 0
            return
        self._records_left -= 1
        if self._records_left == 0:
            log.warning(
                "the first %s records have no field `observed`, so no changes and events are found: set "
                "TEMPL_OBSERVED=true for the workers",
                _UNOBSERVED_RECORDS,
            )


class PartitionWatch(PartitionWork[WatchStore]):
    """What is noticed in one partition of `cleaned`."""

    def __init__(
        self,
        config: KafkaConfig,
        number: int,
        contents: ContentIndex,
        site_settings: SettingsOfSites,
        observed_check: ObservedCheck,
    ) -> None:
        bounds, path = config.settings.window, _store_path(config, number)
        super().__init__(config.broker, CLEANED, path, lambda path: WatchStore(path, bounds))
        self._site_settings = site_settings
        self.store.bounds_of = lambda site: site_settings.bounds(site, bounds)
        self._watch = Watch(self.store, contents)
        self._observed_check = observed_check

    def take(self, message: Received) -> bool:
        """Take a record in; if it cannot be used, log why, and return False. A record that was stored changes nothing."""
        if message.offset < self.store.next_offset:
            return True
        try:
            reports, change = self._reports(message)
        except (SchemaError, ValueError) as error:
            extra = record_fields(message.source, message.headers, None)
            log.warning("record %s is left out: %s", message.source, error, extra=extra)
            self.store.skip(message.offset)
            return False
        if change is None:
            self.store.skip(message.offset)
            return True
        if message.offset < self.store.silent_until:
            # What was reported before the store was lost is not reported again, but which pages are copies may have changed.
            reports = [report for report in reports if isinstance(report, PageCopyRecord)]
        self.store.apply(change, [_encode_report(report) for report in reports], message.offset)
        return True

    def _reports(self, message: Received) -> tuple[Sequence[WatchRecord], WatchChange | None]:
        value = processable(message.value)
        if value is None:
            url = (message.key or b"").decode()
            source = Source(message.topic, message.partition, message.offset)
            return self._watch.delete(DeletedRecord(url=url, site="", id="", source=source))
        record = decode_json(value, CleanedRecord)
        if self._site_settings.is_forgotten(record.site):
            return [], None
        self._observed_check.note(record)
        noticed, change = self._watch.take(record, message.timestamp_ms)
        return noticed.records(record), change

    def judge_again(self, due: Sequence[DuePage]) -> None:
        """Store the reports about pages whose original may be another page now."""
        for due_page in due:
            if self._site_settings.is_forgotten(due_page.page.site):
                continue
            reports, change = self._watch.judge_again(due_page.page)
            if change is not None:
                self.store.apply(change, [_encode_report(report) for report in reports])

    def notice_silent_sites(self) -> None:
        """Store the events of sites that have fallen silent."""
        for events, change in self._watch.silent_sites():
            self.store.apply(change, [_encode_report(event) for event in events])


class Watcher(StoreRole[PartitionWatch]):
    """Publishes what changes on the pages and sites of its partitions."""

    name, input_topic, doing = "watcher", CLEANED, "watching"
    prepared = "the fingerprints are read, and the stores are up to date"
    metrics: WatcherMetrics

    def __init__(self, config: KafkaConfig, contents: ContentIndex) -> None:
        """Prepare to watch, with the contents that other sites have published."""
        super().__init__(config)
        self.metrics = WatcherMetrics()
        self._contents = contents
        self._observed_check = ObservedCheck()
        self._follower = StoreFollower(config, FINGERPRINTS, contents, self._site_settings)
        self._keep_doing("fingerprints", self._follower.run)
        self._keep_doing("silent sites", self._report_silent_sites)
        self._judged: tuple[int, list[int]] | None = None
        """The changes of the contents, and the partitions, up to which due pages were judged again."""
        self._keep_doing("judging again", self._judge_again)

    def _open(self, number: int) -> PartitionWatch:
        return PartitionWatch(
            self.config, number, self._contents, self._site_settings, self._observed_check
        )

    def inner_progress(self) -> object:
        """Return how far each store has read, and how many fingerprints were read."""
        offsets = {
            number: watch.store.next_offset for number, watch in self._owned.opened().items()
        }
        return self._follower.taken, offsets

    def _missing(self) -> str:
        if not self._follower.ready.is_set():
            return "fingerprints are being read"
        missing = self._owned.not_ready()
        return f"the stores of partitions {missing} are being brought up to date" if missing else ""

    async def _known(self) -> None:
        await super()._known()
        await self._follower.ready.wait()

    async def _take_over(self, number: int) -> None:
        """Bring the store of a partition up to date, publish its reports, and compare it with what others have reported."""
        await self._known()
        async with self._owned.hold(number) as watch:
            if watch is not None:
                await self._publish(watch)
                await self._compare_copies(number)

    async def _process(
        self, number: int, watch: PartitionWatch, messages: Sequence[Received]
    ) -> None:
        await self._learn(number, watch, messages)
        await self._publish(watch)

    async def _learn(
        self, number: int, watch: PartitionWatch, messages: Sequence[Received]
    ) -> None:
        await self._known()
        if not watch.store.next_offset:
            await self._begin(number, watch)

        def take() -> None:
            for count, message in enumerate(messages):
                if count and number not in self._owned:
                    return
                is_used = watch.take(message)
                (self.metrics.records if is_used else self.metrics.left_out).inc()

        await asyncio.to_thread(take)

    async def _begin(self, number: int, watch: PartitionWatch) -> None:
        """Have an empty store report nothing about records that were reported on before it was lost."""
        committed = await ask_for_logs(
            self.config.broker, lambda reader: reader.committed(self.group, self.topic)
        )
        place = committed.get(number)
        if place is not None and place.offset:
            await asyncio.to_thread(watch.store.begin_silently, place.offset)
            log.warning(
                "%s-%s: the store is new, and begins at the newest versions of pages; nothing is reported about the records "
                "before offset %s",
                *(self.topic, number, place.offset),
                extra={"partition": number, "offset": place.offset},
            )

    async def _compare_copies(self, number: int) -> None:
        """Have the pages of a partition judged again about which the topic and this watcher disagree."""
        topic = self.config.broker.topic(PAGE_COPIES)
        partitions = [
            TopicPartition(topic, number) for number in range(self.config.counts[PAGE_COPIES])
        ]
        reported: dict[bytes, PageCopyRecord] = {}
        async for record in read_whole(self.config.broker, partitions):
            reported.pop(record.key, None)
            if record.value is not None:
                with suppress(SchemaError, ValueError):
                    reported[record.key] = decode_json(record.value, PageCopyRecord)

        def is_own(site: str) -> bool:
            is_of_partition = partition_of(site, self.config.counts[CLEANED]) == number
            return is_of_partition and not self._site_settings.is_forgotten(site)

        copies = {
            Original(copy.url, copy.site): copy.duplicate_of
            for copy in reported.values()
            if is_own(copy.site)
        }
        await asyncio.to_thread(self._contents.compare, copies, is_own)

    async def _publish(self, watch: PartitionWatch) -> None:
        """Send what is to be reported, and drop it when the broker has stored it."""
        while stored := await asyncio.to_thread(watch.store.outbox, _SENT_AT_ONCE):
            reports = [_decode_report(value) for _, value in stored]
            for report in reports:
                if isinstance(report, FingerprintRecord):
                    self._contents.expect(report)
            await send_all(self.outputs.send_keyed(*_message(report)) for report in reports)
            await asyncio.to_thread(watch.store.drop, [number for number, _ in stored])
            for report in reports:
                self.metrics.count_report(report)

    async def _report_silent_sites(self) -> None:
        """Publish which sites have fallen silent."""
        await asyncio.sleep(_SILENCE_S)
        for number in self._owned.opened():
            async with self._owned.hold(number) as watch:
                if watch is not None:
                    await asyncio.to_thread(watch.notice_silent_sites)
                    await self._publish(watch)

    async def _judge_again(self) -> None:
        """Publish which pages are copies, or none any more, because of what has become known of other pages."""
        await asyncio.sleep(_JUDGE_S)
        await self._known()
        seen = self._contents.turn, self._owned.numbers()
        if seen == self._judged:
            return
        by_partition: defaultdict[int, list[DuePage]] = defaultdict(list)
        for due_page in await asyncio.to_thread(self._contents.due):
            number = partition_of(due_page.page.site, self.config.counts[CLEANED])
            by_partition[number].append(due_page)
        for number, due in by_partition.items():
            async with self._owned.hold(number) as watch:
                if watch is not None:
                    await asyncio.to_thread(watch.judge_again, due)
                    await self._publish(watch)
                elif _store_path(self.config, number).exists():
                    continue  # the partition may come back, and this store would not know of them
                await asyncio.to_thread(self._contents.settle, due)
        self._judged = seen

    async def _take_down(self, site: str) -> bool:
        number = partition_of(site, self.config.counts[CLEANED])
        was_there = await asyncio.to_thread(self._contents.erase, site)
        async with self._owned.hold(number) as watch:
            if watch is not None:
                await self._publish(watch)  # the outbox may have records of the site
                was_there |= await asyncio.to_thread(watch.store.erase, site)
            elif (path := _store_path(self.config, number)).exists():
                was_there |= await asyncio.to_thread(self._erase_closed, path, site)
        remove_set_aside(self.config.state)
        return was_there

    def _erase_closed(self, path: Path, site: str) -> bool:
        """Erase a site from a store that is not open, or the store as a whole where it cannot be read or has reports to send."""
        try:
            store = WatchStore(path, self.config.settings.window)
        except (DamagedStore, OtherFormat):
            shutil.rmtree(path)
            return True
        was_there = store.erase(site)
        has_reports = bool(store.outbox(1))
        store.close()
        if has_reports:
            shutil.rmtree(path)
        return was_there or has_reports


def _store_path(config: KafkaConfig, number: int) -> Path:
    return config.state / f"watched-{number}"


def _message(record: WatchRecord) -> tuple[str, str, bytes, bytes | None]:
    """Return the topic, the site, the key and the value of a record."""
    match record:
        case PageChangeRecord():
            return PAGE_CHANGES, record.site, record.url.encode(), encode_json(record)
        case PageCopyRecord():
            return PAGE_COPIES, record.site, record.url.encode(), encode_json(record)
        case CopyEnded():
            return PAGE_COPIES, record.site, record.url.encode(), None
        case SiteEventRecord():
            return SITE_EVENTS, record.site, record.site.encode(), encode_json(record)
        case FingerprintRecord():
            value = None if record.key is None else encode_msgpack(record)
            key = fingerprint_key(record.site, record.url)
            return FINGERPRINTS, record.site, key, value
