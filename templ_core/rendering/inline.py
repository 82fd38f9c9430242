"""The inline content of a segment: its text with links, images and emphasis."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class InlineMark(NamedTuple):
    """A link, an image or an emphasised part of one segment."""

    start: int
    """First character."""
    end: int
    """Character behind the last one."""
    node: int
    """Number of the element; marks of elements inside it have larger numbers up to `node_end`."""
    node_end: int
    tag: str
    target: str
    """Absolute address of a link or an image; empty if it has none that can be used."""
    label: str
    """Alternative text of an image."""


class InlineStyle(Protocol):
    """How inline content is written in some form of text."""

    def text(self, text: str) -> str:
        """Return plain text as this form writes it."""

    def marked(self, mark: InlineMark, content: str) -> str:
        """Return what stands between the ends of a mark, as this form writes it."""

    def image(self, mark: InlineMark) -> str:
        """Return an image as this form writes it."""


def render_inline(
    text: str,
    marks: Sequence[InlineMark],
    cuts: Sequence[tuple[int, int]],
    style: InlineStyle,
) -> str:
    """Return a segment with its marks.

    Blanks at the ends of a mark are written outside it, and a mark without content is left out.

    Args:
        text: Text of the segment.
        marks: Its marks, in the order of their elements.
        cuts: First characters, and characters behind the last, of what is cut out; in order.
        style: How text, marks and images are written.
    """
    return _Inline(text, cuts, style).render(marks)


class _Inline:
    def __init__(self, text: str, cuts: Sequence[tuple[int, int]], style: InlineStyle) -> None:
        self._text = text
        self._cuts = cuts
        self._style = style
        self._place = 0
        self._open: list[InlineMark] = []
        self._written: list[list[str]] = [[]]

    def render(self, marks: Sequence[InlineMark]) -> str:
        for mark in marks:
            while self._open and mark.node >= self._open[-1].node_end:
                self._close()
            if mark.tag == "img":
                self._write_up_to(mark.start)
                self._written[-1].append(self._style.image(mark))
                continue
            start = mark.start
            while start < mark.end and self._text[start].isspace():
                start += 1
            self._write_up_to(start)
            self._open.append(mark)
            self._written.append([])
        while self._open:
            self._close()
        self._write_up_to(len(self._text))
        return "".join(self._written[0]).strip()

    def _close(self) -> None:
        mark = self._open.pop()
        end = mark.end
        while end > self._place and self._text[end - 1].isspace():
            end -= 1
        self._write_up_to(end)
        content = "".join(self._written.pop())
        if content:
            self._written[-1].append(self._style.marked(mark, content))

    def _write_up_to(self, end: int) -> None:
        if end <= self._place:
            return
        start, self._place = self._place, end
        for cut_start, cut_end in self._cuts:
            if cut_start < end and cut_end > start:
                self._write(start, cut_start)
                start = cut_end
        self._write(start, end)

    def _write(self, start: int, end: int) -> None:
        if start < end:
            self._written[-1].append(self._style.text(self._text[start:end]))
