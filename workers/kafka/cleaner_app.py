"""The cleaner on Kafka: `pages` in; `cleaned`, `pages.dlq` and `documents` out."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

import faust

from schemas.cleaned import CleanedRecord
from schemas.codec import encode_json, encode_msgpack
from schemas.dead_letter import HEADER_CUT_FROM, DeadLetter
from schemas.document import DocumentRecord, document_key
from schemas.source import HEADER_SOURCE_ID
from schemas.topics import CLEANED, DEAD_LETTERS, DOCUMENTS, PAGES
from templ_core import __version__
from workers.kafka.app import build_app, essential, max_value_bytes, raw_topic, send_all
from workers.kafka.broker.batches import batches
from workers.kafka.broker.page_message import page_of_message
from workers.kafka.broker.partitioning import partition_of
from workers.kafka.broker.received import OffsetGapFiller, Received, received_from_faust
from workers.kafka.config import KafkaConfig
from workers.kafka.metrics import CleanerMetrics
from workers.kafka.model_follower import ModelFollower
from workers.page import Page, Rejected
from workers.pipeline.cleaner import Cleaned, Cleaner, Dead, Deleted, Outcome
from workers.processes.pool import Pool
from workers.state.model_store import ModelStore

log = logging.getLogger("templ")


class CleanerApp:
    """Takes small batches of pages, cleans them, and acknowledges them once everything is out."""

    def __init__(self, config: KafkaConfig, pool: Pool, models: ModelStore) -> None:
        self._config = config
        self._pool = pool
        self.metrics = CleanerMetrics()
        self._own_models = config.settings.own_models
        self._follower = ModelFollower(config, models, self.metrics.models.inc)
        self._cleaner = Cleaner(
            pool,
            models,
            config.settings,
            message_limit_bytes=config.settings.message_limit_bytes,
        )
        self.app = build_app(config, "cleaner")
        self.app.on_partitions_assigned.connect(self._assigned)
        self.app.on_partitions_revoked.connect(self._revoked)
        pages = config.topic(PAGES)
        self._guard = OffsetGapFiller(config.broker, pages, config.group("cleaner"))
        self._cleaned = raw_topic(self.app, config.topic(CLEANED))
        self._documents = raw_topic(self.app, config.topic(DOCUMENTS))
        self._dead_letters = raw_topic(self.app, config.topic(DEAD_LETTERS))
        self.app.task(self._follow_models)
        self.app.agent(raw_topic(self.app, pages), name="clean")(self._clean)

    def inner_progress(self) -> int:
        """How many site models were read: at a first start, before any page."""
        return self._follower.taken

    async def _follow_models(self) -> None:
        await essential(self.app, "site models", self._follower.run)

    async def _clean(self, stream: faust.StreamT) -> None:
        async for events in batches(stream, self._config.settings):
            await essential(self.app, "cleaning", lambda events=events: self._batch(events))

    async def _batch(self, events: Iterable[faust.EventT]) -> None:
        started_s = time.monotonic()
        come = [received_from_faust(event.message) for event in events]
        messages = await self._guard.complete(come)
        records = [page_of_message(message, self._config.settings) for message in messages]
        self._check_partitions(messages, records)
        await self._follower.ready.wait()
        outcomes = await asyncio.gather(*map(self._outcome, records))
        done = zip(messages, outcomes, strict=True)
        await send_all(self._output(message, outcome) for message, outcome in done)
        await send_all(self._document_sends(outcomes))
        self._count(outcomes, time.monotonic() - started_s)

    def _count(self, outcomes: Iterable[Outcome], seconds: float) -> None:
        for outcome in outcomes:
            self.metrics.pages.labels(type(outcome).__name__.lower()).inc()
            self.metrics.page_seconds.observe(seconds)
            if isinstance(outcome, Cleaned) and outcome.record.method == "site":
                self.metrics.with_site.inc()

    def _check_partitions(
        self, messages: Iterable[Received], records: Iterable[Page | Rejected]
    ) -> None:
        """Keep all models once a page has come where its site's model does not."""
        if not self._own_models:
            return
        for message, record in zip(messages, records, strict=True):
            if isinstance(record, Rejected):
                continue
            number = partition_of(record.site, self._config.partitions)
            if number != message.partition:
                self._own_models = False
                log.warning(
                    "%s-%s has a page of %s, whose site model is on partition %s: all site models "
                    "are kept from now on; key pages by site, with murmur2",
                    *(message.topic, message.partition, record.site, number),
                )
                self._follower.follow_all()
                return

    async def _assigned(self, _app: faust.App, assigned: Iterable[Any], **_: Any) -> None:
        if self._own_models:
            self._follower.follow(one.partition for one in assigned)

    async def _revoked(self, _app: faust.App, revoked: Iterable[Any], **_: Any) -> None:
        self._guard.revoked(one.partition for one in revoked)

    async def _outcome(self, record: Page | Rejected) -> Outcome:
        if isinstance(record, Rejected):
            return Dead(
                letter=DeadLetter(
                    exception=record.exception, message=record.message, stage="receive"
                )
            )
        work = self._pool.submit(record.site, self._cleaner.process, record)
        return await asyncio.wrap_future(work)

    def _output(self, message: Received, outcome: Outcome) -> Awaitable[Awaitable[Any]]:
        if isinstance(outcome, Dead):
            return self._send_dead_letter(message, outcome.letter)
        record = outcome.record
        return self._cleaned.send(
            key=record.url.encode(),
            value=encode_json(record) if isinstance(record, CleanedRecord) else None,
            partition=partition_of(record.site, self._config.partitions),
            headers={HEADER_SOURCE_ID: str(record.source).encode()},
        )

    def _send_dead_letter(self, message: Received, letter: DeadLetter) -> Awaitable[Awaitable[Any]]:
        value, headers = message.value, _dead_headers(message, letter)
        limit_bytes = max_value_bytes(self._config.settings)
        if value is not None and len(value) > limit_bytes:
            headers.append((HEADER_CUT_FROM, str(len(value)).encode()))
            value = value[:limit_bytes]
        return self._dead_letters.send(key=message.key, value=value, headers=headers)

    def _document_sends(self, outcomes: Iterable[Outcome]) -> Iterator[Awaitable[Awaitable[Any]]]:
        for outcome in outcomes:
            if isinstance(outcome, Cleaned | Deleted) and outcome.document is not None:
                yield self._send_document(outcome.document)

    def _send_document(self, document: DocumentRecord) -> Awaitable[Awaitable[Any]]:
        return self._documents.send(
            key=document_key(document.site, document.source),
            value=encode_msgpack(document),
            partition=partition_of(document.site, self._config.partitions),
            headers={HEADER_SOURCE_ID: str(document.source).encode()},
        )


def _dead_headers(message: Received, letter: DeadLetter) -> list[tuple[str, bytes]]:
    """The message's own headers, each as often as it came, and what went wrong."""
    ours = letter.headers(
        message.topic,
        message.partition,
        message.offset,
        datetime.now(UTC).isoformat(timespec="milliseconds"),
        __version__,
    )
    theirs = [(name, value) for name, value in message.headers if name not in ours]
    return [*theirs, *ours.items()]
