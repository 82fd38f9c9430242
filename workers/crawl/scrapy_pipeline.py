"""An item pipeline for people who have a Scrapy project of their own."""

import time
import uuid
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem, NotConfigured
from scrapy.http import Response

from schemas.source import Source
from templ_core.site_key import site_key
from templ_core.times import parse_time_ms, rfc3339
from workers.crawl.crawl_files import PageLines
from workers.page import Page
from workers.settings import load_settings

if TYPE_CHECKING:
    from workers.kafka.broker.feeder import Feeder

KAFKA = "kafka"


class TemplPipeline:
    """A Scrapy item pipeline that sends pages to the topic `pages`, or to a JSON Lines file.

    The setting `TEMPL_PAGES` of the Scrapy project is `kafka` or the name of a file; the broker and the
    prefix are those of `templ`'s own settings (`TEMPL_BROKER`). An item has `response`, or `url` and
    `body`; `status`, `content_type`, `fetched_at`, `site` and `id` are optional. Items without these
    fields pass unchanged. An item is passed on once the broker has acknowledged its page.
    """

    def __init__(self, target: "Feeder | _PageFile") -> None:
        self._target = target
        self._exits = AsyncExitStack()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the pipeline from the settings of a Scrapy project.

        Raises:
            NotConfigured: `TEMPL_PAGES` is missing, or the broker is.
        """
        wanted = crawler.settings.get("TEMPL_PAGES")
        if not wanted:
            raise NotConfigured("TEMPL_PAGES must be `kafka` or the name of a file")
        if wanted != KAFKA:
            return cls(_PageFile(Path(wanted)))
        from workers.kafka.broker.access import BrokerAccess  # noqa: PLC0415 - needs aiokafka
        from workers.kafka.broker.feeder import Feeder  # noqa: PLC0415

        settings = load_settings()
        if settings.broker is None:
            raise NotConfigured("TEMPL_PAGES = kafka needs TEMPL_BROKER")
        access = BrokerAccess.of(settings.broker, settings, settings.prefix)
        return cls(Feeder(access, settings.message_limit_bytes))

    async def open_spider(self) -> None:
        """Connect."""
        await self._exits.enter_async_context(self._target)

    async def close_spider(self) -> None:
        """Disconnect."""
        await self._exits.aclose()

    async def process_item(self, item: Any) -> Any:
        """Send the page of an item, and return the item.

        Raises:
            DropItem: The page is too large for a Kafka message.
        """
        page = page_of_item(ItemAdapter(item))
        refused = await self._target.send_surely(page) if page is not None else None
        if refused is not None:
            raise DropItem(refused.message)
        return item


class _PageFile:
    """A JSON Lines file that grows from run to run."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def __aenter__(self) -> None:
        size = self._path.stat().st_size if self._path.exists() else 0
        self._file = PageLines(self._path, {self._path.name: size})

    async def __aexit__(self, *_: object) -> None:
        self._file.close()

    async def send_surely(self, page: Page) -> None:
        self._file.add(page)


def page_of_item(item: ItemAdapter) -> Page | None:
    """Return the page that an item holds, or None for an item without one.

    >>> page_of_item(ItemAdapter({"url": "http://a.example/", "body": "<p>Hi"})).body
    b'<p>Hi'
    """
    response, charset = item.get("response"), None
    url: object
    body: object
    if isinstance(response, Response):
        url, body, status = response.url, response.body, response.status
        content_type = (response.headers.get("Content-Type") or b"").decode("latin-1") or None
    else:
        url, body, status = item.get("url"), item.get("body"), item.get("status") or 200
        content_type = item.get("content_type")
    if isinstance(body, str):
        body, charset = body.encode("utf-8", "replace"), "utf-8"
    if not isinstance(url, str) or not isinstance(body, bytes):
        return None
    said_ms = parse_time_ms(item.get("fetched_at"))
    time_ms = round(time.time() * 1000) if said_ms is None else said_ms
    return Page(
        source=Source("crawl", 0, 0),
        url=url,
        site=item.get("site") or site_key(url),
        id=item.get("id") or uuid.uuid4().urn,
        event_time_ms=time_ms,
        fetched_at=rfc3339(time_ms),
        content_type=content_type,
        charset=charset,
        status=status,
        body=body,
    )
