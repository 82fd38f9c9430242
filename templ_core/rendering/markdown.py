"""Kept segments as Markdown: CommonMark with the tables of GitHub."""

import re
from itertools import groupby, takewhile

from templ_core.patterns import pattern
from templ_core.rendering.blocks import code_language, item_numbers, without_line_numbers
from templ_core.rendering.outline import Chain, Outline, Part
from templ_core.rendering.tables import CellText, DataTable, data_table

_LINE_STARTS = frozenset("#-+>~=|:0123456789")
_LINE_START = pattern(
    r"^(#{1,6}(?=\s|$)|[-+](?=\s|$)|>|~~~|=+\s*$|-{2,}\s*$|[|:](?=[-:| ]+$)|\d{1,9}(?=[.)](?:\s|$)))",
    re.MULTILINE,
)
_CLOSING = pattern(r"(^|\s)(#+)$")
"""What CommonMark takes for the end of a heading."""
_NUMBER_MAX = 999_999_999
"""The largest number of a list item in CommonMark."""
_FENCE = pattern(r"`{3,}")
_TICKS = pattern(r"`+")
_PADDING_MAX = 20
"""Most times by which rows may multiply the cells of a table to be as long as the longest; readers fill others up."""


def render_markdown(outline: Outline) -> str:
    """Return the kept segments as Markdown.

    Headings, lists, quotations, code, tables of data, links, emphasis and images are written. Sub- and
    superscripts are HTML inside the Markdown. Every line break of a segment stays a line break.

    Args:
        outline: The kept segments of the page, and what is around them.

    >>> import numpy as np
    >>> from templ_core.dom.document import parse_document
    >>> page = parse_document(
    ...     "<h1>News</h1><ul><li>One<li><a href=/2>Two</a></ul>", "", with_marks=True
    ... )
    >>> url = "https://example.com/"
    >>> print(render_markdown(Outline(page, np.ones(3, bool), None, url)))
    # News
    <BLANKLINE>
    - One
    - [Two](https://example.com/2)
    """
    return _Markdown(outline).render()


class _Markdown:
    def __init__(self, outline: Outline) -> None:
        self._outline = outline
        self._writer = outline.writer(is_html=False)
        self._lines: list[str] = []
        self._block: int = -1
        """Number of the table or `pre` whose texts are collected; -1 = none."""
        self._collected: list[tuple[Part, str]] = []
        self._widths: dict[int, int] = {}
        """Widths of the markers of the list items that have begun."""
        self._last_items: dict[int, int] = {}
        """The last item of each list that has begun."""
        self._numbers: dict[int, dict[int, int]] = {}
        """Numbers of the items of each ordered list that has begun."""
        self._markers: dict[int, tuple[int, str]] = {}
        """The last number of each ordered list, and the sign behind it."""
        self._around: dict[int, Chain] = {}
        """Lists, items and quotations around a text, by the innermost one."""
        self._last: Chain = ()
        """Lists, items and quotations around the last block."""

    def render(self) -> str:
        outline, writer, lines = self._outline, self._writer, self._lines
        for segment, owner, level, block, item in outline.columns():
            images = writer.images_before(segment)
            for part in outline.image_parts(images) if images else ():
                self._add(part)
            if block >= 0 or self._block >= 0 or outline.cuts:
                self._add(Part(segment, -1, owner, level, block, item))
                continue
            text = writer.write(segment, None, level > 0)
            if item >= 0 or level or not text or text[0] in _LINE_STARTS or "\n" in text:
                self._write_text(level, item, text)
            else:
                if lines:
                    lines.append("")
                lines.append(text)
                self._last = ()
        for part in outline.image_parts(writer.images_before(len(outline.document.segments.texts))):
            self._add(part)
        self._end_block()
        return "\n".join(lines)

    def _add(self, part: Part) -> None:
        if self._block >= 0 and part.block != self._block:
            self._end_block()
        text = self._outline.written(part, self._writer)
        if part.block >= 0:
            self._block = part.block
            self._collected.append((part, text))
        else:
            self._write_text(part.level, part.item, text)

    def _end_block(self) -> None:
        """Write the table or `pre` whose texts were collected."""
        if not self._collected:
            return
        node, texts = self._block, self._collected
        self._block, self._collected = -1, []
        items = self._items(texts[0][0].item)
        table = self._table(node, texts) if self._outline.tag(node) == "table" else None
        if table is None:
            for pre, parts in groupby(texts, key=lambda one: self._outline.pre(one[0].owner)):
                self._write_parts(pre, list(parts))
            return
        around = tuple(takewhile(lambda item: item < node, items))
        for caption in table.captions:
            self._write(around, [caption])
        self._write(around, _lines_of(table))

    def _table(self, node: int, texts: list[tuple[Part, str]]) -> DataTable | None:
        if any(part.level for part, _ in texts):
            return None
        cells = []
        for part, text in texts:
            is_code = self._outline.pre(part.owner) >= 0
            shown = _code_in_cell(self._outline.text(part)) if is_code else _in_cell(text)
            if shown:
                cells.append(CellText(part.owner, shown, is_code))
        return data_table(self._outline, node, cells)

    def _write_parts(self, pre: int, parts: list[tuple[Part, str]]) -> None:
        """Write the texts of a `pre`, or texts that are in none."""
        if pre < 0:
            for part, text in parts:
                self._write_text(part.level, part.item, text)
            return
        texts = [self._outline.text(part) for part, _ in parts]
        code = without_line_numbers(self._outline, pre, texts)
        if code:
            around = takewhile(lambda item: item < pre, self._items(parts[0][0].item))
            self._write(tuple(around), _fenced(code, code_language(self._outline, pre)))

    def _write_text(self, level: int, item: int, text: str) -> None:
        if not text:
            return
        items = self._items(item)
        if level:
            title = text.replace("\n", " ")
            if title[-1] == "#":
                title = _CLOSING.sub(r"\1\\\2", title)
            self._write(items, ["#" * level + " " + title])
            return
        has_lines = "\n" in text
        if has_lines or text[0] in _LINE_STARTS:
            text = _LINE_START.sub(_escaped_start, text)
        if not has_lines:
            self._write(items, [text])
            return
        lines = text.split("\n")
        self._write(items, [f"{line}  " for line in lines[:-1]] + lines[-1:])

    def _write(self, items: Chain, lines: list[str]) -> None:
        """Write the lines of a block behind the marks of the quotations and list items around it."""
        if not items:
            if self._lines:
                self._lines.append("")
            self._lines += lines
            self._last = ()
            return
        begins, goes_on, is_tight = self._prefixes(items)
        if self._lines and not is_tight:
            self._lines.append(self._shared_prefix(items).rstrip())
        self._lines.append(begins + lines[0])
        if len(lines) > 1:
            self._lines += [(goes_on + line) if line else goes_on.rstrip() for line in lines[1:]]
        self._last = items

    def _prefixes(self, items: Chain) -> tuple[str, str, bool]:
        """Return what stands before the first line and before others, and whether no blank line does."""
        begins = goes_on = ""
        is_tight = False
        of_list, at_list = -1, 0
        tags = self._outline.document.nodes.tags
        for at, node in enumerate(items):
            tag = tags[node]
            if tag == "ul" or tag == "ol":  # noqa: PLR1714 - this is the innermost loop
                of_list, at_list = node, at
            elif tag == "blockquote":
                begins += "> "
                goes_on += "> "
            elif node in self._widths:
                begins += " " * self._widths[node]
                goes_on += " " * self._widths[node]
                is_tight = False
            else:
                # A list may begin right behind the text of the item that it stands in.
                is_tight = is_tight or of_list in self._last or items[:-2] == self._last != ()
                self._last_items[of_list] = node
                width = 2
                if of_list >= 0 and tags[of_list] == "ol":
                    marker, width, begins_list = self._marker(node, of_list, items[:at_list])
                    begins += marker
                    is_tight = is_tight and not begins_list
                else:
                    begins += "- "
                self._widths[node] = width
                goes_on += " " * width
        return begins, goes_on, is_tight

    def _marker(self, item: int, of_list: int, outer: Chain) -> tuple[str, int, bool]:
        """Return what begins an item of an ordered list, its width, and whether a list of Markdown begins with it.

        Markdown counts on by itself. Another number begins a list again, which needs another sign behind it.
        """
        if of_list not in self._numbers:
            self._numbers[of_list] = item_numbers(self._outline, of_list)
        follows = len(self._last) > len(outer) and self._last[: len(outer)] == outer
        before = self._last[len(outer)] if follows else -1
        last, sign = self._markers.get(before, (None, ")"))
        number = self._numbers[of_list].get(item, 1)
        goes_on = last is not None and number == last + 1
        if not goes_on:
            sign = ")" if sign == "." else "."
        self._markers[of_list] = number, sign
        if not 0 <= number <= _NUMBER_MAX:
            return f"- {number}\\. ", 2, not goes_on
        marker = f"{number}{sign} "
        return marker, len(marker), not goes_on and (number != 1 or before >= 0)

    def _items(self, item: int) -> Chain:
        """Return the lists, items and quotations around a text; a list right in a list stands in its last item."""
        chain = self._around.get(item)
        if chain is None:
            chain = self._outline.items(item)
            for at in range(len(chain) - 1, 0, -1):
                last = self._last_items.get(chain[at - 1], -1)
                if last >= 0 and self._outline.tag(chain[at]) in {"ul", "ol"}:
                    chain = (*chain[:at], last, *chain[at:])
            self._around[item] = chain
        return chain

    def _shared_prefix(self, items: Chain) -> str:
        """Return the marks of the quotations and items that hold both the last block and this one."""
        prefix = ""
        for node, other in zip(items, self._last, strict=False):
            if node != other:
                break
            tag = self._outline.tag(node)
            if tag == "blockquote":
                prefix += "> "
            elif tag == "li":
                prefix += " " * self._widths.get(node, 0)
        return prefix


def _fenced(code: str, language: str) -> list[str]:
    fence = "`" * max([3, *(len(ticks) + 1 for ticks in _FENCE.findall(code))])
    return [fence + language, *code.split("\n"), fence]


def _in_cell(text: str) -> str:
    return "<br>".join(" ".join(line.split()) for line in text.split("\n") if line.strip())


def _code_in_cell(code: str) -> str:
    """Return the lines of a `pre` as code in a line of Markdown."""
    shown = []
    for line in code.split("\n"):
        if line.strip():
            ticks = "`" * max([1, *(len(run) + 1 for run in _TICKS.findall(line))])
            blank = " " if "`" in line else ""
            shown.append(ticks + blank + line.rstrip() + blank + ticks)
    return "<br>".join(shown)


def _lines_of(table: DataTable) -> list[str]:
    width = max(map(len, table.rows))
    is_even = width * len(table.rows) <= _PADDING_MAX * sum(map(len, table.rows))
    lines = []
    for row in table.rows:
        cells = ["<br>".join(texts).replace("|", "\\|") for texts in row]
        lines.append(
            "| " + " | ".join([*cells, *[""] * (width - len(row) if is_even else 0)]) + " |"
        )
    border = "|" + " --- |" * width
    if table.has_header:
        return [lines[0], border, *lines[1:]]
    return ["|" + "  |" * width, border, *lines]


def _escaped_start(match: re.Match[str]) -> str:
    return match[0] + "\\" if match[0].isdigit() else "\\" + match[0]
