"""Gold for metadata: values that independent markup of a page states twice.

The markup is read here by means of lxml's tree alone, not by the product. One of the two statements is
taken out of the page before it is given to the systems, so that none of them can just copy it.
"""

import html as references
import json
import re
import zlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

import lxml.html
from lxml import etree

FIELDS = ("title", "author", "date", "language", "canonical URL")
_NO_LETTERS = re.compile(r"[\W_]+")
_PEOPLE = re.compile(r"\s*(?:,|;|\band\b|&)\s*")
_JSON_LD = '//script[@type="application/ld+json"]'


class Statement(NamedTuple):
    """What one piece of markup says about a field."""

    kind: str
    """Where it stands; statements of different kinds are independent."""
    values: frozenset[str]
    """The value as it is compared; several for the days of a time in two time zones."""
    remove: Callable[[], None]
    """Takes the statement out of the tree."""


class GoldPage(NamedTuple):
    """A page of which some fields are known, with one statement of each taken out."""

    url: str
    markup: str
    fields: dict[str, frozenset[str]]
    """Values by field."""


def gold_page(markup: str, url: str) -> GoldPage | None:
    """Return a page with the fields that it states twice, or None where there is none.

    Args:
        markup: HTML of the page.
        url: Its address.
    """
    try:
        root = lxml.html.document_fromstring(markup.encode("utf-8", "replace"), parser=_parser())
    except etree.LxmlError:
        return None
    by_field: dict[str, list[Statement]] = {field: [] for field in FIELDS}
    for field, statement in _statements(root, url):
        by_field[field].append(statement)
    fields: dict[str, frozenset[str]] = {}
    for field, statements in by_field.items():
        pair = _agreeing(statements, shown="h1" if field == "title" else "")
        if pair is None:
            continue
        fields[field] = pair[0].values & pair[1].values
        left_out = pair[zlib.crc32(f"{field} {url}".encode()) % 2]
        for one in statements:
            if one.kind == left_out.kind:
                one.remove()
    if not fields:
        return None
    return GoldPage(url, etree.tostring(root, encoding="unicode", method="html"), fields)


def comparable(field: str, value: str, base: str = "") -> frozenset[str]:
    """Return a value of a field in the form in which values are compared; empty for no value.

    Titles and names are compared by their letters and figures, dates by the day, languages by their
    first part, addresses without scheme, `www.` and last slash.
    """
    value = " ".join(references.unescape(value or "").split())
    if field == "title":
        return _some(_letters(value))
    if field == "author":
        return frozenset(_letters(name) for name in _PEOPLE.split(value) if _letters(name))
    if field == "date":
        return _days(value)
    if field == "language":
        return _some(re.split("[-_]", value.lower())[0]) if 2 <= len(value) <= 12 else frozenset()
    return _some(_address(value, base))


def _parser() -> lxml.html.HTMLParser:
    return lxml.html.HTMLParser(encoding="utf-8", huge_tree=True)


def _some(value: str) -> frozenset[str]:
    return frozenset([value]) if value else frozenset()


def _letters(text: str) -> str:
    return _NO_LETTERS.sub("", text).casefold()


def _days(value: str) -> frozenset[str]:
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return frozenset()
    if not 1990 <= moment.year <= 2100:
        return frozenset()
    days = {moment.date().isoformat()}
    if moment.tzinfo is not None:
        days.add(moment.astimezone(UTC).date().isoformat())
    return frozenset(days)


def _address(value: str, base: str) -> str:
    try:
        parts = urlsplit(urljoin(base, value))
    except ValueError:
        return ""
    if parts.scheme not in {"http", "https"} or len(parts.path + parts.query) < 2:
        return ""
    host = parts.netloc.lower().removeprefix("www.")
    return f"{host}{parts.path.rstrip('/')}?{parts.query}"


def _agreeing(statements: list[Statement], shown: str) -> tuple[Statement, Statement] | None:
    """Return the first two statements of different kinds that agree.

    Args:
        statements: What the page states.
        shown: Kind that one of both must be of, if not empty. Titles for machines agree with each other
            although both have the name of the site.
    """
    for number, one in enumerate(statements):
        for other in statements[number + 1 :]:
            if shown and shown not in {one.kind, other.kind}:
                continue
            if one.kind != other.kind and one.values & other.values:
                return one, other
    return None


def _statements(root: Any, url: str) -> Iterator[tuple[str, Statement]]:
    yield from _json_statements(root, url)
    for field, kind, path, attribute in _MARKUP:
        for element in root.xpath(path)[:5]:
            value = element.get(attribute) if attribute else element.text_content()
            values = comparable(field, value or "", url)
            if values:
                yield field, Statement(kind, values, _removal(element, attribute))


_MARKUP = (
    ("title", "og", '//meta[@property="og:title"]', "content"),
    ("title", "og", '//meta[@name="twitter:title"]', "content"),
    ("title", "h1", "//h1", ""),
    ("author", "meta", '//meta[@name="author"]', "content"),
    ("author", "dc", '//meta[@name="dc.creator" or @name="DC.creator" or @name="dcterms.creator"]', "content"),
    ("author", "parsely", '//meta[@name="parsely-author" or @name="sailthru.author"]', "content"),
    ("author", "rel", '//a[@rel="author"]', ""),
    ("author", "microdata", '//*[@itemprop="author"]//*[@itemprop="name"]', ""),
    ("date", "og", '//meta[@property="article:published_time"]', "content"),
    ("date", "microdata", '//meta[@itemprop="datePublished"]', "content"),
    ("date", "microdata", '//time[@itemprop="datePublished"]', "datetime"),
    ("date", "time", '//time[contains(@class, "published") or @pubdate]', "datetime"),
    ("date", "parsely", '//meta[@name="parsely-pub-date" or @name="sailthru.date"]', "content"),
    ("date", "dc", '//meta[starts-with(@name, "dc.date") or starts-with(@name, "DC.date")]', "content"),
    ("language", "html", "//html", "lang"),
    ("language", "og", '//meta[@property="og:locale"]', "content"),
    ("language", "http", '//meta[@http-equiv="content-language" or @http-equiv="Content-Language"]', "content"),
    ("canonical URL", "link", '//link[@rel="canonical"]', "href"),
    ("canonical URL", "og", '//meta[@property="og:url"]', "content"),
)  # fmt: skip


def _removal(element: Any, attribute: str) -> Callable[[], None]:
    def remove() -> None:
        if element.tag == "html":
            for name in ("lang", "{http://www.w3.org/XML/1998/namespace}lang", "xml:lang"):
                element.attrib.pop(name, None)
        elif element.tag in {"h1", "a"}:
            element.tag = "div"
            for name in ("rel", "class", "id", "itemprop"):
                element.attrib.pop(name, None)
        elif element.tag == "time" or not attribute:
            element.attrib.pop("datetime", None)
            element.attrib.pop("itemprop", None)
        elif element.getparent() is not None:
            element.drop_tree()

    return remove


def _json_statements(root: Any, url: str) -> Iterator[tuple[str, Statement]]:
    for script in root.xpath(_JSON_LD):
        try:
            found = json.loads(script.text or "", strict=False)
        except ValueError:
            continue
        for item in _articles(found):
            for field, name in _JSON_NAMES:
                text = _json_text(item.get(name), field)
                values = comparable(field, text, url) if text else frozenset()
                if values:
                    yield (
                        field,
                        Statement("json-ld", values, _json_removal(script, found, item, name)),
                    )


_JSON_NAMES = (
    ("title", "headline"), ("author", "author"), ("date", "datePublished"),
    ("language", "inLanguage"), ("canonical URL", "url"), ("canonical URL", "mainEntityOfPage"),
)  # fmt: skip


def _json_removal(script: Any, found: Any, item: dict[str, Any], name: str) -> Callable[[], None]:
    def remove() -> None:
        item.pop(name, None)
        script.text = json.dumps(found)

    return remove


def _articles(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, list):
        for one in value:
            yield from _articles(one)
    elif isinstance(value, dict):
        names = value.get("@type")
        if any(
            str(name).endswith(("Article", "BlogPosting"))
            for name in (names if isinstance(names, list) else [names])
        ):
            yield value
        yield from _articles(value.get("@graph"))


def _json_text(value: Any, field: str) -> str:
    if isinstance(value, list):
        texts = [_json_text(one, field) for one in value]
        return (
            "; ".join(text for text in texts if text)
            if field == "author"
            else next(iter(texts), "")
        )
    if isinstance(value, dict):
        value = value.get("name") if field in {"author", "language"} else value.get("@id")
    return value if isinstance(value, str) else ""
