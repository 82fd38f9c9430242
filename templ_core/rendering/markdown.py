"""Kept segments as Markdown: CommonMark with the tables of GitHub."""

import re
from itertools import takewhile

from templ_core.patterns import pattern
from templ_core.rendering.blocks import DataTable, code_language, data_table, without_line_numbers
from templ_core.rendering.outline import Chain, Outline, Part

_LINE_STARTS = frozenset("#-+>~=|:0123456789")
_LINE_START = pattern(
    r"^(#{1,6}(?=\s|$)|[-+](?=\s|$)|>|~~~|=+\s*$|-{2,}\s*$|[|:](?=[-:| ]+$)|\d{1,9}(?=[.)](?:\s|$)))",
    re.MULTILINE,
)
_FENCE = pattern(r"`{3,}")


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
    def __init__(self, found: Outline) -> None:
        self._found = found
        self._writer = found.writer(is_html=False)
        self._lines: list[str] = []
        self._block: int = -1
        """Number of the table or `pre` whose texts are collected; -1 = none."""
        self._collected: list[tuple[Part, str]] = []
        self._widths: dict[int, int] = {}
        """Widths of the markers of the list items that have begun."""
        self._numbers: dict[int, int] = {}
        """Items of each list so far."""
        self._last: Chain = ()
        """Lists, items and quotations around the last block."""

    def render(self) -> str:
        found, writer, lines = self._found, self._writer, self._lines
        for segment, owner, level, block, item in found.columns():
            images = writer.images_before(segment)
            for part in found.image_parts(images) if images else ():
                self._add(part)
            if block >= 0 or self._block >= 0 or found.cuts:
                self._add(Part(segment, -1, owner, level, block, item))
                continue
            text = writer.write(segment, None)
            if item >= 0 or level or not text or text[0] in _LINE_STARTS or "\n" in text:
                self._write_text(level, item, text)
            else:
                if lines:
                    lines.append("")
                lines.append(text)
                self._last = ()
        for part in found.image_parts(writer.images_before(len(found.document.segments.texts))):
            self._add(part)
        self._end_block()
        return "\n".join(lines)

    def _add(self, part: Part) -> None:
        if self._block >= 0 and part.block != self._block:
            self._end_block()
        text = self._found.written(part, self._writer)
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
        items = self._found.items(texts[0][0].item)
        if self._found.tag(node) == "pre":
            code = without_line_numbers(
                self._found, node, [self._found.text(one) for one, _ in texts]
            )
            if code:
                self._write(items, _fenced(code, code_language(self._found, node)))
            return
        table = data_table(self._found, node, [(part.owner, text) for part, text in texts])
        if table is None:
            for part, text in texts:
                self._write_text(part.level, part.item, text)
            return
        around = tuple(takewhile(lambda item: item < node, items))
        for caption in table.captions:
            self._write(around, [caption])
        self._write(around, _table(table))

    def _write_text(self, level: int, item: int, text: str) -> None:
        if not text:
            return
        items = self._found.items(item)
        if level:
            self._write(items, ["#" * level + " " + text.replace("\n", " ")])
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
        of_list = -1
        tags = self._found.document.nodes.tags
        for node in items:
            tag = tags[node]
            if tag == "ul" or tag == "ol":  # noqa: PLR1714 - this is the innermost loop
                of_list = node
            elif tag == "blockquote":
                begins += "> "
                goes_on += "> "
            elif node in self._widths:
                begins += " " * self._widths[node]
                goes_on += " " * self._widths[node]
                is_tight = False
            else:
                marker = self._marker(of_list)
                self._widths[node] = len(marker)
                begins += marker
                goes_on += " " * len(marker)
                # A list may begin right behind the text of the item that it stands in.
                is_tight = is_tight or of_list in self._last or items[:-2] == self._last != ()
        return begins, goes_on, is_tight

    def _marker(self, of_list: int) -> str:
        if of_list >= 0 and self._found.tag(of_list) == "ol":
            self._numbers[of_list] = self._numbers.get(of_list, 0) + 1
            return f"{self._numbers[of_list]}. "
        return "- "

    def _shared_prefix(self, items: Chain) -> str:
        """Return the marks of the quotations and items that hold both the last block and this one."""
        prefix = ""
        for node, other in zip(items, self._last, strict=False):
            if node != other:
                break
            tag = self._found.tag(node)
            if tag == "blockquote":
                prefix += "> "
            elif tag == "li":
                prefix += " " * self._widths.get(node, 0)
        return prefix


def _fenced(code: str, language: str) -> list[str]:
    fence = "`" * max([3, *(len(ticks) + 1 for ticks in _FENCE.findall(code))])
    return [fence + language, *code.split("\n"), fence]


def _table(table: DataTable) -> list[str]:
    width = max(map(len, table.rows))
    lines = []
    for row in table.rows:
        cells = [" ".join(text.split()).replace("|", "\\|") for text in row]
        lines.append("| " + " | ".join([*cells, *[""] * (width - len(row))]) + " |")
    border = "|" + " --- |" * width
    if table.has_header:
        return [lines[0], border, *lines[1:]]
    return ["|" + "  |" * width, border, *lines]


def _escaped_start(found: re.Match[str]) -> str:
    return found[0] + "\\" if found[0].isdigit() else "\\" + found[0]
