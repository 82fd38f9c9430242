"""What is known of a page besides its text: title, authors, times, language, addresses.

Sources are JSON-LD, OpenGraph, Dublin Core, microdata, `meta`, `time`, `rel`, and elements that are
named after an author or a date. Of several sources that speak of one value the most specific counts;
a value of a wrong form is absent.
"""

import re
from collections.abc import Iterable

import msgspec

from templ_core.array_types import Bools
from templ_core.dom.addresses import address
from templ_core.dom.document import Document
from templ_core.metadata._json_ld import first_short
from templ_core.metadata.fields import Metadata
from templ_core.metadata.headlines import page_headline
from templ_core.metadata.languages import SHORT_CHARS, language_tag, page_language
from templ_core.metadata.markup import PageMarkup
from templ_core.metadata.page_view import NAME_CHARS_MAX, PageView
from templ_core.metadata.placed import SitePlaces
from templ_core.metadata.published import page_times
from templ_core.metadata.shown_product import page_product
from templ_core.metadata.signed import page_authors
from templ_core.patterns import pattern

_TAGS_MAX = 50
_TAG_CHARS_MAX = 100
_HOME = pattern(r"https?://[^/?#]*/?(?:#[^?]*)?")
_NOTHING = pattern(r"(?!)")


def read_metadata(
    document: Document,
    url: str,
    markup: PageMarkup,
    text: str = "",
    places: SitePlaces | None = None,
    kept: Bools | None = None,
    fetched_at: str | None = None,
    page_type: str | None = None,
) -> Metadata:
    """Return what is known of a page besides its text.

    Args:
        document: The page.
        url: Address of the page.
        markup: What its markup states.
        text: Clean text of the page, in which its language is detected where it declares none or a wrong one.
        places: The places of the page and of its site, which show where the site puts authors and
            dates that the markup does not state; None = nothing is known about the site.
        kept: Whether each segment is content by the decision of the page; None = not known.
        fetched_at: When the page was fetched (RFC 3339); no day more than one later is a day of publication, unless the
            page signs with it. None = not known.
        page_type: What the page is, see `templ_core.page_kind`; None = not known.

    >>> from templ_core.dom.document import parse_document
    >>> page = parse_document(
    ...     '<html lang="en_GB"><title>Bridge opens | The Daily</title>'
    ...     '<meta property="og:site_name" content="The Daily"><meta name="author" content="Ann Lee">',
    ...     "https://example.com/bridge",
    ... )
    >>> found = read_metadata(page, "https://example.com/bridge", PageMarkup(page))
    >>> found.title, found.authors, found.language
    ('Bridge opens', ['Ann Lee'], 'en-GB')
    """
    page = PageView(document, url, markup, places, kept, fetched_at or "")
    page.headline = page_headline(page)
    stated, meta, properties = page.stated, page.meta, page.properties
    declared = None
    for tag in (
        document.language,
        *stated.get("inLanguage", ()),
        *meta.get("language", ()),
    ):
        declared = declared or language_tag(tag)
    is_short = 0 < len(text) < SHORT_CHARS
    around = "\n".join(document.segments.texts) if is_short else ""
    language, is_contradicted = page_language(text, declared, around)
    page.language = language or ""
    may_sell = markup.described is not None or page_type == "product"
    product = page_product(page) if may_sell and markup.kind not in {"article", "forum"} else None
    section = first_short(
        (
            meta.get("section", ()),
            stated.get("articleSection", ()),
            properties.get("articlesection", ()),
        ),
        NAME_CHARS_MAX,
    )
    sections = categories(section) if section else [None]
    images = (
        *meta.get("image", ()),
        *stated.get("image", ()),
        *stated.get("thumbnailUrl", ()),
        *properties.get("image", ()),
    )
    addresses = (
        *page.markup.claims.canonical,
        *meta.get("url", ()),
        *stated.get("url", ()),
        *stated.get("mainEntityOfPage", ()),
    )
    keywords = (
        *sections[1:],
        *stated.get("keywords", ()),
        *meta.get("tags", ()),
        *markup.claims.tags,
    )
    # A page that gives a home page for its own address does so by mistake, unless it is one.
    homes = _NOTHING if page.path in {"", "/"} else _HOME
    published, modified = page_times(page)
    return Metadata(
        title=page.headline,
        authors=page_authors(page),
        published_at=published,
        modified_at=modified,
        language=language,
        declared_language=declared if is_contradicted and declared else msgspec.UNSET,
        canonical_url=_first_address(page, addresses, homes) if addresses else None,
        site_name=page.site_name,
        section=sections[0],
        tags=_tags(keywords) if keywords else [],
        image=_first_address(page, images, _NOTHING) if images else None,
        description=first_short((meta.get("description", ()), stated.get("description", ()))),
        product=product or msgspec.UNSET,
    )


def _first_address(page: PageView, texts: Iterable[str], no: re.Pattern[str]) -> str | None:
    """Return the first address in some texts that is no such one."""
    for text in texts:
        candidate = address(text, page.document.base or page.url)
        if candidate is not None and not no.fullmatch(candidate):
            return candidate
    return None


def _tags(keywords: Iterable[str]) -> list[str]:
    tag_of_key: dict[str, str] = {}
    for text in keywords:
        for part in text.split("," if "," in text else ";"):
            tag = part.strip()
            if tag and len(tag) <= _TAG_CHARS_MAX:
                tag_of_key.setdefault(tag.casefold(), tag)
    return list(tag_of_key.values())[:_TAGS_MAX]


_BETWEEN_CATEGORIES = pattern(r"\s*[;|]\s*|,\s+|\s+/\s+|\s+[›»>]\s+")
_ONE_CATEGORY = pattern(r"&|\b(?:and|und|et|y|e|och|og|en|i|и)\b", re.IGNORECASE)
_CATEGORY_WORDS_MAX = 4


def categories(text: str) -> list[str]:
    """Return the categories that a text names.

    >>> categories("News, Local politics"), categories("Arts, Culture & Style")
    (['News', 'Local politics'], ['Arts, Culture & Style'])
    """
    parts = [part for part in _BETWEEN_CATEGORIES.split(text) if part]
    is_one = _ONE_CATEGORY.search(text) or any(
        len(part.split()) > _CATEGORY_WORDS_MAX for part in parts
    )
    return [text] if is_one and not re.search("[;|]", text) else parts or [text]
