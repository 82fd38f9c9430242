"""What is known about one site: its window and its model, and how they are stored."""

from collections.abc import Iterator, Sequence
from typing import Annotated

import msgspec

from templ_core.config import CoreConfig, WindowBounds
from templ_core.decide import Decision
from templ_core.dom.codec import decode_document
from templ_core.errors import CodecError
from templ_core.page_level.model.page_model import PageModel
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.site_model_file import decode_site_model, fitting_part
from templ_core.site_level.window.page_summary import (
    PageSummary,
    decode_page_summary,
    summarise_page,
)
from templ_core.site_level.window.site_cache import SiteCache
from templ_core.site_level.window.site_history import SiteHistory, document_fetch
from templ_core.site_level.window.site_learner import LEARNED_PAGES_MAX, SiteLearner
from templ_core.site_level.window.site_window import Left, SiteWindow, WindowFetch, url_hash
from templ_core.stored.compact import CompactColumns, CompactForm, Count

_SITE_BYTES_MAX = 1 << 30
"""Largest stored form of a site; a window of documents of 64 MiB has summaries beside them."""
_LATEST_MAX = 100
"""Most latest documents that are stored with how much was known of their design, and with their new runs."""


TimeMs = Annotated[int, msgspec.Meta(ge=-(1 << 62), le=1 << 62)]


class WindowDocument(msgspec.Struct, frozen=True, array_like=True):
    """A document of a window, with its page summary."""

    time_ms: TimeMs
    """Time of the fetch in Unix milliseconds."""
    page_id: str
    """Name of this fetch of the page."""
    url: str
    content_digest: bytes
    body: bytes
    """The document in compact form."""
    summary: bytes
    """Its page summary in compact form."""


class LearnedSite:
    """What is known about one site; it lasts, while what is in `SitesInMemory` can be made again."""

    def __init__(
        self,
        key: str,
        documents: Sequence[WindowDocument] = (),
        deletions: Sequence[tuple[str, int]] = (),
    ) -> None:
        """Start with what the window held before: documents, and deleted URLs with their times."""
        self.key = key
        self._documents = {url_hash(document.url): document for document in documents}
        self._deleted_urls = {url_hash(url): url for url, _ in deletions}
        self._window = SiteWindow(
            map(_fetch_of, self._documents.values()),
            {url_hash(url): time_ms for url, time_ms in deletions},
        )
        self.history = SiteHistory()
        self.model = b""
        """The site model in compact form; empty before the first fit."""
        self.has_changed = True
        """Whether there is something that was not saved."""

    @property
    def documents(self) -> list[WindowDocument]:
        """The documents of the window, in its order."""
        return [self._documents[fetch.url_hash] for fetch in self._window]

    @property
    def deletions(self) -> list[tuple[str, int]]:
        """The URLs that were deleted lately, each with the time of its deletion in milliseconds."""
        return [(self._deleted_urls[one], ms) for one, ms in self._window.deletions.items()]

    @property
    def is_due(self) -> bool:
        """Whether the schedule asks for a new site model."""
        return self.history.is_due(len(self._window))

    def enter(self, document: WindowDocument, decision: Decision, bounds: WindowBounds) -> bool:
        """Add a document with what was decided of it to the window, and return whether it has entered."""
        fetch = _fetch_of(document)
        left = self.history.enter(
            self._window, fetch, decision.place_pages, decision.new_runs, bounds
        )
        if left is None:
            return False
        self._drop(left)
        if fetch in self._window:
            self._documents[fetch.url_hash] = document
        self.has_changed = True
        return True

    def forget(self, url: str, time_ms: int, bounds: WindowBounds) -> None:
        """Remove what was fetched from a URL up to a time; older fetches do not enter again."""
        hashed = url_hash(url)
        left = self._window.delete(hashed, time_ms, bounds)
        if left is not None:
            self._deleted_urls[hashed] = url
            self._drop(left)
            self.has_changed = True

    def _drop(self, left: Left) -> None:
        for fetch in left.fetches:
            del self._documents[fetch.url_hash]
        for hashed in left.deletions:
            del self._deleted_urls[hashed]


def _fetch_of(document: WindowDocument) -> WindowFetch:
    return document_fetch(document.url, document.time_ms, document.content_digest, document.body)


class _Compact2(CompactColumns, frozen=True, array_like=True):
    """The columns of format 2."""

    key: str
    documents: list[WindowDocument]
    deletions: list[tuple[str, TimeMs]]
    learned: Count
    fitted_at: Count
    model: bytes
    place_pages: Annotated[list[Count | None], msgspec.Meta(max_length=_LATEST_MAX)]


class _Compact(_Compact2, frozen=True, array_like=True):
    new_runs: Annotated[list[bytes], msgspec.Meta(max_length=_LATEST_MAX)]


class _Compact1(CompactColumns, frozen=True, array_like=True):
    """The columns of format 1, whose templates are not read: the model has those of its window."""

    key: str
    documents: list[WindowDocument]
    deletions: list[tuple[str, TimeMs]]
    learned: Count
    fitted_at: Count
    templates_at: Count
    templates: bytes
    model: bytes


_FORM: CompactForm[_Compact2 | _Compact1] = CompactForm(
    "learned site",
    3,
    _Compact,
    level=1,
    max_bytes=_SITE_BYTES_MAX,
    earlier={1: _Compact1, 2: _Compact2},
)


def encode_site(site: LearnedSite) -> bytes:
    """Return all that is known about a site in compact form."""
    return _FORM.encode(
        _Compact(
            format=_FORM.format,
            key=site.key,
            documents=site.documents,
            deletions=site.deletions,
            learned=site.history.learned,
            fitted_at=site.history.fitted_at,
            model=site.model,
            place_pages=site.history.place_pages,
            new_runs=site.history.new_runs,
        )
    )


def decode_site(body: bytes) -> LearnedSite:
    """Return the site that `encode_site` made `body` of.

    Raises:
        CodecError: The bytes are damaged, of another format, or hold something that is.
    """
    compact = _FORM.decode(body)
    if compact.model:
        decode_site_model(compact.model)
    site = LearnedSite(compact.key, compact.documents, compact.deletions)
    site.history = SiteHistory(learned=compact.learned, fitted_at=compact.fitted_at)
    if isinstance(compact, _Compact2):
        site.history.place_pages = compact.place_pages
    if isinstance(compact, _Compact):
        site.history.new_runs = compact.new_runs
    site.model = compact.model
    site.has_changed = False
    return site


class _InMemory:
    """What is kept of one site besides its stored form, to save the time of decoding."""

    def __init__(self, learner: SiteLearner) -> None:
        self.learner = learner
        self.read: dict[bytes, PageSummary] = {}
        """Pages that were read since the last fit, by content digest."""
        self.model: SiteModel | None = None

    def __len__(self) -> int:
        return len(self.learner) + len(self.read)


class SitesInMemory:
    """Fits the models of sites, and keeps the counts and models of those that were used last."""

    def __init__(self, config: CoreConfig, page_model: PageModel) -> None:
        self._config = config
        self._page_model = page_model
        self._kept = SiteCache(
            lambda: LEARNED_PAGES_MAX,
            lambda _: _InMemory(SiteLearner(page_model.version, config)),
        )

    def model(self, site: LearnedSite) -> SiteModel | None:
        """Return the model of a site, or None before its first fit."""
        if not site.model:
            return None
        kept = self._kept.of(site.key)
        if kept.model is None:
            kept.model = decode_site_model(site.model)
        return kept.model

    def keep_read(self, key: str, content_digest: bytes, page: PageSummary) -> None:
        """Keep the summary of a page of a site for the next fit."""
        kept = self._kept.take(key)
        kept.read[content_digest] = page
        self._kept.keep(key, kept)

    def forget(self, key: str) -> None:
        """Drop what is kept of a site, because something else is known about it from now on."""
        self._kept.drop(key)

    def fit(self, site: LearnedSite) -> None:
        """Fit the model of a site to its window as it is, which holds at least one document."""
        kept = self._kept.take(site.key)
        kept.learner.follow(list(self._window(site, kept)))
        kept.read.clear()
        kept.model, site.model = fitting_part(kept.learner.model(), self._config.site_model_bytes)
        site.history.note_fit(site.history.learned)
        site.has_changed = True
        self._kept.keep(site.key, kept)

    def _window(self, site: LearnedSite, kept: _InMemory) -> Iterator[tuple[bytes, PageSummary]]:
        for document in site.documents:
            digest = document.content_digest
            known = kept.learner.known.get(digest) or kept.read.get(digest)
            yield digest, known or self._summary(document)

    def _summary(self, document: WindowDocument) -> PageSummary:
        """Return the summary of a document, made again where another page model made it."""
        try:
            return decode_page_summary(document.summary, document.body, self._page_model.version)
        except CodecError:
            return summarise_page(decode_document(document.body), self._page_model)
