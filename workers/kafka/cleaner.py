"""The cleaner on Kafka: `pages` in; `cleaned`, `pages.dlq` and `documents` out."""

import asyncio
import logging
import math
import time
from collections import Counter, defaultdict, deque
from collections.abc import Awaitable, Iterable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any

import faust

from schemas.source import Source
from schemas.topics import PAGES, SITE_MODELS
from workers.errors import FeedProblem
from workers.kafka.broker.page_message import page_of_message, passed_on
from workers.kafka.broker.partitioning import partition_of
from workers.kafka.broker.received import Received
from workers.kafka.config import KafkaConfig
from workers.kafka.metrics import BatchTimer, CleanerMetrics
from workers.kafka.outputs import Sending, send_all
from workers.kafka.role import Remainder, Role
from workers.kafka.store_follower import StoreFollower
from workers.log_lines import record_fields
from workers.page import Page, Rejected
from workers.pipeline.actions import Dead, Outcome
from workers.pipeline.page_cleaner import PageCleaner
from workers.processes.messages import PAGES_AT_ONCE
from workers.processes.pool import Pool
from workers.processors import processor_count
from workers.settings import Settings
from workers.state.model_store import ModelStore
from workers.state.rebuildable import remove_set_aside

_WARM_UP_PAGES = 4
"""Made-up pages for each child; their sites are spread over the children by a hash."""
log = logging.getLogger("templ")


class Cleaner(Role):
    """Cleans the pages of each batch."""

    name, input_topic, doing = "cleaner", PAGES, "cleaning"
    prepared = "all site models are read"
    metrics: CleanerMetrics

    def __init__(self, config: KafkaConfig, pool: Pool, models: ModelStore) -> None:
        super().__init__(config)
        self._pool = pool
        self.metrics = CleanerMetrics({"clean": pool})
        self._own_models = config.settings.own_models
        self._models = models
        self._follower = StoreFollower(
            config,
            SITE_MODELS,
            models,
            self._site_settings,
            self.metrics.model_read,
            only_own=self._own_models,
        )
        self._keep_doing("site models", self._follower.run)
        self._cleaner = PageCleaner(
            pool,
            config.settings,
            models=models,
            site_settings=self._site_settings,
            fits_messages=True,
        )
        self._dead_letter_limit = DeadLetterLimit(config.settings)

    def inner_progress(self) -> int:
        """Return how many site models were read and how many tasks the children were given, in all.

        Models are read before the first page, and a batch of pages that are all late takes long.
        """
        return self._follower.taken + self._pool.attempts()

    def _missing(self) -> str:
        return "" if self._follower.ready.is_set() else "site models are being read"

    async def _known(self) -> None:
        await super()._known()
        await self._follower.ready.wait()

    async def _take_down(self, site: str) -> bool:
        was_there = await asyncio.to_thread(self._models.erase, site)
        remove_set_aside(self.config.state)
        await asyncio.wrap_future(self._pool.submit(site, self._pool.forget, site))
        return was_there

    async def _batch(self, events: Sequence[faust.EventT[Any]]) -> Remainder:
        """Clean a batch; each text leaves when it and those of its site before it are cleaned."""
        timer = self.metrics.batch_timer()
        messages = await self._messages(events)
        now_ms = round(time.time() * 1000)
        records = [page_of_message(message, self.config.settings, now_ms) for message in messages]
        self._check_partitions(messages, records)
        await self._known()
        timer.end("receive")
        cleaned = self._cleaned(records)
        sent: list[Awaitable[Any]] = []

        async def send(numbers: Iterable[int]) -> None:
            for number in numbers:
                sending = self._output(messages[number], await cleaned[number])
                sent.append(await sending)

        by_site: defaultdict[str | None, list[int]] = defaultdict(list)
        for number, record in enumerate(records):
            by_site[record.site if isinstance(record, Page) else None].append(number)
        try:
            await asyncio.gather(*map(send, by_site.values()))
        except asyncio.CancelledError:
            for outcome in cleaned:
                outcome.cancel()
            raise
        timer.end("clean")
        outcomes = [outcome.result() for outcome in cleaned]
        return partial(self._store, messages, outcomes, sent, timer)

    async def _store(
        self,
        messages: Sequence[Received],
        outcomes: Sequence[Outcome],
        sent: Iterable[Awaitable[Any]],
        timer: BatchTimer,
    ) -> None:
        """Send the documents of a batch once the broker has stored its texts."""
        timer.resume()
        await asyncio.gather(*sent)
        timer.end("publish")
        documents = [outcome.document for outcome in outcomes if not isinstance(outcome, Dead)]
        await send_all(
            self.outputs.send(document) for document in documents if document is not None
        )
        timer.end("store")
        timestamps = (message.timestamp_ms for message in messages)
        self.metrics.count(zip(timestamps, outcomes, strict=True), timer.total_s())
        self._check_feed(messages, outcomes)

    def warm_up(self) -> None:
        """Clean made-up pages of several sites, since the first page of a child takes it much longer."""
        source, body = Source("warm-up", 0, 0), b"<p>Some words, and then some more of them."
        children, work = self.config.settings.cleaner_children or processor_count(), []
        cleaner = PageCleaner(self._pool, self.config.settings)
        for site in (f"{number}.invalid" for number in range(_WARM_UP_PAGES * children)):
            page = Page(
                source=source, url=f"https://{site}/", site=site, id=site, event_time_ms=0,
                fetched_at=None, body=body,
            )  # fmt: skip
            work.append(self._pool.submit(site, cleaner.clean, page))
        for cleaned in work:
            cleaned.result()

    def _cleaned(self, records: Iterable[Page | Rejected]) -> list[asyncio.Future[Outcome]]:
        """Have pages cleaned on the lanes of their sites; each outcome is there as soon as it is known."""
        outcomes: list[Future[Outcome]] = []
        by_lane: defaultdict[int, list[tuple[Page, Future[Outcome]]]] = defaultdict(list)
        for record in records:
            outcomes.append(Future())
            if isinstance(record, Page):
                by_lane[self._pool.lane_number(record.site)].append((record, outcomes[-1]))
            else:
                outcomes[-1].set_result(Dead(page=record, letter=record.letter))
        for waiting in by_lane.values():
            self._pool.submit(waiting[0][0].site, self._clean, waiting)
        return [asyncio.wrap_future(outcome) for outcome in outcomes]

    def _clean(self, waiting: Sequence[tuple[Page, "Future[Outcome]"]]) -> None:
        """Clean the pages of a lane; where it has few they go one by one, so that the first texts leave early."""
        pages = [page for page, _ in waiting]
        at_once = min(PAGES_AT_ONCE, math.ceil(len(pages) / PAGES_AT_ONCE))
        try:
            for number, outcome in self._cleaner.each_cleaned(pages, at_once):
                _settle(waiting[number][1], outcome)
                if all(future.done() for _, future in waiting):  # nobody waits for the others
                    return
        except BaseException as error:  # noqa: BLE001 - whoever waits for the pages raises it
            for _, future in waiting:
                _settle(future, error)

    def _output(self, message: Received, outcome: Outcome) -> Sending:
        if isinstance(outcome, Dead):
            letter = outcome.letter
            log.warning(
                "%s is a dead letter: %s: %s",
                *(message.source, letter.exception, letter.message),
                extra=record_fields(message.source, message.headers, outcome.site),
            )
            return self.outputs.send_dead_letter(message, letter)
        headers, _ = passed_on(message.headers, self.config.settings.header_bytes_max)
        return self.outputs.send(outcome.record, headers)

    def _check_feed(self, messages: Iterable[Received], outcomes: Iterable[Outcome]) -> None:
        """Raise `FeedProblem` when too many pages are dead letters; those so far are stored."""
        limit = self._dead_letter_limit
        for message, outcome in zip(messages, outcomes, strict=True):
            if not isinstance(outcome, Dead):
                limit.exceeded_by(outcome.record.site, is_dead=False)
            elif excess := limit.exceeded_by(outcome.site, is_dead=True):
                letter = outcome.letter
                raise FeedProblem(
                    f"{excess}, the last one {message.source} "
                    f"({letter.exception}: {letter.message}); the worker stops: mend the feed, or "
                    "raise the limit"
                )

    def _check_partitions(
        self, messages: Iterable[Received], records: Iterable[Page | Rejected]
    ) -> None:
        """Keep the models of all partitions once a page comes in another partition than its site's model."""
        if not self._own_models:
            return
        for message, record in zip(messages, records, strict=True):
            if isinstance(record, Rejected):
                continue
            number = partition_of(record.site, self.config.partitions)
            if number != message.partition:
                self._own_models = False
                log.warning(
                    "%s-%s has a page of %s, whose site model is on partition %s: all site models "
                    "are kept from now on; key pages by site, with murmur2",
                    *(message.topic, message.partition, record.site, number),
                    extra=record_fields(message.source, message.headers, record.site),
                )
                self._follower.follow(range(self.config.partitions))
                return

    async def _assigned(self, _app: Any, assigned: Any, **_: Any) -> None:
        if self._own_models:
            self._follower.follow(tp.partition for tp in assigned)


def _settle(waiting: "Future[Outcome]", result: Outcome | BaseException) -> None:
    """Set the outcome of a page, or the error in place of one, unless the future was cancelled."""
    if not waiting.done() and waiting.set_running_or_notify_cancel():
        if isinstance(result, BaseException):
            waiting.set_exception(result)
        else:
            waiting.set_result(result)


class DeadLetterLimit:
    """Counts dead letters among the latest pages, to separate a feed that is wrong as a whole from single pages and sites.

    The dead letters of the site that has most of them do not count as long as pages of other sites are cleaned: they
    are the fault of that site, and other sites must not wait for it.
    """

    def __init__(self, settings: Settings) -> None:
        self._run_max = settings.dead_letters_run_max
        self._ratio_max = settings.dead_letters_ratio_max
        self._run: Counter[str | None] = Counter()
        self._latest: deque[tuple[str | None, bool]] = deque(
            maxlen=settings.dead_letters_ratio_pages
        )
        self._dead: Counter[str | None] = Counter()
        self._cleaned: deque[str | None] = deque(maxlen=2)
        """The two sites whose pages were cleaned last."""

    def exceeded_by(self, site: str | None = None, *, is_dead: bool) -> str | None:
        """Count one more page of a site; say in words how many dead letters exceed which setting, or return None within limits."""
        if not is_dead:
            self._run.clear()
            if site not in self._cleaned:
                self._cleaned.append(site)
        if len(self._latest) == self._latest.maxlen:
            left, was_dead = self._latest[0]
            self._dead[left] -= was_dead
        self._latest.append((site, is_dead))
        if not is_dead:
            return None
        self._dead[site] += 1
        self._run[site] += 1
        run, dead, pages = self._counted(self._run), self._counted(self._dead), len(self._latest)
        if 0 < self._run_max <= run:
            return f"{run} pages in a row are dead letters (TEMPL_DEAD_LETTERS_RUN_MAX)"
        if pages == self._latest.maxlen and dead > self._ratio_max * pages:
            return (
                f"{dead} of the latest {pages} pages are dead letters "
                "(TEMPL_DEAD_LETTERS_RATIO_MAX)"
            )
        return None

    def _counted(self, dead: Counter[str | None]) -> int:
        """Return how many dead letters count against the feed."""
        of_sites = [(count, site) for site, count in dead.items() if site is not None]
        count, worst = max(of_sites, default=(0, None))
        has_neighbours = any(site != worst for site in self._cleaned)
        return dead.total() - (count if has_neighbours else 0)
