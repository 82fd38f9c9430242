"""Markup to columns: it is stripped, scanned, parsed and flattened.

A page that the parser ends at `</html>`, and begins again, is parsed once more without such end tags.
"""

import functools
import re
import threading
from typing import NamedTuple

from lxml import etree

from templ_core.dom.parse._flatten import AttributeTableMismatch, PageColumns, flatten
from templ_core.dom.parse._strip_markup import strip_markup
from templ_core.dom.parse.repair import flatten_markup
from templ_core.dom.parse.scan import refuse_segments, stalls_parser
from templ_core.errors import ParserMismatch
from templ_core.patterns import pattern

_MAX_LANGUAGE_CHARS = 35
"""Longest language tag that a reader has to take (RFC 5646, section 4.4.1)."""


class ParsedPage(NamedTuple):
    """What the parser and the search for claims make of a page."""

    columns: PageColumns
    language: str
    """Language that the root element declares; empty if it declares none."""
    claims: bytes
    """What the markup says about the page."""
    base_at: int
    """Where the claim of the first `base` element begins; -1 = there is none."""


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
    page = _parsed(utf8, _host(url), with_marks=with_marks)
    refuse_segments(len(page.columns.texts), len(utf8))
    return page


def _parsed(utf8: bytes, host: str, *, with_marks: bool) -> ParsedPage:
    for joins_documents in (False, True):
        markup, attribute_table, claims, base_at = strip_markup(
            utf8, joins_documents, keeps_targets=with_marks, finds_claims=True
        )
        if _is_blank(markup):
            return ParsedPage(flatten(None, host), "", claims, base_at)
        if stalls_parser(markup):
            break
        root, is_too_deep = _parse(markup)
        if root is None or is_too_deep:
            break
        if not _has_another_root(root):
            try:
                columns = flatten(root, host, attribute_table, with_marks)
                return ParsedPage(columns, _language(root), claims, base_at)
            except AttributeTableMismatch:
                break
    root = _parse_repaired(utf8)
    columns = flatten(root, host, with_marks=with_marks)
    return ParsedPage(columns, _language(root), claims, base_at)


def parse_markup(markup: str) -> etree._Element | None:
    """Return the root element of markup with all attributes, repaired where the parser would stall.

    Returns:
        The root element, or None for blank markup.

    Raises:
        HostilePage: The page would stall the parser and cannot be repaired.
    """
    return _parse_repaired(markup.encode())


def _parse_repaired(utf8: bytes) -> etree._Element | None:
    root = None
    for joins_documents in (False, True):
        markup = strip_markup(utf8, joins_documents, keeps_attributes=True)[0]
        if _is_blank(markup):
            return None
        if stalls_parser(markup):
            markup = flatten_markup(markup)
        root, is_too_deep = _parse(markup)
        if is_too_deep:
            root, _ = _parse(flatten_markup(markup))
        if root is None or not _has_another_root(root):
            break
    return root


def _parse(utf8: bytes) -> tuple[etree._Element | None, bool]:
    """Return the root element, and whether the parser gave up below some depth."""
    root: etree._Element | None = etree.fromstring(utf8, _LOCAL.parser)
    return root, bool(_LOCAL.parser.error_log.filter_from_fatals())


class _ThreadLocal(threading.local):
    """A parser for each thread; making one takes as long as parsing a small page."""

    @functools.cached_property
    def parser(self) -> etree.HTMLParser:
        return etree.HTMLParser(encoding="utf-8", huge_tree=True, collect_ids=False)


_LOCAL = _ThreadLocal()


def _is_blank(utf8: bytes) -> bool:
    return not utf8 or utf8.isspace()


def _has_another_root(root: etree._Element) -> bool:
    """Return whether an element follows the root element: the start of a second document."""
    if root.getnext() is None:
        return False
    return any(isinstance(one.tag, str) for one in root.itersiblings())


def _language(root: etree._Element | None) -> str:
    if root is None:
        return ""
    language = root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or ""
    return language[:_MAX_LANGUAGE_CHARS]


_AUTHORITY = pattern(r"\s*(?:[a-z][a-z0-9+.-]*:)?//(?:[^/?#]*@)?([^/?#:]*)", re.IGNORECASE)


def _host(url: str) -> str:
    """Return the host of a URL in lower case; empty without one."""
    found = _AUTHORITY.match(url)
    return found[1].lower() if found else ""


# --- the check of the parser ----------------------------------------------------------------

_KNOWN_MARKUP = (
    b'<html lang="en"><body class="b"><p id="x" hidden>One <b>two</b><br>3 <!-- --> 4</p>'
    b"<script>5</script><title>A\ntitle</title>"
    b'<ul><li><a href="https://example.org/">six</a><img></ul><pre> 7\n 8 </pre>'
)
_KNOWN_COLUMNS: dict[str, object] = {
    "element_types": [
        *[("html", ""), ("body", "\nb\n\n\n"), ("p", "x\n\n\n\n"), ("b", ""), ("br", "")],
        *[("ul", ""), ("li", ""), ("a", ""), ("img", ""), ("pre", "")],
    ],
    "nodes": {
        "element_type": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        "depth": [0, 1, 2, 3, 3, 2, 3, 4, 4, 2],
        "parent": [-1, 0, 1, 2, 2, 1, 5, 6, 6, 1],
        "end": [10, 10, 5, 4, 5, 9, 9, 8, 9, 10],
        "hidden": [0, 0, 1, 0, 0, 0, 0, 0, 0, 0],
        "images": [0, 0, 0, 0, 0, 0, 1, 0, 0, 0],
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
    "scripts": 1,
    "title": "A title",
    "marks": {name: [] for name in ("node", "segment", "start", "end", "target", "label")},
    "mark_values": [],
}


@functools.cache
def check_parser() -> None:
    """Compare the columns that `flatten` makes of a known page with the right ones, once.

    The compiled walk reads the parser's memory. If it was compiled for another version of lxml
    than the installed one, what it reads is wrong.

    Raises:
        ParserMismatch: The columns differ.
    """
    markup, attribute_table, _, _ = strip_markup(_KNOWN_MARKUP)
    root = etree.fromstring(markup, etree.HTMLParser())
    try:
        found = flatten(root, "example.com", attribute_table)
        fits = {name: _as_lists(one) for name, one in found._asdict().items()} == _KNOWN_COLUMNS
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
