"""Pages without gold, grouped by site and parsed, for labels that are counted on each site."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from templ_core.config import CoreConfig
from templ_core.dom.decode.decode_page import decode_page
from templ_core.dom.document import Document, parse_document
from templ_core.errors import PageError
from templ_core.lab.layout import Presentation, read_presentation
from templ_core.lab.near_duplicates import distinct_shingled, shingles
from templ_core.page_level.features.characters import Words, read_characters, read_words

PAGES_PER_SITE_MIN = 12
"""Least number of different pages of a site, so that a tenth of them is more than one."""
SITES_MIN = 10
"""Least number of sites; with fewer, a model would learn these sites only."""
_WORDS_MIN = 20
"""Pages with fewer words are left out as error pages, redirects and the like."""


class TooFewPages(ValueError):
    """Labels cannot be counted: there are too few sites, or too few pages for each site."""


class CorpusPage(msgspec.Struct, frozen=True, kw_only=True):
    """One page of a corpus without gold, not yet parsed."""

    corpus: str
    site: str
    url: str
    body: bytes
    content_type: str | None = None
    charset: str | None = None


class ReadPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page of a corpus after parsing."""

    page: CorpusPage
    document: Document
    presentation: Presentation
    words: Words


class ReadSite(msgspec.Struct, frozen=True, kw_only=True):
    """The pages of one site after parsing, without near-duplicates."""

    corpus: str
    name: str
    pages: list[ReadPage]


def read_sites(pages: Iterable[CorpusPage]) -> Iterator[ReadSite]:
    """Yield the sites that have enough pages; each is parsed when it is asked for.

    Raises:
        TooFewPages: Fewer than SITES_MIN sites have PAGES_PER_SITE_MIN different pages.
    """
    by_site: dict[tuple[str, str], list[CorpusPage]] = {}
    for page in pages:
        by_site.setdefault((page.corpus, page.site), []).append(page)
    if len(by_site) < SITES_MIN:
        raise TooFewPages(
            f"the pages are of {len(by_site)} sites; labels counted on sites need at least "
            f"{SITES_MIN} sites of {PAGES_PER_SITE_MIN} different pages each"
        )
    used = 0
    most = 0
    for (corpus, name), some in by_site.items():
        site = ReadSite(corpus=corpus, name=name, pages=parse_site_pages(some))
        most = max(most, len(site.pages))
        if len(site.pages) >= PAGES_PER_SITE_MIN:
            used += 1
            yield site
    if used < SITES_MIN:
        raise TooFewPages(
            f"{used} of {len(by_site)} sites have {PAGES_PER_SITE_MIN} or more different pages with text "
            f"(the largest has {most}); labels counted on sites need at least {SITES_MIN} such sites"
        )


def parse_site_pages(pages: Sequence[CorpusPage]) -> list[ReadPage]:
    """Return the pages of a site that can be parsed, without near-duplicates."""
    read = [one for one in map(_read, pages) if one is not None]
    return [read[place] for place in distinct_shingled([shingles(one.words) for one in read])]


def _read(page: CorpusPage) -> ReadPage | None:
    """Return the parsed page, or None if it cannot be parsed or has too few words."""
    try:
        decoded = decode_page(
            page.body,
            content_type=page.content_type,
            charset=page.charset,
            content_encoding=None,
            limit_bytes=CoreConfig().page_limit_bytes,
        )
        document = parse_document(decoded.text, page.url)
        presentation = read_presentation(document, decoded.text)
    except PageError:
        return None
    if presentation is None or not document.segments.texts:
        return None
    words = read_words(read_characters(document.segments.texts))
    if len(words.first) < _WORDS_MIN:
        return None
    return ReadPage(page=page, document=document, presentation=presentation, words=words)
