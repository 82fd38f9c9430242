"""What is known of a page besides its text: title, authors, times, language, addresses.

Sources are JSON-LD, OpenGraph, Dublin Core, microdata, `meta`, `time`, `rel`, and elements that are
named after an author or a date. Of several sources that speak of one value the most specific counts;
a value of a wrong form is absent.
"""

import functools
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

import msgspec

from templ_core.array_types import Bools
from templ_core.dom.addresses import address, host_and_path
from templ_core.dom.document import Document
from templ_core.metadata._scans import segments_within, types_with_tags
from templ_core.metadata.authors import (
    author_names,
    byline_author,
    full_name,
    is_organisation,
    named_author,
)
from templ_core.metadata.beside_headline import beside_headline, heading_at, letters_of
from templ_core.metadata.dates import (
    day_behind,
    day_in_path,
    is_prose,
    may_name_day,
    point_in_time,
    published_day,
    tells_of_day,
)
from templ_core.metadata.fields import Metadata, Product
from templ_core.metadata.headlines import (
    IN_BORDER,
    headline,
    is_headline,
    subject_of,
)
from templ_core.metadata.languages import SHORT_CHARS, language_tag, page_language
from templ_core.metadata.markup import PageMarkup, short_text
from templ_core.metadata.page_parts import PageParts
from templ_core.metadata.placed import SitePlaces, placed_texts, repeated_texts
from templ_core.metadata.shown_product import (
    currency_of_sign,
    shown_availability,
    shown_price,
    shown_sku,
)
from templ_core.metadata.shown_times import ShownTime, shown_times
from templ_core.page_level.features._stems import Stems
from templ_core.patterns import pattern

_TAGS_MAX = 50
_TAG_CHARS_MAX = 100
_NAME_CHARS_MAX = 200
_CRAWL_DAYS = 31
"""Days by which a byline may be behind the fetch: some feeds give all pages the time at which their crawl began."""
_POSTED = pattern(r"posted|publish|byline|dateline", re.IGNORECASE)
_SHOWN_AUTHORS_MAX = 3
"""More names in microdata, in links to authors, or in bylines are those of other pages or of readers."""


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
    reader = _Reader(document, url, places, markup)
    reader.kept = kept
    reader.fetched_at = fetched_at or ""
    reader.page_type = page_type
    return reader.metadata(text)


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
        self.kept: Bools | None = None
        self.fetched_at = ""
        self.page_type: str | None = None
        self._markup = markup
        self._meta = markup.claims.meta
        self._properties = markup.claims.properties
        self._stated = markup.json_ld.texts

    def metadata(self, text: str) -> Metadata:
        markup, meta, stated = self._markup, self._meta, self._stated
        site_name = _first(
            _short_name,
            meta.get("site_name", ()),
            stated("publisher", "name"),
            markup.json_ld.site_names(),
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
        is_short = 0 < len(text) < SHORT_CHARS
        around = "\n".join(self._document.segments.texts) if is_short else ""
        language, is_contradicted = page_language(text, declared, around)
        self._language = language or ""
        product = None if markup.kind in {"article", "forum"} else self._product()
        return Metadata(
            title=self._headline,
            authors=self._authors(),
            published_at=self._published(),
            modified_at=_first(
                self._point_in_time,
                stated("dateModified"),
                meta.get("modified", ()),
                self._properties.get("datemodified", ()),
                self._times_of_change(),
            ),
            language=language,
            declared_language=declared if is_contradicted and declared else msgspec.UNSET,
            canonical_url=self._canonical(),
            site_name=site_name,
            section=next(iter(self._sections), None),
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
    def _sections(self) -> list[str]:
        """The categories of the page, taken apart where they stand in one text."""
        found = _first(
            _short_name,
            self._meta.get("section", ()),
            self._stated("articleSection"),
            self._properties.get("articlesection", ()),
        )
        return categories(found) if found else []

    @functools.cached_property
    def _day_in_address(self) -> str | None:
        return day_in_path(self._url)

    @functools.cached_property
    def _heading(self) -> int | None:
        """Number of the segment that is the headline; None = there is none."""
        return heading_at(self._document, self._headline) if self._headline else None

    @functools.cached_property
    def _parts(self) -> PageParts:
        return PageParts(self._document, self._heading, self.kept)

    @functools.cached_property
    def _placed(self) -> frozenset[int]:
        return frozenset(placed_texts(self._document, self._places) if self._places else ())

    @functools.cached_property
    def _near(self) -> list[int]:
        """Segments beside the headline, and those that stand once on each page of the site, the nearest first."""
        near = {*beside_headline(self._document, self._heading), *self._placed}
        return sorted(near, key=self._parts.nearness)

    @functools.cached_property
    def _times(self) -> list[ShownTime]:
        times = self._markup.claims.times
        return shown_times(self._document, times, self._parts) if times else []

    def _point_in_time(self, text: str) -> str | None:
        return self._until_fetch(point_in_time(text, self._language))

    def _published_day(self, text: str) -> str | None:
        return self._until_fetch(published_day(text, self._language))

    def _signed_day(self, text: str) -> str | None:
        return self._until_fetch(published_day(text, self._language), _CRAWL_DAYS)

    def _until_fetch(self, found: str | None, days: int = 1) -> str | None:
        """Return a time unless it is more than a number of days after the fetch."""
        latest = day_behind(self.fetched_at, days) if found else None
        return found if not (found and latest and found[:10] > latest) else None

    def _title(self) -> str | None:
        headings = top_headings(self._document)
        host = self._host.removeprefix("www.")
        names = [host.rpartition(".")[0], host, *([self._site_name] if self._site_name else ())]
        found = headline(self._titles(headings, names), headings, names)
        if found is None or not IN_BORDER.search(found):
            return found
        if letters_of(found) in map(letters_of, headings):
            return found
        # Boards and old themes have the subject in a heading of the second level.
        subjects = headings or top_headings(self._document, _SECOND_HEADINGS)
        one = subjects[0] if len(subjects) == 1 else ""
        return subject_of(found, one, names, self._document.segments.texts) or found

    def _titles(self, headings: list[str], names: list[str]) -> Iterator[str]:
        json_ld = self._markup.json_ld
        yield from json_ld.headlines()
        yield from self._properties.get("headline", ())
        if is_headline(headings, self._document.title, names):
            yield headings[0]
        yield from self._meta.get("title", ())
        yield from json_ld.names()
        yield self._document.title

    def _product(self) -> Product | None:
        """Return the product, with what the page shows of it where its markup does not state it."""
        found = self._markup.described
        if found is None and self.page_type != "product":
            return None
        shown = found or Product(name=self._headline)
        if shown.price is None:
            price = shown_price(self._document, self._parts)
            if price is None and found is None:
                return None
            if price is not None:
                currency = price.currency or currency_of_sign(
                    price.sign, self._language, self._host
                )
                shown = msgspec.structs.replace(shown, price=price.number, price_currency=currency)
        if shown.price is None and self._markup.product is None:
            return None
        return msgspec.structs.replace(
            shown,
            availability=shown.availability or shown_availability(self._document, self._parts),
            sku=shown.sku or shown_sku(self._document, self._parts),
        )

    @functools.cached_property
    def _owners(self) -> list[str]:
        """Names of the site, and of who publishes it."""
        host = self._host.removeprefix("www.")
        publishers = self._stated("publisher", "name")
        names = [self._site_name, *publishers, *self._markup.json_ld.site_names(), host]
        return [name for name in (*names, host.rpartition(".")[0]) if name]

    def _is_person(self, name: str) -> bool:
        return not is_organisation(name, self._owners)

    def _is_only_site(self, name: str) -> bool:
        """Return whether a name is that of the site and of no person, and is only shown; a site may say that it is the author."""
        if full_name(name) or letters_of(name) not in map(letters_of, self._owners):
            return False
        json_ld = self._markup.json_ld
        stated = chain(
            *json_ld.people("author"), *json_ld.signed_by("author"), self._meta.get("author", ())
        )
        return name not in author_names(stated)

    def _authors(self) -> list[str]:
        """Return the people who sign the page; where none does, the newsroom or the firm that is said to have written it."""
        return [name for name in self._signed() if not self._is_only_site(name)]

    def _signed(self) -> list[str]:
        others: list[list[str]] = []
        for found in self._stated_authors():
            if people := [one for one in found if self._is_person(one)]:
                return people
            others += [found] if found else []
        linked = self._own_names(author_names(self._markup.claims.authors))
        linked = linked if len(linked) <= _SHOWN_AUTHORS_MAX else []
        if people := [one for one in linked if self._is_person(one)]:
            return people[:1]
        others += [linked[:1]] if linked else []
        for names in self._shown_authors(with_names=not others):
            shown = [one for one in dict.fromkeys(names) if one]
            if people := [one for one in shown if self._is_person(one)]:
                return people[:1] if len(people) <= _SHOWN_AUTHORS_MAX else []
            others += [shown[:1]] if shown else []
        return others[0] if others else []

    def _stated_authors(self) -> Iterator[list[str]]:
        """Yield the authors of each object of JSON-LD, since the first has those of the page, and of other markup."""
        json_ld = self._markup.json_ld
        yield from map(author_names, json_ld.people("author"))
        yield from map(author_names, json_ld.signed_by("author"))
        if citation := self._meta.get("citation"):
            yield author_names(citation, "citation")
        if declared := self._meta.get("author"):
            yield author_names(declared)
        if creators := self._meta.get("creator"):
            yield author_names(creators, "citation" if len(creators) > 1 else "library")
        if properties := self._properties.get("author"):
            marked_up = self._own_names(author_names(properties))
            yield marked_up if len(marked_up) <= _SHOWN_AUTHORS_MAX else []
        yield from map(author_names, json_ld.people("creator"))

    def _own_names(self, names: list[str]) -> list[str]:
        """Return names but for those that the page only shows in comments, teasers and the like."""
        texts = self._document.segments.texts
        found = []
        for name in names:
            shown = [number for number, text in enumerate(texts) if name in text]
            if not shown or not all(map(self._parts.is_elsewhere, shown)):
                found.append(name)
        return found

    def _shown_authors(self, *, with_names: bool) -> Iterator[Iterable[str | None]]:
        """Yield the names that the page shows, by where it shows them; the surest place comes first.

        Args:
            with_names: Whether a name may stand alone, without "by".
        """
        texts = self._document.segments.texts
        signed = ((one, byline_author(texts[one])) for one in self._near)
        yield (name for one, name in signed if name and not self._parts.is_elsewhere(one))
        named = _AUTHOR_STEMS.found_in_attributes(self._document.nodes.element_types)
        bylines = byline_texts(self._document, self._parts, named)
        yield map(named_author if with_names else byline_author, bylines)
        if with_names:
            yield map(full_name, author_notes(self._document, named))

    def _published(self) -> str | None:
        stated = _first(
            self._point_in_time,
            self._stated("datePublished"),
            self._meta.get("published", ()),
            self._properties.get("datepublished", ()),
            self._stated("dateCreated"),
            self._stated("uploadDate"),
            self._properties.get("datecreated", ()),
            self._times_of_publication(),
        )
        shown = self._date_texts()
        return (
            stated
            or _first(self._published_day, shown)
            or _first(self._signed_day, self._signed_texts())
            or self._day_in_address
        )

    def _times_of_publication(self) -> Iterator[str]:
        yield from (time.stated for time in self._times if time.kind == "published")
        for time in self._times:
            if not time.kind:
                # Such an element may belong to another page, so the day in the address is surer.
                of_path = self._day_in_address
                yield of_path if of_path and not time.stated.startswith(of_path) else time.stated
                return

    def _signed_texts(self) -> Iterator[str]:
        """Yield the text next to the headline if it is a byline, or named after the publication."""
        nodes, segments = self._document.nodes, self._document.segments
        for one in self._near[:1]:
            names = nodes.element_types[nodes.element_type[segments.owner[one]]][1]
            is_signed = byline_author(segments.texts[one]) or _POSTED.search(names)
            if is_signed and not self._parts.is_elsewhere(one):
                yield segments.texts[one]

    def _times_of_change(self) -> Iterator[str]:
        yield from (time.stated for time in self._times if time.kind == "changed")

    def _date_texts(self) -> Iterator[str]:
        """Yield the short texts that are most likely the date of the page, the nearest to the headline first."""
        near, placed = self._near, self._placed
        repeated = repeated_texts(self._places, near) if self._places and near else set()
        for one in near:
            text = self._document.segments.texts[one]
            is_told = is_prose(text) if one not in placed else not tells_of_day(text)
            may_tell = not is_told and (one in placed or one not in repeated)
            if may_tell and may_name_day(text) and not self._parts.is_elsewhere(one):
                yield text
        yield from date_texts(self._document, self._parts)

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
            *self._sections[1:],
            *self._stated("keywords", "name"),
            *self._meta.get("tags", ()),
            *self._markup.claims.tags,
        ):
            for part in text.split("," if "," in text else ";"):
                tag = part.strip()
                if tag and len(tag) <= _TAG_CHARS_MAX:
                    found.setdefault(tag.casefold(), tag)
        return list(found.values())[:_TAGS_MAX]


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


def _short_name(text: str) -> str | None:
    return short_text(text, _NAME_CHARS_MAX)


def _first(checked: Callable[[str], str | None], *sources: Iterable[str]) -> str | None:
    """Return the first value of some sources that has the form it must have."""
    for texts in sources:
        for text in texts:
            value = checked(text)
            if value is not None:
                return value
    return None


# --- what the page shows in elements named after an author or a date ---------------------------------

_BYLINE = pattern(
    r"(?:^|[\s_-]|(?-i:(?<=[a-z])(?=[A-Z])))(?:byline|author|authors|autor|auteur|autore|writer|contributor|vcard)"
    r"(?:[\s_-]?(?:name|link|names|fn|vcard|info|meta|by))?(?=$|[\s_-]|(?-i:[A-Z]))",
    re.IGNORECASE,
)
_DATE = pattern(
    r"(?:^|[\s_-])(?:date|datum|fecha|data|published|pubdate|publish|posted|dateline|timestamp|time|dtreviewed)"
    r"(?:[\s_-]?(?:on|at|time|date|published|created|line))?(?=$|[\s_-])",
    re.IGNORECASE,
)
_NOT = pattern(
    r"comment|related|popular|sidebar|widget|footer|respond|reply|bio|card|list|avatar",
    re.IGNORECASE,
)
_AUTHOR_BOX = pattern(
    r"(?:^|[\s_-])(?:(?:author|post|entry|article)[\s_-]*(?:bio|box)|about[\s_-]*(?:the[\s_-]*)?author)(?=$|[\s_-])",
    re.IGNORECASE,
)
"""Names of elements that hold the author of the page."""
_BOX_TEXTS = 2
"""Texts of such an element that are looked at."""
_CHARS_MAX = 120
_HEADING_CHARS_MAX = 360
_HEADINGS_MAX = 3
_TOP_HEADINGS = frozenset(("h1",))
_SECOND_HEADINGS = frozenset(("h2",))
_ELEMENTS_MAX = 8
_TEXTS_MAX = 4
"""Texts of an element that are looked at."""
_TIMES_MAX = 3
"""Elements of one type that are named after the author or the date of the page; more of them are those of a list."""
_LARGE = frozenset(("body", "html", "article", "main", "section", "form"))
_AUTHOR_STEMS = Stems(
    ("byline", "auth", "autor", "auteur", "writer", "contributor", "vcard", "bio", "about")
)
_DATE_STEMS = Stems(("dat", "fecha", "publi", "posted", "time"))


def top_headings(document: Document, tags: frozenset[str] = _TOP_HEADINGS) -> list[str]:
    """Return the texts of the headings of the first or another level, at most three.

    >>> from templ_core.dom.document import parse_document
    >>> top_headings(parse_document("<h1>One <i>two</i></h1><p>Text", ""))
    ['One two']
    """
    types = types_with_tags(document.nodes.element_types, tags)
    elements = segments_within(document, types, _HEADINGS_MAX, _TEXTS_MAX)
    found = dict.fromkeys(_joined(document, one, " ") for one in elements)
    return [text for text in found if 0 < len(text) <= _HEADING_CHARS_MAX]


def byline_texts(document: Document, parts: PageParts, named: list[int]) -> list[str]:
    """Return the short texts of elements that are named after an author; each text of an element is a line.

    Elements that a page has many of are left out: they stand in a list of other pages, or in comments.

    Args:
        document: The page.
        parts: Its parts.
        named: Numbers of the element types with names that may be those of authors.

    >>> from templ_core.dom.document import parse_document
    >>> page = parse_document('<p class="byline">By Ann Lee</p><p>Text', "")
    >>> byline_texts(page, PageParts(page, None, None), [0, 1, 2])
    ['By Ann Lee']
    """
    return _named(document, parts, named, _BYLINE, named_author, "\n")


def author_notes(document: Document, named: list[int]) -> list[str]:
    """Return the short texts of notes on the author.

    Args:
        document: The page.
        named: Numbers of the element types with names that may be those of authors.

    >>> from templ_core.dom.document import parse_document
    >>> page = parse_document('<div class="author-bio"><h4>Ann Lee</h4><p>She writes.</div>', "")
    >>> author_notes(page, [2])
    ['Ann Lee', 'She writes.']
    """
    types = document.nodes.element_types
    notes = [number for number in named if _AUTHOR_BOX.search(types[number][1])]
    elements = segments_within(document, notes, _ELEMENTS_MAX, _BOX_TEXTS) if notes else []
    texts = [document.segments.texts[number] for within in elements for number in within]
    return [text for text in texts if len(text) <= _CHARS_MAX]


def date_texts(document: Document, parts: PageParts) -> list[str]:
    """Return the short texts of elements that are named after a date, in order.

    Elements that a page has many of are left out: they stand in a list of other pages.

    >>> from templ_core.dom.document import parse_document
    >>> page = parse_document('<div class="post-date">March 4, 2024</div>', "")
    >>> date_texts(page, PageParts(page, None, None))
    ['March 4, 2024']
    """
    dated = _DATE_STEMS.found_in_attributes(document.nodes.element_types)
    return _named(document, parts, dated, _DATE, may_name_day, " ")


def _named(
    document: Document,
    parts: PageParts,
    of_types: list[int],
    names: re.Pattern[str],
    tells: Callable[[str], object],
    between: str,
) -> list[str]:
    """Return the short texts of elements with such names, if the page has few of them.

    The nearest come first.
    """
    types = document.nodes.element_types
    named = [
        number
        for number in of_types
        if types[number][0] not in _LARGE
        and names.search(types[number][1])
        and not _NOT.search(types[number][1])
    ]
    if not named:
        return []
    found = segments_within(document, named, _ELEMENTS_MAX, _TEXTS_MAX, _TIMES_MAX)
    elements = [one for one in found if one]
    elements.sort(key=lambda one: parts.nearness(one[0]))
    texts = [(one[0], _joined(document, one, between)) for one in elements]
    return list(
        dict.fromkeys(
            text
            for first, text in texts
            if 0 < len(text) <= _CHARS_MAX and tells(text) and not parts.is_elsewhere(first)
        )
    )


def _joined(document: Document, segments: list[int], between: str) -> str:
    """Return the text of some segments with single blanks."""
    texts = document.segments.texts
    return between.join([" ".join(texts[one].split()) for one in segments if texts[one]])
