"""The pages of a site, read for labels that are counted on the site itself."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from templ_core.config import CoreConfig
from templ_core.dom.decode.decode_page import decode_page
from templ_core.dom.document import Document, parse_document
from templ_core.errors import PageError
from templ_core.lab.layout.presentation import Presentation, read_presentation
from templ_core.lab.near_duplicates import distinct_shingled, shingles
from templ_core.page_level.features.characters import Words, read_characters, read_words

PAGES_MIN = 12
"""Different pages a site needs, so that a tenth of them means something."""
SITES_MIN = 10
"""Sites a model needs at least; with fewer it learns the sites."""
WORDS_MIN = 20
"""Pages with fewer words are error pages, redirects and the like."""


class TooFewPages(ValueError):
    """Labels cannot be counted: too few sites, or too few pages a site."""


class SitePage(msgspec.Struct, frozen=True, kw_only=True):
    """One page of a corpus; no gold is needed."""

    corpus: str
    site: str
    url: str
    body: bytes
    content_type: str | None = None
    charset: str | None = None


class ReadPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page after parsing."""

    page: SitePage
    document: Document
    presentation: Presentation
    words: Words


class Site(msgspec.Struct, frozen=True, kw_only=True):
    """Different pages of one site; near-duplicates are left out."""

    corpus: str
    name: str
    pages: list[ReadPage]


def read_sites(pages: Iterable[SitePage]) -> Iterator[Site]:
    """The sites that have enough pages, each read when it is its turn.

    Raises:
        TooFewPages: fewer than SITES_MIN sites have PAGES_MIN different pages.
    """
    by_site: dict[tuple[str, str], list[SitePage]] = {}
    for page in pages:
        by_site.setdefault((page.corpus, page.site), []).append(page)
    if len(by_site) < SITES_MIN:
        raise TooFewPages(
            f"the pages are of {len(by_site)} sites; labels counted on sites need at least "
            f"{SITES_MIN} sites of {PAGES_MIN} different pages each"
        )
    used = 0
    most = 0
    for (corpus, name), some in by_site.items():
        site = Site(corpus=corpus, name=name, pages=read_pages(some))
        most = max(most, len(site.pages))
        if len(site.pages) >= PAGES_MIN:
            used += 1
            yield site
    if used < SITES_MIN:
        raise TooFewPages(
            f"{used} of {len(by_site)} sites have {PAGES_MIN} or more different pages with text "
            f"(the largest has {most}); labels counted on sites need at least {SITES_MIN} such sites"
        )


def read_pages(pages: Sequence[SitePage]) -> list[ReadPage]:
    """The pages of a site that can be read, without near-duplicates."""
    read = [one for one in map(_read, pages) if one is not None]
    return [read[place] for place in distinct_shingled([shingles(one.words) for one in read])]


def _read(page: SitePage) -> ReadPage | None:
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
    if len(words.first) < WORDS_MIN:
        return None
    return ReadPage(page=page, document=document, presentation=presentation, words=words)
