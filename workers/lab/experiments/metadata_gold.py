"""Gold for metadata and for Markdown, read by means of lxml's tree alone, not by the product.

For metadata it is the values that independent markup of a page states twice. One of the two statements is
taken out of the page before it is given to the systems, so that none of them can just copy it.

For Markdown it is the structure of the kept text: headings, items, code, cells and links. The structure of a page is
read from lxml's tree, that of the Markdown by markdown-it-py. Both are compared as sequences of the letters and
figures of each heading, item and so on.
"""

import html as references
import json
import re
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from difflib import SequenceMatcher
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

import lxml.html
import numpy as np
from lxml import etree
from markdown_it import MarkdownIt

from templ_core.array_types import Bools
from templ_core.dom.document import Document
from templ_core.dom.tags import HEADING_LEVELS, INVISIBLE
from workers.lab.corpora import parsed

FIELDS = ("title", "author", "date", "language", "canonical URL")
_NO_LETTERS = re.compile(r"[\W_]+")
_PEOPLE = re.compile(r"\s*(?:,|;|\b(?:and|und|et)\b|&)\s*")
_NOBODY = frozenset(("", "admin", "administrator", "root", "webmaster"))
"""Accounts that no newsroom prints, and no name."""
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
    """A page with some known fields, and with one statement of each taken out."""

    url: str
    markup: str
    fields: dict[str, frozenset[str]]
    """Values by field."""
    stated: dict[str, frozenset[str]]
    """Values by field that any statement has; those that are not in `fields` count neither way."""


def gold_page(markup: str, url: str) -> GoldPage | None:
    """Return a page with the fields that it states twice, or None."""
    try:
        root = parsed(markup)
    except etree.LxmlError:
        return None
    by_field: dict[str, list[Statement]] = {field: [] for field in FIELDS}
    for field, statement in _statements(root, url):
        by_field[field].append(statement)
    fields: dict[str, frozenset[str]] = {}
    stated: dict[str, frozenset[str]] = {}
    for field, statements in by_field.items():
        pair = _agreeing(statements, shown="h1" if field == "title" else "")
        if pair is None:
            continue
        fields[field] = pair[0].values & pair[1].values
        stated[field] = frozenset().union(*(one.values for one in statements))
        left_out = pair[zlib.crc32(f"{field} {url}".encode()) % 2]
        for one in statements:
            if one.kind == left_out.kind:
                one.remove()
    if not fields:
        return None
    return GoldPage(url, etree.tostring(root, encoding="unicode", method="html"), fields, stated)


def comparable(field: str, value: str, base: str = "") -> frozenset[str]:
    """Return a value of a field in the form in which values are compared; empty for no value.

    Titles and names are compared by their letters and figures, dates by the day, languages by their
    first part, addresses without scheme, `www.` and last slash.
    """
    value = " ".join(references.unescape(value or "").split())
    if field == "title":
        return _some(letters(value))
    if field == "author":
        names = frozenset(map(letters, _PEOPLE.split(value)))
        return names - _NOBODY
    if field == "date":
        return _days(value)
    if field == "language":
        return _some(re.split("[-_]", value.lower())[0]) if 2 <= len(value) <= 12 else frozenset()
    return _some(_address(value, base))


def _some(value: str) -> frozenset[str]:
    return frozenset([value]) if value else frozenset()


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
    for number, first in enumerate(statements):
        for second in statements[number + 1 :]:
            if shown and shown not in {first.kind, second.kind}:
                continue
            if first.kind != second.kind and first.values & second.values:
                return first, second
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
            data = json.loads(script.text or "", strict=False)
        except ValueError:
            continue
        for item in _articles(data):
            for field, name in _JSON_NAMES:
                text = _json_text(item.get(name), field)
                values = comparable(field, text, url) if text else frozenset()
                if values:
                    yield (
                        field,
                        Statement("json-ld", values, _json_removal(script, data, item, name)),
                    )


_JSON_NAMES = (
    ("title", "headline"), ("author", "author"), ("date", "datePublished"),
    ("language", "inLanguage"), ("canonical URL", "url"), ("canonical URL", "mainEntityOfPage"),
)  # fmt: skip


def _json_removal(script: Any, data: Any, item: dict[str, Any], name: str) -> Callable[[], None]:
    def remove() -> None:
        item.pop(name, None)
        script.text = json.dumps(data)

    return remove


def _articles(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, list):
        for part in value:
            yield from _articles(part)
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


KINDS = ("headings", "list items", "code blocks", "table cells", "links")
_KEPT_MIN = 0.99
"""Share of its letters that must be kept for an element to count as kept."""
_NO_DATA = ".//table|.//ul|.//ol|.//pre|.//h1|.//h2|.//h3|.//h4|.//h5|.//h6|.//div"
_LINE_NUMBERS = ".//*[@class = 'ln' or contains(@class, 'line-n') or contains(@class, 'lineno')]"
"""Code whose line numbers Markdown leaves out."""
Structure = dict[str, list[str]]


def page_structure(markup: str, document: Document, kept: Bools) -> Structure | None:
    """Return the texts of each kind of structure in the kept text of a page, in document order.

    Where lxml's tree has other text than the document, it is not known which part is kept: None.
    """
    parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True)
    root = lxml.html.document_fromstring(markup.encode("utf-8", "replace"), parser=parser)
    reader = _TreeReader()
    reader.read(root)
    texts = [letters(text) for text in document.segments.texts]
    if "".join(texts) != "".join(reader.letters):
        return None
    is_kept = np.repeat(np.asarray(kept), [len(text) for text in texts])
    before = np.concatenate([[0], np.cumsum(is_kept)])
    structure: Structure = defaultdict(list)
    whole = "".join(texts)
    for kind, spans in reader.spans:
        size = sum(end - start for start, end in spans)
        in_kept = sum(int(before[end] - before[start]) for start, end in spans)
        if size and in_kept >= _KEPT_MIN * size:
            structure[kind].append("".join(whole[start:end] for start, end in spans))
    return structure


class _TreeReader:
    """Collects the letters of a tree, and where its headings, items and so on stand among them."""

    def __init__(self) -> None:
        self.letters: list[str] = []
        self.spans: list[tuple[str, list[tuple[int, int]]]] = []
        self._size = 0

    def read(self, element: Any) -> None:
        if not isinstance(element.tag, str) or element.tag in INVISIBLE:
            return
        kind = _kind(element)
        start, place = self._size, len(self.spans)
        if kind:
            self.spans.append((kind, []))
        self._add(element.text)
        inner: list[tuple[int, int]] = []
        for child in element:
            child_start = self._size
            self.read(child)
            if kind == "list items" and child.tag in {"ul", "ol"}:
                inner.append((child_start, self._size))
            self._add(child.tail)
        if kind:
            self.spans[place] = (kind, list(_without(start, self._size, inner)))

    def _add(self, text: str | None) -> None:
        text_letters = letters(text or "")
        self.letters.append(text_letters)
        self._size += len(text_letters)


def _without(start: int, end: int, inner: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    for inner_start, inner_end in inner:
        yield start, inner_start
        start = inner_end
    yield start, end


def _kind(element: Any) -> str:
    tag = element.tag
    if tag in HEADING_LEVELS:
        return "headings"
    if tag == "li":
        return (
            "list items"
            if element.getparent().tag in {"ul", "ol"} and not element.xpath(".//table|.//pre")
            else ""
        )
    if tag == "pre":
        is_numbered = letters(element.text_content()).isdigit() or element.xpath(_LINE_NUMBERS)
        return "" if is_numbered else "code blocks"
    if tag == "a" and next(element.iterancestors("pre"), None) is None:
        href = (element.get("href") or "").strip()
        return (
            "links" if href and not re.match(r"(?i)(?:javascript|mailto|tel|data):", href) else ""
        )
    if tag in {"td", "th"}:
        table = next(element.iterancestors("table"), None)
        is_data = (
            table is not None
            and not table.xpath(_NO_DATA)
            and table.xpath("count(.//tr[count(td|th) > 1])") > 0
        )
        return "table cells" if is_data else ""
    return ""


def markdown_structure(text: str) -> Structure:
    """Return the structure of Markdown: the texts of each kind in order."""
    structure: Structure = defaultdict(list)
    open_items: list[list[str]] = []
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    for number, token in enumerate(tokens):
        if token.type == "list_item_open":
            structure["list items"].append("")
            open_items.append([str(len(structure["list items"]) - 1)])
        elif token.type == "list_item_close":
            open_items.pop()
        elif token.type in {"fence", "code_block"}:
            structure["code blocks"].append(letters(token.content))
        elif token.type == "inline":
            inner = token.children or []
            texts = (one.content for one in inner if one.type in {"text", "code_inline"})
            content = letters("".join(texts))
            before = tokens[number - 1].type
            if before == "heading_open":
                structure["headings"].append(content)
            elif before in {"th_open", "td_open"}:
                structure["table cells"].append(content)
            if open_items:
                structure["list items"][int(open_items[-1][0])] += content
            structure["links"] += _markdown_links(inner)
    return structure


def _markdown_links(tokens: list[Any]) -> Iterator[str]:
    text: str | None = None
    for token in tokens:
        if token.type == "link_open":
            text = ""
        elif token.type == "link_close" and text is not None:
            yield letters(text)
            text = None
        elif text is not None and token.type in {"text", "code_inline"}:
            text += token.content


def kept_in_order(expected: list[str], found: list[str]) -> int:
    """Return how many of the expected texts are found in the same order."""
    matcher = SequenceMatcher(None, expected, found, autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks())


def letters(text: str) -> str:
    """Return the letters and figures of a text in lower case."""
    return _NO_LETTERS.sub("", text).casefold()
