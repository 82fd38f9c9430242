"""What is known of a page besides its text: title, authors, times, language, addresses.

Sources are JSON-LD, OpenGraph, Dublin Core, microdata, `meta`, `time`, `rel`, and elements that are
named after an author or a date. Of several sources that speak of one value the most specific counts;
a value of a wrong form is absent.
"""

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from urllib.parse import urlsplit

import msgspec

from templ_core.dom.document import Document
from templ_core.metadata import names, shown
from templ_core.metadata.authors import author_names, byline_author, full_name
from templ_core.metadata.claims import Attributes, Claims, read_claims
from templ_core.metadata.dates import (
    before_change,
    day_in_path,
    day_in_text,
    is_prose,
    point_in_time,
)
from templ_core.metadata.forms import address, language_tag, short_text
from templ_core.metadata.json_ld import by_id, people, read_items, texts_of, types_of
from templ_core.metadata.languages import contradicting_language, detected_language
from templ_core.metadata.placed import SitePlaces, placed_texts, repeated_texts
from templ_core.metadata.product import PageProduct, read_product
from templ_core.metadata.stated_type import StatedType, stated_type
from templ_core.metadata.titles import headline, is_headline

_TAGS_MAX = 50
_TAG_CHARS_MAX = 100
_NAME_CHARS_MAX = 200
_SHOWN_AUTHORS_MAX = 3
"""More names in microdata, in links to authors, or in bylines are those of other pages or of readers."""


class PageMetadata(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a page besides its text; None or an empty list where nothing is."""

    title: str | None = None
    """Headline, without the name of the site."""
    authors: list[str] = []
    published_at: str | None = None
    """RFC 3339: a time in UTC, or a day where the page tells no time with a zone."""
    modified_at: str | None = None
    language: str | None = None
    """Language tag of BCP 47: what the page declares, or the language of its text."""
    canonical_url: str | None = None
    site_name: str | None = None
    section: str | None = None
    tags: list[str] = []
    image: str | None = None
    """Absolute address of the main image."""
    description: str | None = None
    kind: StatedType | None = None
    """What the markup says that the page is, where it says so."""
    product: PageProduct | None = None
    """The product that the page sells."""
    declared_language: str | None = None
    """Language tag that the page declares, where its text is in another language."""


def read_metadata(
    document: Document, url: str, text: str = "", places: SitePlaces | None = None
) -> PageMetadata:
    """Return what is known of a page besides its text.

    Args:
        document: The page, as it was parsed; a document that was stored and read back has lost what
            its markup said.
        url: Address of the page.
        text: Clean text of the page, in which its language is detected where it declares none or a wrong one.
        places: The places of the page and of its site, which tell where the site shows authors and
            dates that the markup does not state; None = nothing is known about the site.

    >>> from templ_core.dom.document import parse_document
    >>> page = parse_document(
    ...     '<html lang="en_GB"><title>Bridge opens | The Daily</title>'
    ...     '<meta property="og:site_name" content="The Daily"><meta name="author" content="Ann Lee">',
    ...     "https://example.com/bridge",
    ... )
    >>> found = read_metadata(page, "https://example.com/bridge")
    >>> found.title, found.authors, found.language
    ('Bridge opens', ['Ann Lee'], 'en-GB')
    """
    return _Reader(document, url, text, places).metadata()


class _Reader:
    """The sources of one page."""

    def __init__(self, document: Document, url: str, text: str, places: SitePlaces | None) -> None:
        self._places = places
        self._document = document
        self._url = url
        self._text = text
        self._claims: Claims = read_claims(document.claims)
        ranked = read_items(self._claims.scripts) if self._claims.scripts else []
        self._ranked = ranked
        items = [item for _, item in ranked]
        self._by_id = by_id(items)
        self._articles = [item for rank, item in ranked if rank == 0]
        self._products = [item for rank, item in ranked if rank == 1]
        self._items = [item for rank, item in ranked if rank <= 2]
        self._sites = [item for item in items if "WebSite" in types_of(item)]
        self._headline: str | None = None

    @functools.cached_property
    def _named_types(self) -> list[int]:
        return shown.named_types(self._document)

    @functools.cached_property
    def _placed(self) -> list[str]:
        return placed_texts(self._document, self._places) if self._places else []

    @functools.cached_property
    def _beside_headline(self) -> list[int]:
        return shown.beside_headline(self._document, self._headline) if self._headline else []

    def _texts_of(self, segments: Iterable[int]) -> Iterator[str]:
        return (self._document.segments.texts[one] for one in segments)

    def metadata(self) -> PageMetadata:
        site_name = _first(self._site_names(), lambda text: short_text(text, _NAME_CHARS_MAX))
        self._headline = self._title(site_name)
        declared = self._declared_language()
        contradicting = contradicting_language(self._text, declared) if declared else None
        kind = stated_type(self._claims, self._ranked)
        return PageMetadata(
            title=self._headline,
            authors=self._authors(site_name),
            published_at=self._published(),
            modified_at=_first(self._modified_texts(), point_in_time),
            language=contradicting or declared or detected_language(self._text),
            declared_language=declared if contradicting else None,
            canonical_url=self._canonical(),
            site_name=site_name,
            section=_first(self._sections(), lambda text: short_text(text, _NAME_CHARS_MAX)),
            tags=self._tags(),
            image=_first(self._images(), self._address),
            description=_first(self._descriptions(), short_text),
            kind=kind,
            product=None if kind in {"article", "forum"} else self._product(),
        )

    def _meta(self, *names: str) -> Iterator[str]:
        for name in names:
            yield from self._claims.meta.get(name, ())

    def _fields(self, field: str, *of: str) -> Iterator[str]:
        """Yield the texts of a field of the objects that describe the page, references followed."""
        for item in self._items:
            yield from self._texts(item.get(field), of)

    def _texts(self, value: object, names: Sequence[str]) -> Iterator[str]:
        if isinstance(value, dict):
            found = texts_of(value, *names)
            other = self._by_id.get(str(value.get("@id"))) if not found else None
            yield from found or (texts_of(other, *names) if other else [])
        elif isinstance(value, list):
            for one in value[:_TAGS_MAX]:
                yield from self._texts(one, names)
        else:
            yield from texts_of(value)

    def _title(self, site_name: str | None) -> str | None:
        headings = shown.headings(self._document)
        host = (urlsplit(self._url).hostname or "").removeprefix("www.")
        own_names = [host.rpartition(".")[0], host, *([site_name] if site_name else ())]
        return headline(self._titles(headings, own_names), headings, own_names)

    def _titles(self, headings: list[str], own_names: list[str]) -> Iterator[str]:
        for item in self._articles:
            yield from texts_of(item.get("headline"))
        yield from self._claims.properties.get("headline", ())
        if is_headline(headings, self._document.title, own_names):
            yield headings[0]
        yield from self._meta(*names.META_TITLES)
        for item in [*self._articles, *self._products]:
            yield from texts_of(item.get("name"))
        yield self._document.title

    def _authors(self, site_name: str | None) -> list[str]:
        marked_up = author_names(self._claims.properties.get("author", ()))
        for found in (
            self._stated_authors("author"),
            author_names(self._meta(*names.META_AUTHORS)),
            marked_up if len(marked_up) <= _SHOWN_AUTHORS_MAX else [],
            self._stated_authors("creator"),
        ):
            if found:
                return found
        own = (site_name or "").casefold()
        linked = [one for one in author_names(self._claims.authors) if one.casefold() != own]
        if 0 < len(linked) <= _SHOWN_AUTHORS_MAX:
            return linked[:1]
        for sources in self._shown_authors():
            found = [one for one in dict.fromkeys(sources) if one and one.casefold() != own]
            if found:
                return found[:1] if len(found) <= _SHOWN_AUTHORS_MAX else []
        return []

    def _stated_authors(self, field: str) -> list[str]:
        """Return the authors of the first object of JSON-LD that has some; others may be other articles."""
        for item in self._items:
            found = author_names(self._texts(people(item.get(field)), ("name",)))
            if found:
                return found
        return []

    def _shown_authors(self) -> Iterator[Iterable[str | None]]:
        """Yield the names that the page shows, by where it shows them; the surest place comes first."""
        yield map(byline_author, self._placed)
        yield map(byline_author, self._texts_of(self._beside_headline))
        types = self._named_types
        yield (byline_author(text, is_named=True) for text in shown.bylines(self._document, types))
        yield map(full_name, shown.author_boxes(self._document, types))

    def _published(self) -> str | None:
        found = _first(self._published_texts(), point_in_time)
        if found is not None:
            return found
        for text in self._date_texts():
            day = day_in_text(before_change(text))
            if day is not None:
                return day
        return day_in_path(self._url)

    def _date_texts(self) -> Iterator[str]:
        """Yield the short texts that are most likely the date of the page; where they stand tells most."""
        yield from self._placed
        near = self._beside_headline
        repeated = repeated_texts(self._places, near) if self._places and near else set()
        dated = self._texts_of(one for one in near if one not in repeated)
        yield from (text for text in dated if not is_prose(text))
        yield from shown.date_texts(self._document, self._named_types)

    def _published_texts(self) -> Iterator[str]:
        yield from self._fields("datePublished")
        yield from self._meta(*names.META_PUBLISHED)
        yield from self._claims.properties.get("datepublished", ())
        yield from self._fields("dateCreated")
        yield from self._fields("uploadDate")
        yield from self._claims.properties.get("datecreated", ())
        times = self._claims.times
        for attributes, text in times:
            name = attributes.get("class", "").lower()
            if "pubdate" in attributes or "publish" in name or "entry-date" in name:
                yield attributes.get("datetime") or text
        others = (one for one in times if not _is_change(one[0]))
        of_path = day_in_path(self._url)
        for attributes, text in islice(others, 1):
            # Such an element may belong to another page, so the day in the address is surer.
            stated = attributes.get("datetime") or text
            yield of_path if of_path and not stated.startswith(of_path) else stated

    def _modified_texts(self) -> Iterator[str]:
        yield from self._fields("dateModified")
        yield from self._meta(*names.META_MODIFIED)
        yield from self._claims.properties.get("datemodified", ())
        for attributes, text in self._claims.times:
            if _is_change(attributes):
                yield attributes.get("datetime") or text

    def _declared_language(self) -> str | None:
        return _first([self._document.language], language_tag) or _first(
            [
                *self._fields("inLanguage", "alternateName", "name"),
                *self._meta(*names.META_LANGUAGE),
            ],
            language_tag,
        )

    def _canonical(self) -> str | None:
        has_path = len(urlsplit(self._url).path) > 1
        for source in self._canonical_texts():
            found = self._address(source)
            if found is not None and (
                not has_path or urlsplit(found).path not in {"", "/"} or "?" in found
            ):
                return found
        return None

    def _canonical_texts(self) -> Iterator[str]:
        yield from self._claims.canonical
        yield from self._meta("og:url")
        yield from self._fields("url")
        yield from self._fields("mainEntityOfPage", "@id")

    def _address(self, text: str) -> str | None:
        return address(text, self._url)

    def _site_names(self) -> Iterator[str]:
        yield from self._meta("og:site_name")
        yield from self._fields("publisher", "name")
        for site in self._sites:
            yield from texts_of(site.get("name"))
        yield from self._meta(*names.META_SITE)

    def _sections(self) -> Iterator[str]:
        yield from self._meta(*names.META_SECTION)
        yield from self._fields("articleSection")
        yield from self._claims.properties.get("articlesection", ())

    def _tags(self) -> list[str]:
        found: dict[str, str] = {}
        sources = (
            [*self._fields("keywords", "name")],
            [*self._meta(*names.META_TAGS)],
            self._claims.tags,
        )
        for source in sources:
            for text in source:
                parts = text.split(",") if text.count(",") else text.split(";")
                for part in parts:
                    tag = part.strip()
                    if tag and len(tag) <= _TAG_CHARS_MAX and len(found) < _TAGS_MAX:
                        found.setdefault(tag.casefold(), tag)
        return list(found.values())

    def _images(self) -> Iterator[str]:
        yield from self._meta(*names.META_IMAGE)
        yield from self._fields("image", "url", "contentUrl", "@id")
        yield from self._fields("thumbnailUrl")
        yield from self._claims.properties.get("image", ())

    def _product(self) -> PageProduct | None:
        items = [item for _, item in self._ranked]
        return read_product(self._claims, items, self._by_id, self._document.title)

    def _descriptions(self) -> Iterator[str]:
        yield from self._meta(*names.META_DESCRIPTION)
        yield from self._fields("description")


def _is_change(attributes: Attributes) -> bool:
    """Return whether a `time` element tells when the page was changed."""
    says = f"{attributes.get('class', '')} {attributes.get('itemprop', '')}".lower()
    return "updated" in says or "modified" in says


def _first(texts: Iterable[str], checked: Callable[[str], str | None]) -> str | None:
    """Return the first value that has the form it must have."""
    for text in texts:
        value = checked(text)
        if value is not None:
            return value
    return None
