"""Markup to columns: it is stripped, scanned and parsed.

A page that the parser ends at `</html>`, and begins again, is parsed once more without such end tags.
"""

import functools
import re
from urllib.parse import urljoin

import msgspec
from lxml import etree

from templ_core.array_types import Int32s
from templ_core.dom._references import without_references
from templ_core.dom.config import ScanConfig
from templ_core.dom.parse._page_columns import (
    AttributeTableMismatch,
    PageColumns,
    TooDeep,
    page_columns,
)
from templ_core.dom.parse._strip_markup import strip_markup
from templ_core.dom.parse.declared_body import (
    INSIDE_BODY,
    LEAD,
    body_in_place_of_page,
    declared_segments,
)
from templ_core.dom.parse.embedded import with_embedded
from templ_core.dom.parse.lead import lead_segments
from templ_core.dom.parse.repair import flatten_markup
from templ_core.dom.parse.scan import stalls_parser
from templ_core.errors import HostilePage, ParserMismatch
from templ_core.patterns import pattern

_SCAN = ScanConfig()


class ParsedPage(msgspec.Struct, frozen=True):
    """A page as the parser and the search for claims read it."""

    columns: PageColumns
    claims: bytes
    """What the markup says about the page."""
    base: str
    """Address that the first `base` element with one names; empty without one."""
    declared: Int32s
    """Whether each segment is inside the article body that the markup declares, or is the headline or the lead; see `declared_body.py`."""
    is_declared: bool
    """Whether the columns are those of that body, because the markup shows next to nothing."""


def parse_page(utf8: bytes, url: str, *, with_marks: bool = False) -> ParsedPage:
    """Return the columns of a page and what its markup says about it.

    The markup is stripped before it is parsed. Where it needs a repair, which moves its lines, or
    the parser gives up on its depth, the markup with all attributes is repaired and parsed instead.

    Args:
        utf8: Markup in UTF-8.
        url: Address of the page; links to other hosts are recognised by it.
        with_marks: Whether links, images and emphasis are marked.

    Raises:
        HostilePage: The page would stall the parser and cannot be repaired, or has too much in it.
        ParserMismatch: The compiled modules do not fit the installed lxml.
    """
    check_parser()
    columns, claims, base_at = _parsed(utf8, _host(url), with_marks=with_marks)
    declared = declared_segments(claims, columns.texts)
    body = "" if declared.any() else body_in_place_of_page(claims, columns)
    if body:
        title, language, scripts = columns.title, columns.language, columns.scripts
        columns = _parsed(body.encode(), _host(url), with_marks=with_marks)[0]
        columns = columns._replace(title=title, language=language, scripts=scripts)
        declared = declared_segments(claims, columns.texts)
    for lead in lead_segments(claims, columns):
        if declared[lead] != INSIDE_BODY:
            declared[lead] = LEAD
    refuse_segments(len(columns.texts) + len(columns.sign_texts), len(utf8))
    base = _base(claims, base_at, url) if base_at >= 0 else ""
    if base and with_marks:
        _join(columns, base)
    return ParsedPage(columns, claims, base, declared, is_declared=bool(body))


def refuse_segments(count: int, size_bytes: int, config: ScanConfig = _SCAN) -> None:
    """Refuse a page with too many segments, which cost more than elements without text.

    Args:
        count: Number of its segments.
        size_bytes: Size of its markup.
        config: How many a page may have.

    Raises:
        HostilePage: There are more.
    """
    most = max(config.segments_max, size_bytes // config.segment_bytes_min)
    if count > most:
        raise HostilePage(f"more than {most} segments of text")


def _parsed(utf8: bytes, host: str, *, with_marks: bool) -> tuple[PageColumns, bytes, int]:
    """Return columns and claims, and where the claim of the first `base` element begins, or -1."""
    claims, base_at, is_whole = b"", -1, False
    for joins_documents in (False, True):
        markup, attribute_table, claims, base_at, has_embedded = strip_markup(
            utf8, joins_documents, keeps_targets=with_marks, finds_claims=True
        )
        if has_embedded and not is_whole:
            utf8, is_whole = with_embedded(utf8), True
            markup, attribute_table, claims, base_at, _ = strip_markup(
                utf8, joins_documents, keeps_targets=with_marks, finds_claims=True
            )
        if stalls_parser(markup):
            break
        try:
            columns = page_columns(markup, host, attribute_table, with_marks)
        except (AttributeTableMismatch, TooDeep):
            break
        if not columns.has_another_root:
            return columns, claims, base_at
    return _repaired(utf8, host, with_marks=with_marks)[0], claims, base_at


def _repaired(utf8: bytes, host: str, *, with_marks: bool) -> tuple[PageColumns, bytes]:
    """Return the columns of a page with all attributes in its markup, and the markup that they are of."""
    for joins_documents in (False, True):
        markup = strip_markup(utf8, joins_documents, keeps_attributes=True)[0]
        if stalls_parser(markup):
            markup = flatten_markup(markup)
        try:
            columns = page_columns(markup, host, with_marks=with_marks)
        except TooDeep:
            markup = flatten_markup(markup)
            columns = page_columns(markup, host, with_marks=with_marks)
        if not columns.has_another_root:
            break
    return columns, markup


def _base(claims: bytes, first: int, url: str) -> str:
    """Return the address that the first `base` element with one names; `first` is where their claims begin."""
    for claim in claims[first:].split(b"\0"):
        tag, *parts = claim.split(b"\2")
        address = dict(zip(parts[::2], parts[1::2], strict=False)).get(b"href")
        if tag == b"base" and address:
            try:
                return urljoin(url, without_references(address.decode(errors="replace").strip()))
            except ValueError:
                return ""
    return ""


def _join(columns: PageColumns, base: str) -> None:
    """Join the addresses of marks to a base; places on the same page stay as they are."""
    for number in {int(number) for number in columns.marks["target"] if number >= 0}:
        address = columns.mark_values[number]
        if not address.startswith("#"):
            try:
                columns.mark_values[number] = urljoin(base, address)
            except ValueError:
                continue


def parse_markup(markup: str) -> etree._Element | None:
    """Return the root element of markup with all attributes, repaired where the parser would stall.

    Returns:
        The root element, or None for blank markup.

    Raises:
        HostilePage: The page would stall the parser and cannot be repaired.
    """
    columns, repaired = _repaired(markup.encode(), "", with_marks=False)
    if not columns.element_types:
        return None
    return etree.fromstring(
        repaired, etree.HTMLParser(encoding="utf-8", huge_tree=True, collect_ids=False)
    )


_AUTHORITY = pattern(r"\s*(?:[a-z][a-z0-9+.-]*:)?//(?:[^/?#]*@)?([^/?#:]*)", re.IGNORECASE)


def _host(url: str) -> str:
    """Return the host of a URL in lower case; empty without one."""
    match = _AUTHORITY.match(url)
    return match[1].lower() if match else ""


# --- the check of the parser ----------------------------------------------------------------

_KNOWN_MARKUP = (
    b'<html lang="en"><body class="b"><p id="x" hidden>One <b>two</b><br>3 <!-- --> 4</p>'
    b"<script>5</script><title>A\ntitle</title>"
    b'<ul><li><a href="https://example.org/">six</a><img></ul><pre> 7\n 8 </pre><dl>+</dl>'
)
_KNOWN_COLUMNS: dict[str, object] = {
    "element_types": [
        *[("html", ""), ("body", "\nb\n\n\n"), ("p", "x\n\n\n\n"), ("b", ""), ("br", "")],
        *[("ul", ""), ("li", ""), ("a", ""), ("img", ""), ("pre", ""), ("dl", "")],
    ],
    "nodes": {
        "element_type": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
        "depth": [0, 1, 2, 3, 3, 2, 3, 4, 4, 2, 2],
        "parent": [-1, 0, 1, 2, 2, 1, 5, 6, 6, 1, 1],
        "end": [11, 11, 5, 4, 5, 9, 9, 8, 9, 10, 11],
        "hidden": [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0],
        "images": [0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0],
    },
    "texts": ["One two\n3 4", "six", " 7\n 8 "],
    "segments": {
        "owner": [2, 6, 9],
        "inline_from": [3, 7, 10],
        "inline_to": [5, 9, 10],
        "links": [0, 1, 0],
        "link_chars": [0, 3, 0],
        "external_links": [0, 1, 0],
        "page_links": [0, 0, 0],
    },
    "sign_texts": ["+"],
    "signs": {"owner": [10], "inline_from": [11], "before": [3]},
    "scripts": 1,
    "title": "A title",
    "language": "en",
    "marks": {name: [] for name in ("node", "segment", "start", "end", "target", "label")},
    "mark_values": [],
    "has_another_root": False,
}


@functools.cache
def check_parser() -> None:
    """Compare the columns of a known page with the right ones, once.

    The compiled reader reads a line number in the parser's memory. If it was compiled for another version
    of lxml than the installed one, what it reads is wrong.

    Raises:
        ParserMismatch: The columns differ.
    """
    markup, attribute_table, *_ = strip_markup(_KNOWN_MARKUP)
    try:
        columns = page_columns(markup, "example.com", attribute_table)
        fits = {name: _as_lists(one) for name, one in columns._asdict().items()} == _KNOWN_COLUMNS
    except AttributeTableMismatch:
        fits = False
    if not fits:
        built = ".".join(map(str, etree.LIBXML_COMPILED_VERSION))
        raise ParserMismatch(
            f"templ was not compiled for the installed lxml {etree.__version__} (libxml2 {built}): "
            "install templ-worker again"
        )


def _as_lists(value: object) -> object:
    if isinstance(value, dict):
        return {name: column.tolist() for name, column in value.items()}
    return value
