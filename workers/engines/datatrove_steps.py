"""Steps of a datatrove pipeline: pages go into buckets by site, then each bucket is cleaned.

datatrove has no step that groups documents. So a first pipeline writes the pages into buckets, in each of
which the pages of its sites are whole, and a second one cleans a bucket for each task:

    [WarcReader(...), SiteBuckets(1000), JsonlWriter("buckets/", output_filename="${bucket}.jsonl.gz")]
    [JsonlReader("buckets/"), TemplCleaner(), JsonlWriter("cleaned/")]
"""

import zlib
from collections import deque
from collections.abc import Iterable, Iterator
from functools import cache
from sys import getsizeof
from typing import Any

import zstandard

from templ_core import CleanerOptions, CrawledPage, SampleBounds, SiteCleaner, clean_crawl
from templ_core.encodable import encodable
from templ_core.errors import PageError
from templ_core.site_key import site_key

try:
    from datatrove.data import Document, DocumentsPipeline
    from datatrove.pipeline.base import PipelineStep
    from datatrove.pipeline.extractors.base import BaseExtractor
    from datatrove.pipeline.writers.disk_base import DiskWriter
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"the steps for datatrove need {error.name}, which is not installed: install templ-worker with its "
        "extra `datatrove`",
        name=error.name,
    ) from None

_OPTIONS = CleanerOptions(with_links=True, with_quality=True)
_UNKNOWN_URL = "https://unknown.invalid/"


class SiteBuckets(PipelineStep):  # type: ignore[misc]
    """Notes the site of each document and a bucket, which is the same for all pages of a site.

    The HTML of a bucket is held in memory when the bucket is cleaned. So the memory that a task may have
    decides how many buckets a crawl needs.
    """

    type = "🪣 - BUCKET"
    name = "templ: buckets by site"

    def __init__(self, buckets: int) -> None:
        """Set the number of buckets."""
        super().__init__()
        self.buckets = buckets

    def run(
        self,
        data: DocumentsPipeline,
        rank: int = 0,  # noqa: ARG002 - datatrove's signature
        world_size: int = 1,  # noqa: ARG002
    ) -> DocumentsPipeline:
        """Yield each document with `site` and `bucket` in its metadata; `url` must be there."""
        for document in data:
            site = _named(document)
            document.metadata["bucket"] = f"{zlib.crc32(site.encode()) % self.buckets:05}"
            self.stat_update("documents")
            yield document


class TemplCleaner(PipelineStep):  # type: ignore[misc]
    """Replaces the HTML of documents by its clean text, each with what the pages of its site share.

    Documents have `url` in their metadata, and optionally `site`, `content_type` and `status`. They leave site
    by site, with title, method, confidence, page type, language, Markdown, fingerprint, and whether they have
    content, in their metadata.
    """

    type = "🧹 - CLEAN"
    name = "templ: clean by site"

    def __init__(
        self,
        exclusion_writer: DiskWriter | None = None,
        sample: SampleBounds | None = None,
        plain_bytes_max: int = 256 << 20,
    ) -> None:
        """Set what happens beside the cleaning.

        Args:
            exclusion_writer: Writer of documents that cannot be cleaned or have no text, which are dropped;
                their metadata has the reason in `templ_error`.
            sample: How many pages of a site are learned from before the first one is cleaned.
            plain_bytes_max: Most bytes of HTML of a bucket that are held as they are. What comes behind them
                is held compressed, to about a fifth, which costs some processor time.
        """
        super().__init__()
        self.exclusion_writer = exclusion_writer
        self.sample = sample
        self.plain_bytes_max = plain_bytes_max

    def run(
        self,
        data: DocumentsPipeline,
        rank: int = 0,
        world_size: int = 1,  # noqa: ARG002 - datatrove's signature
    ) -> DocumentsPipeline:
        """Yield the documents that have a text, site by site."""
        for document in self._cleaned(_by_site(data, self.plain_bytes_max)):
            if "templ_error" not in document.metadata:
                self.stat_update("forwarded")
                self.update_doc_stats(document)
                yield document
            else:
                self.stat_update("dropped")
                if self.exclusion_writer is not None:
                    self.exclusion_writer.write(document, rank)
        if self.exclusion_writer is not None:
            self.exclusion_writer.close()

    def _cleaned(self, documents: Iterable[Document]) -> Iterator[Document]:
        waiting: deque[Document] = deque()

        def pages() -> Iterator[CrawledPage]:
            for document in documents:
                waiting.append(document)
                known = document.metadata
                yield CrawledPage(
                    document.text,
                    known["url"],
                    known["site"],
                    known.get("content_type"),
                    int(known.get("status", 200)),
                )

        outcomes = clean_crawl(pages(), _OPTIONS, self.sample)
        while True:
            with self.track_time():
                outcome = next(outcomes, None)
            if outcome is None:
                return
            _, cleaned = outcome
            yield _with_text(waiting.popleft(), cleaned)


class TemplExtractor(BaseExtractor):  # type: ignore[misc]
    """Replaces the HTML of a single page by its clean text, without knowing its site."""

    name = "🧹 templ: clean page by page"

    def __init__(self, timeout: float = 30) -> None:
        """Set the longest time for a page in seconds; the first one waits until the page model is read."""
        super().__init__(timeout)

    def extract(self, text: str) -> str:
        """Return the clean text of HTML; it is empty where the page cannot be cleaned."""
        try:
            return _page_cleaner().clean(text, _UNKNOWN_URL, learns=False).text
        except PageError:
            return ""


@cache
def _page_cleaner() -> SiteCleaner:
    return SiteCleaner()


def _named(document: Document) -> str:
    """Note the site of a document, and return it; its names can be written as UTF-8 from now on."""
    known = document.metadata
    for name in ("url", "site", "content_type"):
        if isinstance(known.get(name), str):
            known[name] = encodable(known[name])
    site: str = known.setdefault("site", site_key(known["url"]))
    return site


def _by_site(documents: Iterable[Document], plain_bytes_max: int) -> Iterator[Document]:
    """Yield documents site by site; until then their HTML is held, compressed behind the first bytes."""
    compressor = zstandard.ZstdCompressor(level=1)
    room_bytes = plain_bytes_max
    sites: dict[str, list[tuple[Document, bytes | None]]] = {}
    for document in documents:
        site = _named(document)
        html = None
        room_bytes -= getsizeof(document.text)
        if room_bytes < 0:
            html = compressor.compress(document.text.encode("utf-8", "surrogatepass"))
            document.text = ""
        sites.setdefault(site, []).append((document, html))
    for site in list(sites):
        for document, html in sites.pop(site):
            if html is not None:
                document.text = zstandard.decompress(html).decode("utf-8", "surrogatepass")
            yield document


def _with_text(document: Document, cleaned: Any) -> Document:
    """Return a document with its clean text, or with the HTML and the reason why there is no text."""
    if isinstance(cleaned, PageError):
        document.metadata["templ_error"] = f"{type(cleaned).__name__}: {cleaned}"
    elif not cleaned.text:
        document.metadata["templ_error"] = "empty"
    if "templ_error" in document.metadata:
        document.text = encodable(document.text)
        return document
    document.text = cleaned.text
    document.metadata |= {
        "title": cleaned.title,
        "templ_method": cleaned.method,
        "templ_confidence": cleaned.confidence,
        "page_type": cleaned.page_type,
        "language": cleaned.metadata.language,
        "markdown": cleaned.markdown(),
        "has_content": bool(cleaned.quality and cleaned.quality.has_content),
        "templ_fingerprint": cleaned.fingerprint,
    }
    return document
