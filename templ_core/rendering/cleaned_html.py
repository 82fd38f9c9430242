"""Kept segments as HTML with the elements that give text its structure, and nothing else."""

from html import escape

from templ_core.dom.tags import CELLS, HEADING_LEVELS
from templ_core.rendering.blocks import code_language, without_line_numbers
from templ_core.rendering.outline import Chain, Outline, Part

_HOLDS_TEXT = frozenset(HEADING_LEVELS) | frozenset(
    ["p", "li", "td", "th", "dt", "dd", "figcaption", "caption", "pre"]
)
_ONE_PARAGRAPH = frozenset(HEADING_LEVELS) | {"p"}


def render_html(outline: Outline) -> str:
    """Return the kept segments as HTML without attributes but for addresses, alternative texts, numbers of lists and cells, and the language of code.

    Args:
        outline: The kept segments of the page, and what is around them.

    >>> import numpy as np
    >>> from templ_core.dom.document import parse_document
    >>> page = parse_document("<div class=x>A <a href=/b>b</a></div>", "", with_marks=True)
    >>> render_html(Outline(page, np.ones(1, bool), None, "https://example.com/"))
    '<p>A <a href="https://example.com/b">b</a></p>'
    """
    return _Html(outline).render()


class _Html:
    def __init__(self, outline: Outline) -> None:
        self._outline = outline
        self._writer = outline.writer(is_html=True)
        self._written: list[str] = []
        self._open: Chain = ()
        self._cells: dict[int, int] = {}
        """Where the last cell that was written of each open row ends."""

    def render(self) -> str:
        for part in self._outline.parts(self._writer):
            self._write(part)
        self._go_to(())
        return "".join(self._written)

    def _write(self, part: Part) -> None:
        chain = self._outline.chain(part.owner)
        is_same = chain == self._open and bool(chain)
        pre = self._outline.pre(part.owner)
        is_verbatim = pre >= 0
        text = self._outline.written(part, self._writer, is_verbatim=is_verbatim)
        if is_verbatim:
            plain = self._outline.text(part)
            code = without_line_numbers(self._outline, pre, [plain])
            if not code:
                return
            text = text if code == plain else escape(code)
            self._go_to(chain)
            self._written.append("\n" + text if is_same else text)
            return
        if not text:
            return
        last = self._outline.tag(chain[-1]) if chain else ""
        if is_same and last in _ONE_PARAGRAPH:
            self._go_to(chain[:-1])
        self._go_to(chain)
        is_bare = last in _HOLDS_TEXT and not (is_same and last not in _ONE_PARAGRAPH)
        is_bare = is_bare or self._outline.tag(part.owner) == "formula-block"
        self._written.append(text if is_bare else f"<p>{text}</p>")

    def _go_to(self, chain: Chain) -> None:
        """Close and open elements until those of `chain` are open."""
        shared = 0
        for node, other in zip(chain, self._open, strict=False):
            if node != other:
                break
            shared += 1
        for node in reversed(self._open[shared:]):
            tag = self._outline.tag(node)
            if tag == "tr":
                self._fill(node, int(self._outline.document.nodes.end[node]))
            self._written.append(f"</{tag}>")
        above = chain[shared - 1] if shared else -1
        for node in chain[shared:]:
            tag = self._outline.tag(node)
            if tag in CELLS and above >= 0 and self._outline.tag(above) == "tr":
                self._fill(above, node)
                self._cells[above] = int(self._outline.document.nodes.end[node])
            self._written.append(f"<{tag}{self._attributes(node, tag)}>")
            above = node
        self._open = chain

    def _fill(self, row: int, end: int) -> None:
        """Write the cells of a row without kept text from where it has been written to `end`."""
        begin = self._cells.get(row, row)
        for cell in self._outline.cells(row):
            if begin <= cell < end:
                tag = self._outline.tag(cell)
                self._written.append(f"<{tag}{self._attributes(cell, tag)}></{tag}>")

    def _attributes(self, node: int, tag: str) -> str:
        if tag == "pre":
            language = code_language(self._outline, node)
            return f' class="language-{language}"' if language else ""
        numbers = self._outline.numbers(node)
        if not numbers:
            return ""
        if tag in CELLS:
            columns, rows = self._outline.spans(node)
            across = f' colspan="{columns}"' if columns != 1 else ""
            return across + (f' rowspan="{rows}"' if rows != 1 else "")
        if tag == "li":
            return f' value="{numbers}"'
        start, _, order = numbers.partition(" ")
        return (f' start="{start}"' if start else "") + (f" {order}" if order else "")
