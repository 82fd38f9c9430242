"""The refresher on Kafka: `documents` in; `site-models` and tombstones of `documents` out."""

import asyncio
import logging
import shutil
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import faust
from aiokafka import TopicPartition

from schemas.codec import (
    encode_json,
    encode_msgpack,
)
from schemas.document import document_key, site_of_key
from schemas.site_model import SiteModelRecord
from schemas.source import HEADER_SOURCE_ID
from schemas.topics import CLEANED, DOCUMENTS, SITE_MODELS
from workers.kafka.app import build_app, essential, raw_topic, send_all
from workers.kafka.broker.batches import batches
from workers.kafka.broker.partitioning import partition_of
from workers.kafka.broker.plain_consumer import plain_consumer, read_range, settled_offset
from workers.kafka.broker.received import (
    OffsetGapFiller,
    Received,
    received_from_aiokafka,
    received_from_faust,
)
from workers.kafka.config import KafkaConfig
from workers.kafka.metrics import RefresherMetrics
from workers.kafka.partition_windows import PartitionWindows, ingest
from workers.kafka.template_backlog import Site, TemplateBacklog
from workers.pipeline.outputs import ENVELOPE_BYTES, fit_message
from workers.pipeline.refresher import (
    Fitted,
    NotLearned,
    Revision,
)
from workers.processes.pool import Pool
from workers.state.site_state import WindowTotals, templates_overdue_by

_AT_ONCE = 500
_REPORT_S = 10.0
log = logging.getLogger("templ")


class RefresherApp:
    """Keeps the windows of the partitions it is given, and publishes fresh site models."""

    def __init__(self, config: KafkaConfig, pool: Pool, templates_pool: Pool) -> None:
        """Put the parts together.

        Args:
            config: Where the broker and the state are.
            pool: Where documents are learned, models refitted and texts revised.
            templates_pool: Where templates are fitted, so that nothing else waits for them.
        """
        self._config = config
        self._pool = pool
        self._templates_pool = templates_pool
        self._backlog = TemplateBacklog(self._templates_overdue_by)
        self._partitions: dict[int, PartitionWindows] = {}
        self._owned: set[int] = set()
        self._locks: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._rebuilds: set[asyncio.Task[None]] = set()
        self.metrics = RefresherMetrics(self._totals)
        self.app = build_app(config, "refresher")
        documents = config.topic(DOCUMENTS)
        self._guard = OffsetGapFiller(config.broker, documents, config.group("refresher"))
        self._documents = raw_topic(self.app, documents)
        self._site_models = raw_topic(self.app, config.topic(SITE_MODELS))
        self._cleaned = raw_topic(self.app, config.topic(CLEANED))
        self._to_revise: dict[tuple[int, str], None] = {}
        """Partitions and sites, in order: their models would take the memory of all of them."""
        self._revisable = asyncio.Event()
        self.app.agent(self._documents, name="refresh")(self._refresh)
        self.app.task(self._revise)
        self.app.task(self._fit_templates)
        self.app.on_partitions_assigned.connect(self._assigned)
        self.app.on_partitions_revoked.connect(self._revoked)

    def close(self) -> None:
        """Close the windows."""
        for partition in self._partitions.values():
            partition.store.close()
        self._partitions.clear()

    def inner_progress(self) -> dict[int, int]:
        """How far each window store has read, be it in a rebuild."""
        return {n: one.store.next_offset for n, one in list(self._partitions.items())}

    def _totals(self) -> WindowTotals:
        """Return the totals of all windows; called by the thread that answers a metrics scrape."""
        return sum((one.store.totals() for one in list(self._partitions.values())), WindowTotals())

    async def _assigned(self, _app: faust.App, assigned: Iterable[Any], **_: Any) -> None:
        numbers = {one.partition for one in assigned}
        self._owned = numbers
        for number in sorted(numbers):
            task = asyncio.ensure_future(
                essential(self.app, "recovery", lambda number=number: self._recover(number))
            )
            self._rebuilds.add(task)
            task.add_done_callback(self._rebuilds.discard)

    async def _revoked(self, _app: faust.App, revoked: Iterable[Any], **_: Any) -> None:
        # First, so that a rebuild stops instead of holding up the whole group.
        self._owned.difference_update(one.partition for one in revoked)
        self._guard.revoked(one.partition for one in revoked)
        for one in revoked:
            async with self._locks[one.partition]:
                partition = self._partitions.pop(one.partition, None)
                if partition is not None:
                    partition.store.close()

    async def _refresh(self, stream: faust.StreamT) -> None:
        async for events in batches(stream, self._config.settings):
            await essential(self.app, "refreshing", lambda events=events: self._batch(events))

    async def _batch(self, events: Iterable[faust.EventT]) -> None:
        come = [received_from_faust(event.message) for event in events]
        by_partition: defaultdict[int, list[Received]] = defaultdict(list)
        for message in await self._guard.complete(come):
            by_partition[message.partition].append(message)
        for number, messages in by_partition.items():
            await self._batch_of(number, messages)

    async def _batch_of(self, number: int, messages: list[Received]) -> None:
        """Learn from messages; those of a partition that is another's now are left to that one."""
        async with self._locks[number]:
            if number not in self._owned:
                return
            partition = self._partition(number)
            await self._catch_up(partition, number, messages[0].offset)
            if number not in self._owned:
                return
            sites = set()
            for message in messages:
                if number not in self._owned:
                    return
                sites.add(await self._learn(partition, message))
            await self._publish(partition, number, sites)

    async def _recover(self, number: int) -> None:
        """Read what the store lacks of the topic, all of it if the store is lost."""
        async with self._locks[number]:
            if number not in self._owned:
                return
            partition = self._partition(number)
            topic = TopicPartition(self._config.topic(DOCUMENTS), number)
            async with plain_consumer(self._config.broker) as consumer:
                end = (await consumer.end_offsets([topic]))[topic]
                settled = await settled_offset(consumer, topic, end)
            if partition.store.next_offset > end:
                partition = self._begin_anew(partition, number, "the topic was made anew")
            elif 0 < partition.store.next_offset < settled:
                partition = self._begin_anew(partition, number, "deletions may be gone by now")
            await self._catch_up(partition, number, end)
            if number in self._owned:
                await self._publish(partition, number, partition.refresher.due_sites())
                for site, _ in partition.store.sites():
                    self._backlog.add((number, site))

    def _begin_anew(self, partition: PartitionWindows, number: int, why: str) -> PartitionWindows:
        """Drop windows that the topic no longer leads on from."""
        offset = partition.store.next_offset
        log.warning("windows-%s read up to offset %s are made anew: %s", number, offset, why)
        del self._partitions[number]
        partition.store.close()
        shutil.rmtree(self._config.state / f"windows-{number}")
        return self._partition(number)

    def _partition(self, number: int) -> PartitionWindows:
        if number not in self._partitions:
            self._partitions[number] = PartitionWindows(self._config, self._pool, number)
        return self._partitions[number]

    async def _catch_up(self, partition: PartitionWindows, number: int, end: int) -> None:
        """Take in the records from the store's next offset up to `end`, and publish nothing.

        Ends early when the partition is taken away; the next owner of the store goes on there.
        """
        if partition.store.next_offset >= end:
            return
        topic = TopicPartition(self._config.topic(DOCUMENTS), number)
        start = partition.store.next_offset
        report_at = time.monotonic() + _REPORT_S
        log.info("windows of %s-%s: reading from %s to %s", topic.topic, number, start, end)
        async with plain_consumer(self._config.broker) as consumer:
            async for record in read_range(consumer, {topic: start}, {topic: end}):
                if number not in self._owned:
                    return
                await self._learn(partition, received_from_aiokafka(record))
                if time.monotonic() > report_at:
                    report_at += _REPORT_S
                    log.info("windows of %s-%s: at %s", topic.topic, number, record.offset)
        if start == 0:  # what has been superseded long ago was set right long ago
            partition.store.forget_superseded()
        partition.store.skip(end - 1)
        log.info("windows of %s-%s: up to date", topic.topic, number)

    async def _learn(self, partition: PartitionWindows, message: Received) -> str:
        """Take one record of `documents` in, on its site's lane; answers its site."""
        site = site_of_key(message.key or b"")
        work = self._pool.submit(site, ingest, partition, site, message)
        await asyncio.wrap_future(work)
        self.metrics.documents.inc()
        return site

    async def _publish(
        self, partition: PartitionWindows, number: int, sites: Iterable[str]
    ) -> None:
        for site in sorted(sites):
            if number not in self._owned:
                return
            due_model = partial(partition.refresher.due_model, site, with_templates=False)
            await self._publish_fitted(partition, number, site, due_model)
            self._backlog.add((number, site))
        if self._config.settings.revisions:
            await self._send_superseded(partition)
        await self._send_tombstones(partition)

    async def _publish_fitted(
        self, partition: PartitionWindows, number: int, site: str, fit: Callable[[], Fitted]
    ) -> None:
        started_s = time.monotonic()
        fitted = await asyncio.wrap_future(self._pool.submit(site, fit))
        if isinstance(fitted, NotLearned):
            self.metrics.not_fitted.inc()
            log.warning("the model of %s could not be fitted: %s", site, fitted.reason)
        elif fitted is not None:
            await self._send_model(fitted[0])
            partition.refresher.mark_published(*fitted)
            self.metrics.refits.inc()
            self.metrics.refit_seconds.observe(time.monotonic() - started_s)
            if self._config.settings.revisions and partition.refresher.has_revision_candidates(
                fitted[0]
            ):
                self._to_revise[number, site] = None
                self._revisable.set()

    async def _fit_templates(self) -> None:
        while True:
            number, site = await self._backlog.take()
            await essential(
                self.app, "fitting templates", partial(self._fit_templates_of, number, site)
            )

    async def _fit_templates_of(self, number: int, site: str) -> None:
        """Fit a site's templates and publish them, if the site is still ours."""
        partition = self._partitions.get(number)
        if partition is None:
            return
        refresher = partition.refresher
        async with self._locks[number]:
            if self._partitions.get(number) is not partition:
                return
            work = self._pool.submit(site, refresher.templates_task, site)
            task, learned = await asyncio.wrap_future(work)
        started_s = time.monotonic()
        pool, deadline_s = self._templates_pool, self._config.settings.refit_deadline_s
        run = pool.submit(site, pool.run, site, task, deadline_s)
        result, _ = await asyncio.wrap_future(run)
        async with self._locks[number]:
            if self._partitions.get(number) is not partition:
                return
            problem = refresher.keep_templates(site, result, learned)
            if problem is not None:
                self.metrics.not_fitted.inc()
                log.warning("templates of %s could not be fitted: %s", site, problem.reason)
                return
            self.metrics.templates_seconds.observe(time.monotonic() - started_s)
            await self._publish_fitted(partition, number, site, partial(refresher.refit, site))

    def _templates_overdue_by(self, one: Site) -> float:
        number, site = one
        partition = self._partitions.get(number)
        return templates_overdue_by(partition.store.site_state(site)) if partition else 0.0

    async def _send_model(self, model: SiteModelRecord) -> None:
        send = self._site_models.send(
            key=model.site.encode(),
            value=encode_msgpack(model),
            partition=partition_of(model.site, self._config.partitions),
        )
        await send_all([send])

    async def _revise(self) -> None:
        while True:
            await essential(self.app, "revising", self._revise_site)

    async def _revise_site(self) -> None:
        """Publish the texts again that one site's model has changed, if they are still ours."""
        while not self._to_revise:
            self._revisable.clear()
            await self._revisable.wait()
        number, site = next(iter(self._to_revise))
        del self._to_revise[number, site]
        self.metrics.revisions_waiting.set(len(self._to_revise))
        partition = self._partitions.get(number)
        if partition is None:
            return
        async with self._locks[number]:
            if self._partitions.get(number) is not partition:
                return
            fitted = await asyncio.wrap_future(
                self._pool.submit(site, partition.refresher.refit, site)
            )
            if not isinstance(fitted, tuple):
                return
            model, learned = fitted
            if model.version != partition.store.site_state(site).model_version:
                await self._send_model(model)
                partition.refresher.mark_published(model, learned)
        revisions = partition.refresher.revisions(model)
        while True:
            async with self._locks[number]:
                if self._partitions.get(number) is not partition:
                    return
                work = self._pool.submit(site, next, revisions, None)
                revision = await asyncio.wrap_future(work)
                if revision is None:
                    return
                await self._send_revision(revision)
                partition.refresher.mark_revised(revision)
                self.metrics.revisions.labels(revision.record.revision_reason).inc()
            await asyncio.sleep(1 / self._config.settings.revisions_per_s)

    async def _send_revision(self, revision: Revision) -> None:
        """The text first: a document that says more than was published would hide a loss."""
        limit_bytes = self._config.settings.message_limit_bytes
        record, document = fit_message(revision.record, limit_bytes), revision.document
        number = partition_of(record.site, self._config.partitions)
        headers = {HEADER_SOURCE_ID: str(record.source).encode()}
        key = record.url.encode()
        await send_all(
            [
                self._cleaned.send(
                    key=key, value=encode_json(record), partition=number, headers=headers
                )
            ]
        )
        value = encode_msgpack(document)
        if len(value) <= limit_bytes - ENVELOPE_BYTES:
            key = document_key(document.site, document.source)
            await send_all(
                [self._documents.send(key=key, value=value, partition=number, headers=headers)]
            )

    async def _send_superseded(self, partition: PartitionWindows) -> None:
        """Have the last record of a URL be of its newest fetch."""
        while superseded := partition.store.superseded(_AT_ONCE):
            for key, url in superseded:
                site = site_of_key(key)
                work = self._pool.submit(site, partition.refresher.newest, key)
                newest = await asyncio.wrap_future(work)
                if isinstance(newest, Revision):
                    await self._send_revision(newest)
                    partition.refresher.mark_revised(newest)
                elif newest is not None:
                    await self._send_deletion(site, url, newest)
                partition.store.take_from_superseded(key)

    async def _send_deletion(self, site: str, url: str, source_id: str) -> None:
        send = self._cleaned.send(
            key=url.encode(),
            value=None,
            partition=partition_of(site, self._config.partitions),
            headers={HEADER_SOURCE_ID: source_id.encode()},
        )
        await send_all([send])

    async def _send_tombstones(self, partition: PartitionWindows) -> None:
        while tombstones := partition.store.outbox(_AT_ONCE):
            await send_all(
                self._documents.send(
                    key=key,
                    value=None,
                    partition=partition_of(site_of_key(key), self._config.partitions),
                )
                for key in tombstones
            )
            partition.store.take_from_outbox(tombstones)
