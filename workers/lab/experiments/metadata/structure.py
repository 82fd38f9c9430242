"""Whether Markdown keeps the structure of the kept text: headings, items, code, cells and links.

The structure of a page is read by means of lxml's tree, that of the Markdown by means of markdown-it-py.
Both are compared as sequences of the letters and figures of each heading, item and so on.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any

import lxml.html
import numpy as np
from markdown_it import MarkdownIt

from templ_core.array_types import Bools
from templ_core.dom.document import Document
from templ_core.dom.tags import HEADING_LEVELS, INVISIBLE

KINDS = ("headings", "list items", "code blocks", "table cells", "links")
_NO_LETTERS = re.compile(r"[\W_]+")
_KEPT_MIN = 0.99
"""Share of its letters that must be kept for an element to count as kept."""
_NO_DATA = ".//table|.//ul|.//ol|.//pre|.//h1|.//h2|.//h3|.//h4|.//h5|.//h6|.//div"
Structure = dict[str, list[str]]


def page_structure(markup: str, document: Document, kept: Bools) -> Structure | None:
    """Return the structure of the kept text of a page.

    Args:
        markup: HTML of the page.
        document: The page as templ has parsed it.
        kept: Whether each of its segments stays.

    Returns:
        The texts of each kind in document order; None where lxml's tree has other text than the
        document, so that it cannot be told which part of it is kept.
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
    found: Structure = defaultdict(list)
    whole = "".join(texts)
    for kind, spans in reader.spans:
        size = sum(end - start for start, end in spans)
        in_kept = sum(int(before[end] - before[start]) for start, end in spans)
        if size and in_kept >= _KEPT_MIN * size:
            found[kind].append("".join(whole[start:end] for start, end in spans))
    return found


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
        found = letters(text or "")
        self.letters.append(found)
        self._size += len(found)


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
        return "code blocks"
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
    found: Structure = defaultdict(list)
    open_items: list[list[str]] = []
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    for number, token in enumerate(tokens):
        if token.type == "list_item_open":
            found["list items"].append("")
            open_items.append([str(len(found["list items"]) - 1)])
        elif token.type == "list_item_close":
            open_items.pop()
        elif token.type in {"fence", "code_block"}:
            found["code blocks"].append(letters(token.content))
        elif token.type == "inline":
            content = _inline_text(token.children or [])
            before = tokens[number - 1].type
            if before == "heading_open":
                found["headings"].append(content)
            elif before in {"th_open", "td_open"}:
                found["table cells"].append(content)
            if open_items:
                found["list items"][int(open_items[-1][0])] += content
            found["links"] += _links(token.children or [])
    return found


def _inline_text(tokens: list[Any]) -> str:
    return letters("".join(one.content for one in tokens if one.type in {"text", "code_inline"}))


def _links(tokens: list[Any]) -> Iterator[str]:
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
