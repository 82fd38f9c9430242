"""The Scrapy spider of `templ crawl`: asks what the queue of sites says, and keeps what is answered."""

import asyncio
import logging
import time
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import msgspec
from scrapy import Request, Spider, signals
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.exceptions import CloseSpider, DownloadCancelledError, IgnoreRequest, StopDownload
from scrapy.http import Headers, Response
from twisted.python.failure import Failure

from schemas.source import Source
from templ_core.times import rfc3339
from workers.crawl.addresses import is_askable
from workers.crawl.answers import may_be_read
from workers.crawl.config import CrawlConfig
from workers.crawl.crawl_files import (
    CrawlStore,
    StoreKinds,
    files_of_crawl,
    header_list,
    warc_digest,
    warc_records,
)
from workers.crawl.download import scrapy_settings
from workers.crawl.frontier import (
    NEW_LINKED,
    NEW_LISTING,
    SEED_MOVES,
    CrawlFrontier,
    DueAddress,
    FoundAddress,
    PageState,
    found_addresses,
)
from workers.crawl.reading import AnswerReader, ReadAnswer, ReadRobots
from workers.crawl.robots import ROBOTS_BYTES_MAX, robots_of_answer
from workers.crawl.site_queue import Question, RobotsQuestion, SiteQueue
from workers.crawl.visits import (
    NO_ANSWER,
    NOT_MODIFIED,
    AddressAnswer,
    rare_visit,
    retry_after_s,
    visit_result,
)
from workers.errors import StateProblem
from workers.page import GONE_STATUSES, Page

if TYPE_CHECKING:  # It needs aiokafka.
    from workers.kafka.broker.feeder import Feeder

log = logging.getLogger("templ")
_PAGE_STATUSES = frozenset([200, NOT_MODIFIED, *GONE_STATUSES])
"""Statuses of answers that are kept beside pages in the archive."""
_ADDED_AT_ONCE = 200
"""Addresses that are added in a row, in about 10 ms; then other sites have their turn."""


class CrawlRun(msgspec.Struct, kw_only=True):
    """What a run of the crawler works with, and its outcome."""

    config: CrawlConfig
    frontier: CrawlFrontier
    store: CrawlStore
    output: "Feeder | None" = None
    """Sends pages besides the files; None = pages are only kept."""
    counts: Counter[str] = msgspec.field(default_factory=Counter)
    """Number of requests by outcome, of pages that were sent, and of addresses not requested."""
    problem: Exception | None = None
    """Why the run ended early."""


class SiteSpider(Spider):
    """A spider that follows a frontier on disk, and one request at a time for each site."""

    name = "templ"

    def __init__(self, run: CrawlRun) -> None:
        super().__init__()
        self._run = run
        self._queue = SiteQueue(run.frontier, run.config)
        self._sites = run.frontier.sites()
        self._changed = asyncio.Event()
        self._exits = AsyncExitStack()
        self._reader = AnswerReader(run.config.read_deadline_s)

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Make a spider, as Scrapy asks for."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.check_type, signals.headers_received)
        crawler.signals.connect(spider.cut_robots, signals.bytes_received)
        crawler.signals.connect(spider.end, signals.spider_closed)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        """Yield requests as the delays of sites allow, until nothing is due any more."""
        try:
            if self._run.output is not None:
                await self._exits.enter_async_context(self._run.output)
            while self._run.problem is None:
                while (question := self._queue.take()) is not None:
                    yield self._request(question)
                ready_s = self._queue.next_ready_s()
                if ready_s is None and not self._queue.is_busy:
                    break
                self._changed.clear()
                try:
                    await asyncio.wait_for(self._changed.wait(), ready_s)
                except TimeoutError:
                    continue
        except Exception as problem:
            self._run.problem = problem
            raise CloseSpider("problem") from problem

    async def end(self) -> None:
        """Disconnect when the spider is closed."""
        self._run.counts["not allowed by robots.txt"] = self._queue.refused_count
        self._run.counts["of too many hosts"] = self._queue.surplus_count
        await asyncio.to_thread(self._reader.close)
        await self._exits.aclose()

    def check_type(self, headers: Headers, request: Request) -> None:
        """Stop an answer whose type is not read.

        Raises:
            StopDownload: The answer is neither a page nor a feed nor a sitemap.
        """
        content_type = (headers.get("Content-Type") or b"").decode("latin-1")
        if isinstance(request.meta["question"], DueAddress) and not may_be_read(content_type):
            raise StopDownload(fail=True)

    def cut_robots(self, data: bytes, request: Request) -> None:
        """Stop a robots.txt, which may be endless, where nothing more of it is read.

        Raises:
            StopDownload: Enough has come; the beginning is the answer.
        """
        if isinstance(request.meta["question"], RobotsQuestion):
            request.meta["bytes"] = request.meta.get("bytes", 0) + len(data)
            if request.meta["bytes"] >= ROBOTS_BYTES_MAX:
                raise StopDownload(fail=False)

    async def answered(self, response: Response) -> None:
        """Store an answer, and put its site into the queue again."""
        await self._finish(response.meta["question"], response)

    async def failed(self, failure: Failure) -> None:
        """Deal with a request that brought no answer that can be read.

        The type of an answer says nothing where its status is not 200: an error in JSON is an error.
        """
        question = failure.request.meta["question"]  # type: ignore[attr-defined]
        stopped = failure.value.response if isinstance(failure.value, StopDownload) else None
        if stopped is not None and stopped.status != 200:
            await self._finish(question, stopped)
        elif isinstance(failure.value, (StopDownload, DownloadCancelledError, IgnoreRequest)):
            await self._finish(question, failure.value)
        else:
            log.debug("%s: %s", question.url, failure.value)
            await self._finish(question, None)

    def _request(self, question: Question) -> Request:
        headers = {}
        if isinstance(question, DueAddress):
            given = {
                "If-None-Match": question.state.etag,
                "If-Modified-Since": question.state.last_modified,
            }
            headers = {name: value for name, value in given.items() if value}
        return Request(
            question.url,
            callback=self.answered,
            errback=self.failed,
            headers=headers,
            dont_filter=True,
            meta={"question": question, "download_slot": question.site},
        )

    async def _finish(self, question: Question, answer: Response | Exception | None) -> None:
        """Deal with what a question brought, unless a problem has ended the run.

        After a problem, the files may end with a part of a record, which the next run cuts off. Nothing may
        be written behind it, so what was still under way is requested again.
        """
        if self._run.problem is not None:
            return
        config = self._run.config
        slot = self.crawler.engine.downloader.slots.get(question.site)
        rest_s = _rest_s(answer)
        pause = max(config.delay_s, slot.delay if slot is not None else 0.0, rest_s)
        try:
            if rest_s:
                self._run.frontier.let_rest(question.site, time.time() + rest_s)
            if isinstance(question, RobotsQuestion):
                response = answer if isinstance(answer, Response) else None
                await self._keep_robots(question, response, pause)
            elif isinstance(answer, Exception):
                self._set_aside(question, answer)
            else:
                await self._keep(question, await self._answer(answer), answer)
        except Exception as problem:
            self._run.problem = problem
            raise CloseSpider("problem") from problem
        finally:
            self._queue.release(question.site, pause)
            self._changed.set()

    async def _keep_robots(
        self, question: RobotsQuestion, response: Response | None, pause: float
    ) -> None:
        """Keep a host's rules, and the sitemaps that they name.

        The pause is that of the site in seconds: requests to its other hosts come before a host that
        has failed.
        """
        run, now = self._run, time.time()
        run.counts["robots.txt"] += 1
        location = _location(response)
        if location is not None and self._queue.redirect(question, location):
            return
        status, file, records = NO_ANSWER, None, b""
        if response is not None:
            status = response.status
            if 200 <= status < 300:
                body = response.body[:ROBOTS_BYTES_MAX]
                file = await self._reader.robots(ReadRobots(response.url, body))
            records = await self._records(response, uuid.uuid4().urn, _warc_date(now))
        sitemaps = dict.fromkeys(file.sitemaps if file is not None else (), NEW_LISTING)
        await self._add(found_addresses(sitemaps), now, depth=1)
        if run.problem is not None:
            return
        with run.frontier.transaction():
            run.store.keep_exchange(records, is_page=False)
            for host in question.hosts:
                stored = robots_of_answer(host, status, file, now + run.config.robots_age_s)
                if not stored.is_reachable:
                    answer = "no answer" if status == NO_ANSWER else f"status {status}"
                    log.warning(
                        "http://%s/robots.txt cannot be read (%s): nothing is fetched from this host",
                        host,
                        answer,
                    )
                    later = now + pause + run.config.robots_retry_s
                    stored = msgspec.structs.replace(stored, expires_at=later)
                self._queue.keep_robots(stored)
            run.frontier.keep_file_lengths(run.store.lengths())

    async def _records(self, response: Response, *about: Any) -> bytes:
        """Return the WARC records of an answer; nothing where there is no archive."""
        if not self._run.store.keeps_exchanges:
            return b""
        return await asyncio.to_thread(warc_records, response, *about)

    async def _add(
        self, addresses: Iterable[FoundAddress], now: float, *, depth: int, moves: int = 0
    ) -> None:
        """Add addresses of sites that may be crawled, unless they are too deep.

        They are added before the answer that names them is done. If the crawl is killed in between, the
        answer is asked for again, and names what is known.
        """
        if depth > self._run.config.depth_max:
            return
        rest = iter(addresses)
        while self._run.problem is None and (some := list(islice(rest, _ADDED_AT_ONCE))):
            own = [address for address in some if address.site in self._sites]
            with self._run.frontier.transaction():
                sites = self._run.frontier.add(own, now, depth=depth, moves=moves)
            self._queue.found(sites)
            await asyncio.sleep(0)

    def _set_aside(self, address: DueAddress, reason: Exception) -> None:
        """Leave an address alone whose answer is of another type, or too large."""
        is_type = isinstance(reason, StopDownload)
        self._run.counts["other types" if is_type else "too large"] += 1
        now = time.time()
        self._run.frontier.asked(
            address, rare_visit(address, now, self._run.config, address.state), now
        )

    async def _answer(self, response: Response | None) -> AddressAnswer:
        if response is None:
            return AddressAnswer(status=NO_ANSWER, headers={})
        pairs = reversed(header_list(response.headers))
        headers, content = {name.lower(): value for name, value in pairs}, None
        if response.status == 200:
            kind = (response.headers.get("Content-Type") or b"").decode("latin-1")
            most = self._run.config.page_bytes_max
            task = ReadAnswer(response.url, response.body, kind, bytes_max=most)
            content = await self._reader.answer(task)
        return AddressAnswer(
            status=response.status,
            headers=headers,
            location=_location(response),
            content=content,
            warc_digest=warc_digest(response.body),
            date=_warc_date(time.time()),
        )

    async def _keep(
        self, address: DueAddress, answer: AddressAnswer, response: Response | None
    ) -> None:
        """Send and write what an answer brought; only then is its address done."""
        run, now = self._run, time.time()
        result = visit_result(address, answer, now, run.config)
        page, records = _page(address, answer, response, now), b""
        if response is not None:
            same_as = _same_as(address.state, answer)
            records = await self._records(response, page.id, answer.date, same_as)
        await self._add_named(address, answer, now)
        if self._run.problem is not None:
            return
        run.counts[result.outcome] += 1
        if result.sends_page or result.sends_end:
            refused = await run.output.send_surely(page) if run.output is not None else None
            if refused is not None:
                log.warning("%s", refused.message)
            run.counts["deletion" if result.sends_end else "sent"] += refused is None
            if run.problem is not None:  # it has ended the run while the page was sent
                return
        with run.frontier.transaction():
            if result.sends_page or result.sends_end:
                run.store.keep_page(page)
            if result.keeps_feed:
                run.store.keep_feed(page)
            is_page = answer.content is None or answer.content.kind == "page"
            is_page = is_page and answer.status in _PAGE_STATUSES
            run.store.keep_exchange(records, is_page=is_page)
            run.frontier.asked(address, result.next_visit, now)
            run.frontier.keep_file_lengths(run.store.lengths())

    async def _add_named(self, address: DueAddress, answer: AddressAnswer, now: float) -> None:
        if answer.location is not None:
            rank = NEW_LISTING if address.is_listing else NEW_LINKED
            addresses = list(found_addresses({answer.location: rank}))
            for moved in addresses if address.moves else ():
                self._run.frontier.add_site(moved.site)  # a seed that has moved
                self._sites.add(moved.site)
            moves = max(address.moves - 1, 0)
            depth = address.depth + (not address.moves)
            await self._add(addresses, now, depth=depth, moves=moves)
        if answer.content is not None:
            depth = 1 if answer.content.is_list else address.depth + 1
            await self._add(answer.content.links, now, depth=depth)


def _same_as(state: PageState, answer: AddressAnswer) -> tuple[str, str] | None:
    """Return digest and date of the earlier answer with the body of this one, which is not archived twice."""
    is_same = answer.status == NOT_MODIFIED or answer.warc_digest == state.warc_digest
    if is_same and state.warc_digest and state.warc_date:
        return state.warc_digest, state.warc_date
    return None


def _page(
    address: DueAddress, answer: AddressAnswer, response: Response | None, now: float
) -> Page:
    time_ms = round(now * 1000)
    return Page(
        source=Source("crawl", 0, 0),
        url=response.url if response is not None else address.url,
        site=address.site,
        id=uuid.uuid4().urn,
        event_time_ms=time_ms,
        fetched_at=rfc3339(time_ms),
        content_type=answer.headers.get("content-type"),
        status=answer.status,
        body=response.body if response is not None and answer.status == 200 else None,
    )


def _location(response: Response | None) -> str | None:
    """Return the absolute target of a redirect, or None if there is none that may be requested."""
    if response is None or not 300 <= response.status < 400:
        return None
    said = (response.headers.get("Location") or b"").decode("utf-8", "replace").strip()
    try:
        target = response.urljoin(said).partition("#")[0] if said else ""
    except ValueError:
        return None
    return target if is_askable(target) else None


def _rest_s(answer: Response | Exception | None) -> float:
    if not isinstance(answer, Response):
        return 0.0
    said = (answer.headers.get("Retry-After") or b"").decode("latin-1")
    return retry_after_s(answer.status, said, time.time())


def _warc_date(now: float) -> str:
    return datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def crawl(
    directory: Path,
    seeds: Iterable[str],
    config: CrawlConfig,
    kinds: StoreKinds,
    output: "Feeder | None" = None,
) -> Counter[str]:
    """Crawl the sites of some seeds, and return how many requests had which outcome.

    A crawl that the directory holds is gone on with. A process can do this once only, because Twisted's reactor
    cannot be started again. The seeds are absolute http addresses; the output gets pages besides the files.

    Raises:
        StateProblem: Another crawl uses the directory, it was written by another version, or it has the
            files of a crawl without their frontier, so that they would be overwritten.
        WorkerError: Something else that a person has to solve ended the crawl.
    """
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / "frontier.db"
    if not path.exists() and (left := files_of_crawl(directory)):
        raise StateProblem(
            f"{left[0]} is of an earlier crawl whose frontier.db is not there: move its files away, or "
            "name another directory"
        )
    with CrawlFrontier(path) as frontier:
        with frontier.transaction():
            addresses = list(found_addresses(dict.fromkeys(seeds, NEW_LISTING)))
            for seed in addresses:
                frontier.add_site(seed.site)
            frontier.add(addresses, time.time(), depth=0, moves=SEED_MOVES)
        store = CrawlStore(directory, frontier.file_lengths(), kinds, config.contact)
        run = CrawlRun(config=config, frontier=frontier, store=store, output=output)
        try:
            process = _crawler_process(config)
            process.crawl(SiteSpider, run=run)
            process.start()
        finally:
            store.close()
        if run.problem is not None:
            raise run.problem
        return run.counts


def _crawler_process(config: CrawlConfig) -> AsyncCrawlerProcess:
    """Return Scrapy's process, which sets its own log level and logs its versions when it is made."""
    logging.disable(logging.WARNING)
    try:
        return AsyncCrawlerProcess(scrapy_settings(config))
    finally:
        logging.disable(logging.NOTSET)
        logging.getLogger("scrapy").setLevel(logging.ERROR)
