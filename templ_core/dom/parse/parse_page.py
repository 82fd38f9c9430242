"""Markup to columns: it is stripped, scanned, parsed and flattened.

A page that the parser ends at `</html>`, and begins again, is parsed once more without such end tags.
"""

import functools
import re
import threading

from lxml import etree

from templ_core.dom.parse._flatten import flatten
from templ_core.dom.parse._strip_markup import strip_markup
from templ_core.dom.parse.page_columns import AttributeTableMismatch, PageColumns
from templ_core.dom.parse.parser_check import check_parser
from templ_core.dom.parse.repair import flatten_markup
from templ_core.dom.parse.scan import refuse_segments, stalls_parser

_MAX_LANGUAGE_CHARS = 35
"""Longest language tag that a reader has to take (RFC 5646, section 4.4.1)."""


def parse_page(utf8: bytes, url: str) -> tuple[PageColumns, str]:
    """Return the columns of a page and the language that its root element declares.

    The markup is stripped before it is parsed. Where it needs a repair, which moves its lines, or
    the parser gives up on its depth, the markup with all attributes is repaired and parsed instead.

    Args:
        utf8: Markup in UTF-8.
        url: Address of the page; links to other hosts are recognised by it.

    Raises:
        HostilePage: The page would stall the parser and cannot be repaired, or has too much in it.
        ParserMismatch: The compiled modules do not fit the installed lxml.
    """
    check_parser()
    columns, language = _columns(utf8, _host(url))
    refuse_segments(len(columns.texts), len(utf8))
    return columns, language


def _columns(utf8: bytes, host: str) -> tuple[PageColumns, str]:
    for joins_documents in (False, True):
        markup, attribute_table = strip_markup(utf8, joins_documents)
        if _is_blank(markup):
            return flatten(None, host), ""
        if stalls_parser(markup):
            break
        root, is_too_deep = _parse(markup)
        if root is None or is_too_deep:
            break
        if not _has_another_root(root):
            try:
                return flatten(root, host, attribute_table), _language(root)
            except AttributeTableMismatch:
                break
    root = _parse_repaired(utf8)
    return flatten(root, host), _language(root)


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
        markup, _ = strip_markup(utf8, joins_documents, keeps_attributes=True)
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


_AUTHORITY = re.compile(r"\s*(?:[a-z][a-z0-9+.-]*:)?//(?:[^/?#]*@)?([^/?#:]*)", re.IGNORECASE)


def _host(url: str) -> str:
    """Return the host of a URL in lower case; empty without one."""
    found = _AUTHORITY.match(url)
    return found[1].lower() if found else ""
