"""Kept segments as Markdown: CommonMark with the tables of GitHub."""

import re

from templ_core.array_types import Bools
from templ_core.dom.document import Document
from templ_core.dom.marks import Marks
from templ_core.dom.tags import HEADING_LEVELS
from templ_core.dom.text import Cuts
from templ_core.rendering.inline import InlineMark, render_inline
from templ_core.rendering.outline import Outline, Part, groups, outline
from templ_core.rendering.tables import data_rows, has_header

_SPECIAL = re.compile(r"[\\`*\[\]]|<(?=[a-zA-Z/!?])|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)")
_MAYBE_SPECIAL = re.compile(r"[\\`*_\[\]<&]")
_LINE_STARTS = frozenset("#-+>~=0123456789 ")
_LINE_START = re.compile(r"^(\s*)(#{1,6}(?=\s|$)|[-+](?=\s|$)|>|~~~|=+\s*$|-{3,}\s*$|\d{1,9}(?=[.)](?:\s|$)))", re.MULTILINE)
_LANGUAGE = re.compile(r"(?:^|\s)(?:lang(?:uage)?-|highlight-source-|brush:\s*)([\w+#.-]{1,20})")
_FENCE = re.compile(r"`{3,}")
_TICKS = re.compile(r"`+")


def render_markdown(
    document: Document, kept: Bools, cuts: Cuts | None, marks: Marks | None, url: str
) -> str:
    """Return the kept segments as Markdown.

    Headings, lists, quotations, code, tables of data, links, emphasis and the alternative texts of
    images are written. Every line break of a segment stays a line break.

    Args:
        document: The page.
        kept: Whether each segment stays; length n_segments.
        cuts: What is cut out of segments that stay; None = nothing.
        marks: Links, images and emphasis; None = plain text only.
        url: Address of the page, to which relative addresses are joined.

    >>> import numpy as np
    >>> from templ_core.dom.document import parse_document
    >>> page = parse_document(
    ...     "<h1>News</h1><ul><li>One<li><a href=/2>Two</a></ul>", "", with_marks=True
    ... )
    >>> print(render_markdown(page, np.ones(3, bool), None, page.marks, "https://example.com/"))
    # News
    <BLANKLINE>
    - One
    - [Two](https://example.com/2)
    """
    return _Markdown(outline(document, kept, cuts, marks, url)).render()


class MarkdownStyle:
    """Inline content as Markdown."""

    def text(self, text: str) -> str:
        """Return text in which nothing is taken for markup."""
        if not _MAYBE_SPECIAL.search(text):
            return text
        return _SPECIAL.sub(lambda found: "\\" + found[0], text)

    def marked(self, mark: InlineMark, content: str) -> str:
        """Return a link, emphasis or code."""
        if mark.tag == "a":
            return f"[{content}]({_target(mark.target)})" if mark.target else content
        if mark.tag in {"b", "strong"}:
            return content if content.startswith("**") else f"**{content}**"
        if mark.tag in {"i", "em"}:
            return content if content.startswith("*") else f"*{content}*"
        return _code(content)

    def image(self, mark: InlineMark) -> str:
        """Return an image, or its alternative text where it has no address."""
        label = self.text(" ".join(mark.label.split()))
        return f"![{label}]({_target(mark.target)})" if mark.target else label


_STYLE = MarkdownStyle()


def _target(target: str) -> str:
    return target.replace("(", "%28").replace(")", "%29")


def _code(content: str) -> str:
    """Return escaped text as code, in which nothing is escaped."""
    plain = re.sub(r"\\([\\`*\[\]<_&])", r"\1", content)
    if "\n" in plain or plain.startswith("!["):
        return content
    longest = max(map(len, _TICKS.findall(plain)), default=0)
    ticks = "`" * (longest + 1)
    pad = " " if plain.startswith("`") or plain.endswith("`") else ""
    return f"{ticks}{pad}{plain}{pad}{ticks}"


class _Markdown:
    def __init__(self, found: Outline) -> None:
        self._found = found
        self._lines: list[str] = []
        self._started: dict[int, int] = {}
        """Widths of the markers of the list items that have begun."""
        self._numbers: dict[int, int] = {}
        """Items of each list so far."""
        self._last: tuple[int, ...] = ()

    def render(self) -> str:
        for kind, node, parts in groups(self._found):
            if kind == "pre":
                self._block(parts[0].chain, self._fenced(node, parts))
                continue
            rows = data_rows(self._found, node, parts) if kind == "table" else None
            if rows is not None:
                self._block(parts[0].chain[: parts[0].chain.index(node)], self._table(rows, parts))
                continue
            for part in parts:
                self._text(part)
        return "\n".join(self._lines)

    def _text(self, part: Part) -> None:
        text = _inline(part)
        level = 0
        for node in part.chain:
            level = HEADING_LEVELS.get(self._found.tags[node], level)
        if level:
            self._block(part.chain, ["#" * level + " " + " ".join(text.split())])
        elif text:
            if text[0] in _LINE_STARTS or "\n" in text:
                text = _LINE_START.sub(lambda at: at[1] + _escaped_start(at[2]), text)
            lines = text.split("\n")
            self._block(part.chain, [f"{line}  " for line in lines[:-1]] + lines[-1:])

    def _fenced(self, node: int, parts: list[Part]) -> list[str]:
        text = "\n".join(_plain(part) for part in parts)
        fence = "`" * max([3, *(len(ticks) + 1 for ticks in _FENCE.findall(text))])
        return [fence + self._language(node), *text.split("\n"), fence]

    def _language(self, node: int) -> str:
        nodes = self._found.document.nodes
        near = [node, node + 1 if node + 1 < nodes.end[node] else node, int(nodes.parent[node])]
        for one in near:
            attributes = nodes.element_types[nodes.element_type[one]][1] if one >= 0 else ""
            found = _LANGUAGE.search(attributes.lower())
            if found:
                return found[1]
        return ""

    def _table(self, rows: list[list[list[Part]]], parts: list[Part]) -> list[str]:
        width = max(map(len, rows))
        lines = [
            "| " + " | ".join([*map(_cell, row), *[""] * (width - len(row))]) + " |" for row in rows
        ]
        border = "|" + " --- |" * width
        if has_header(self._found, parts):
            return [lines[0], border, *lines[1:]]
        return ["|" + "  |" * width, border, *lines]

    def _block(self, chain: tuple[int, ...], lines: list[str]) -> None:
        """Write the lines of a block behind the marks of the quotations and list items around it."""
        begins, goes_on, is_tight = self._prefixes(chain)
        if self._lines and not is_tight:
            shared = self._shared_prefix(chain)
            self._lines.append(shared.rstrip())
        self._lines.append(begins + lines[0] if lines else begins)
        self._lines += [(goes_on + line) if line else goes_on.rstrip() for line in lines[1:]]
        self._last = chain

    def _prefixes(self, chain: tuple[int, ...]) -> tuple[str, str, bool]:
        """Return what stands before the first line and before others, and whether no blank line does."""
        begins = goes_on = ""
        is_tight = False
        of_list = -1
        for node in chain:
            tag = self._found.tags[node]
            if tag in {"ul", "ol"}:
                of_list = node
            elif tag == "blockquote":
                begins += "> "
                goes_on += "> "
            elif tag == "li":
                width = self._started.get(node)
                if width is None:
                    marker = self._marker(of_list)
                    self._started[node] = len(marker)
                    begins += marker
                    goes_on += " " * len(marker)
                    is_tight = is_tight or of_list in self._last
                else:
                    begins += " " * width
                    goes_on += " " * width
                    is_tight = False
        if not is_tight:
            is_tight = self._is_nested_list(chain)
        return begins, goes_on, is_tight

    def _is_nested_list(self, chain: tuple[int, ...]) -> bool:
        """Return whether a list begins right behind the text of the item that it stands in."""
        items = [node for node in chain if self._found.tags[node] == "li"]
        last = [node for node in self._last if self._found.tags[node] == "li"]
        return len(items) == len(last) + 1 and len(last) > 0 and items[: len(last)] == last

    def _marker(self, of_list: int) -> str:
        if of_list >= 0 and self._found.tags[of_list] == "ol":
            self._numbers[of_list] = self._numbers.get(of_list, 0) + 1
            return f"{self._numbers[of_list]}. "
        return "- "

    def _shared_prefix(self, chain: tuple[int, ...]) -> str:
        """Return the marks of the quotations and items that hold both the last block and this one."""
        prefix = ""
        for node, other in zip(chain, self._last, strict=False):
            if node != other:
                break
            tag = self._found.tags[node]
            if tag == "blockquote":
                prefix += "> "
            elif tag == "li":
                prefix += " " * self._started.get(node, 0)
        return prefix


def _inline(part: Part) -> str:
    if part.marks or part.cuts:
        return render_inline(part.text, part.marks, part.cuts, _STYLE)
    return _STYLE.text(part.text)


def _plain(part: Part) -> str:
    """Return the text of a part without its marks, without what is cut out."""
    if not part.cuts:
        return part.text
    starts = [0, *(end for _, end in part.cuts)]
    ends = [*(begin for begin, _ in part.cuts), len(part.text)]
    return "".join(part.text[start:end] for start, end in zip(starts, ends, strict=True))


def _cell(parts: list[Part]) -> str:
    return " ".join(" ".join(map(_inline, parts)).split()).replace("|", "\\|")


def _escaped_start(start: str) -> str:
    return start + "\\" if start.isdigit() else "\\" + start
