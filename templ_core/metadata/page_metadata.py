"""What is known of a page besides its text: title, authors, times, language, addresses.

Sources are JSON-LD, OpenGraph, Dublin Core, microdata, `meta`, `time`, `rel`, and elements that are
named after an author or a date. Of several sources that speak of one value the most specific counts;
a value of a wrong form is absent.
"""

import functools
from collections.abc import Callable, Iterable, Iterator

import msgspec

from templ_core.dom.document import Document
from templ_core.metadata import shown
from templ_core.metadata.authors import author_names, byline_author, full_name
from templ_core.metadata.dates import day_in_path, is_prose, point_in_time, published_day
from templ_core.metadata.fields import Metadata
from templ_core.metadata.forms import address, host_and_path, language_tag, short_text
from templ_core.metadata.languages import contradicting_language, detected_language
from templ_core.metadata.markup import PageMarkup, people, texts_of
from templ_core.metadata.placed import SitePlaces, placed_texts, repeated_texts
from templ_core.metadata.titles import headline, is_headline

_SITES = frozenset(("WebSite",))
_TAGS_MAX = 50
_TAG_CHARS_MAX = 100
_NAME_CHARS_MAX = 200
_SHOWN_AUTHORS_MAX = 3
"""More names in microdata, in links to authors, or in bylines are those of other pages or of readers."""


def read_metadata(
    document: Document,
    url: str,
    text: str = "",
    places: SitePlaces | None = None,
    markup: PageMarkup | None = None,
) -> Metadata:
    """Return what is known of a page besides its text.

    Args:
        document: The page, as it was parsed; a document that was stored and read back has lost what
            its markup said.
        url: Address of the page.
        text: Clean text of the page, in which its language is detected where it declares none or a wrong one.
        places: The places of the page and of its site, which tell where the site shows authors and
            dates that the markup does not state; None = nothing is known about the site.
        markup: What the markup of the page states, where that was read already.

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
    return _Reader(document, url, places, markup or PageMarkup(document)).metadata(text)


class _Reader:
    """The sources of one page."""

    def __init__(
        self, document: Document, url: str, places: SitePlaces | None, markup: PageMarkup
    ) -> None:
        self._document = document
        self._url = url
        self._base = document.base or url
        self._host, self._path = host_and_path(url)
        self._places = places
        self._markup = markup
        self._meta = markup.claims.meta
        self._properties = markup.claims.properties
        self._stated = markup.json_ld.texts

    def metadata(self, text: str) -> Metadata:
        meta, stated = self._meta, self._stated
        site_name = _first(
            _short_name,
            meta.get("site_name", ()),
            stated("publisher", "name"),
            self._names_of_sites(),
            meta.get("site", ()),
        )
        self._site_name = site_name
        self._headline = self._title()
        declared = _first(
            language_tag,
            (self._document.language,),
            stated("inLanguage", "alternateName", "name"),
            meta.get("language", ()),
        )
        contradicting = contradicting_language(text, declared) if declared else None
        product = None if self._markup.kind in {"article", "forum"} else self._markup.product
        return Metadata(
            title=self._headline,
            authors=self._authors(),
            published_at=self._published(),
            modified_at=_first(
                point_in_time,
                stated("dateModified"),
                meta.get("modified", ()),
                self._properties.get("datemodified", ()),
                self._times_of_change(),
            ),
            language=contradicting or declared or detected_language(text),
            declared_language=declared if contradicting and declared else msgspec.UNSET,
            canonical_url=self._canonical(),
            site_name=site_name,
            section=_first(
                _short_name,
                meta.get("section", ()),
                stated("articleSection"),
                self._properties.get("articlesection", ()),
            ),
            tags=self._tags(),
            image=_first(
                self._address,
                meta.get("image", ()),
                stated("image", "url", "contentUrl", "@id"),
                stated("thumbnailUrl"),
                self._properties.get("image", ()),
            ),
            description=_first(short_text, meta.get("description", ()), stated("description")),
            product=product or msgspec.UNSET,
        )

    @functools.cached_property
    def _placed(self) -> list[str]:
        return placed_texts(self._document, self._places) if self._places else []

    @functools.cached_property
    def _beside_headline(self) -> list[int]:
        return shown.beside_headline(self._document, self._headline) if self._headline else []

    def _texts_of(self, segments: Iterable[int]) -> list[str]:
        return [self._document.segments.texts[one] for one in segments]

    def _names_of_sites(self) -> Iterator[str]:
        for site in self._markup.json_ld.of_types(_SITES):
            yield from texts_of(site.get("name"))

    def _title(self) -> str | None:
        headings = shown.headings(self._document)
        host = self._host.removeprefix("www.")
        names = [host.rpartition(".")[0], host, *([self._site_name] if self._site_name else ())]
        return headline(self._titles(headings, names), headings, names)

    def _titles(self, headings: list[str], names: list[str]) -> Iterator[str]:
        json_ld = self._markup.json_ld
        for item in json_ld.articles:
            yield from texts_of(item.get("headline"))
        yield from self._properties.get("headline", ())
        if is_headline(headings, self._document.title, names):
            yield headings[0]
        yield from self._meta.get("title", ())
        for item in (*json_ld.articles, *json_ld.products):
            yield from texts_of(item.get("name"))
        yield self._document.title

    def _authors(self) -> list[str]:
        for found in self._stated_authors():
            if found:
                return found
        own = (self._site_name or "").casefold()
        linked = author_names(self._markup.claims.authors)
        linked = [one for one in linked if one.casefold() != own]
        if 0 < len(linked) <= _SHOWN_AUTHORS_MAX:
            return linked[:1]
        for sources in self._shown_authors():
            found = [one for one in dict.fromkeys(sources) if one and one.casefold() != own]
            if found:
                return found[:1] if len(found) <= _SHOWN_AUTHORS_MAX else []
        return []

    def _stated_authors(self) -> Iterator[list[str]]:
        """Yield the authors of each object of JSON-LD, since the first has those of the page, and of other markup."""
        json_ld = self._markup.json_ld
        for item in json_ld.described:
            yield author_names(json_ld.texts_in(people(item.get("author")), ("name",)))
        yield author_names(self._meta.get("author", ()))
        marked_up = author_names(self._properties.get("author", ()))
        yield marked_up if len(marked_up) <= _SHOWN_AUTHORS_MAX else []
        for item in json_ld.described:
            yield author_names(json_ld.texts_in(people(item.get("creator")), ("name",)))

    def _shown_authors(self) -> Iterator[Iterable[str | None]]:
        """Yield the names that the page shows, by where it shows them; the surest place comes first."""
        yield map(byline_author, self._placed)
        yield map(byline_author, self._texts_of(self._beside_headline))
        bylines, notes = shown.author_texts(self._document)
        yield (byline_author(text, is_named=True) for text in bylines)
        yield map(full_name, notes)

    def _published(self) -> str | None:
        stated = _first(
            point_in_time,
            self._stated("datePublished"),
            self._meta.get("published", ()),
            self._properties.get("datepublished", ()),
            self._stated("dateCreated"),
            self._stated("uploadDate"),
            self._properties.get("datecreated", ()),
            self._times(),
        )
        return stated or _first(published_day, self._date_texts()) or day_in_path(self._url)

    def _times(self) -> Iterator[str]:
        times = self._markup.claims.times
        for attributes, text in times:
            name = attributes.get("class", "").lower()
            if "pubdate" in attributes or "publish" in name or "entry-date" in name:
                yield attributes.get("datetime") or text
        for attributes, text in times:
            if not _is_change(attributes):
                # Such an element may belong to another page, so the day in the address is surer.
                stated, of_path = attributes.get("datetime") or text, day_in_path(self._url)
                yield of_path if of_path and not stated.startswith(of_path) else stated
                return

    def _times_of_change(self) -> Iterator[str]:
        for attributes, text in self._markup.claims.times:
            if _is_change(attributes):
                yield attributes.get("datetime") or text

    def _date_texts(self) -> Iterator[str]:
        """Yield the short texts that are most likely the date of the page; where they stand tells most."""
        yield from self._placed
        near = self._beside_headline
        repeated = repeated_texts(self._places, near) if self._places and near else set()
        dated = self._texts_of(one for one in near if one not in repeated)
        yield from (text for text in dated if not is_prose(text))
        yield from shown.date_texts(self._document)

    def _canonical(self) -> str | None:
        """Return the first address that is no home page, unless the page is one."""
        for source in (
            *self._markup.claims.canonical,
            *self._meta.get("url", ()),
            *self._stated("url"),
            *self._stated("mainEntityOfPage", "@id"),
        ):
            found = self._address(source)
            if found is not None and (
                self._path in {"", "/"} or "?" in found or host_and_path(found)[1] not in {"", "/"}
            ):
                return found
        return None

    def _address(self, text: str) -> str | None:
        return address(text, self._base)

    def _tags(self) -> list[str]:
        found: dict[str, str] = {}
        for text in (
            *self._stated("keywords", "name"),
            *self._meta.get("tags", ()),
            *self._markup.claims.tags,
        ):
            for part in text.split("," if "," in text else ";"):
                tag = part.strip()
                if tag and len(tag) <= _TAG_CHARS_MAX and len(found) < _TAGS_MAX:
                    found.setdefault(tag.casefold(), tag)
        return list(found.values())


def _short_name(text: str) -> str | None:
    return short_text(text, _NAME_CHARS_MAX)


def _is_change(attributes: dict[str, str]) -> bool:
    """Return whether a `time` element tells when the page was changed."""
    says = f"{attributes.get('class', '')} {attributes.get('itemprop', '')}".lower()
    return "updated" in says or "modified" in says


def _first(checked: Callable[[str], str | None], *sources: Iterable[str]) -> str | None:
    """Return the first value of some sources that has the form it must have."""
    for texts in sources:
        for text in texts:
            value = checked(text)
            if value is not None:
                return value
    return None
