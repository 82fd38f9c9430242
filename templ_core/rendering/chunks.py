"""The sections of a text in Markdown, each with an id that depends on its own text alone."""

from collections.abc import Iterator
from hashlib import blake2b
from itertools import zip_longest
from typing import NamedTuple

import msgspec

from templ_core.patterns import pattern

_HEADING = pattern(r"(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*")
_FENCE = pattern(r"\s*(`{3,}|~{3,})")
_ID_BYTES = 16


class Chunk(msgspec.Struct, frozen=True, kw_only=True):
    """A section of a page: a heading, and what follows it up to the next one."""

    id: str
    """BLAKE2b of `markdown` in UTF-8, 32 hexadecimal digits: equal texts have equal ids on all pages."""
    headings: list[str]
    """The headings above it, outermost first, its own last; empty for what stands before the first."""
    markdown: str
    """The section, its own heading included."""


def markdown_chunks(markdown: str) -> list[Chunk]:
    r"""Return the sections of a text; a heading with another one below it and no text of its own is no section.

    >>> [(one.headings, one.markdown) for one in markdown_chunks("# Tea\n\n## Green\n\nSteep it.")]
    [(['Tea', 'Green'], '## Green\n\nSteep it.')]
    """
    sections = list(_sections(markdown))
    chunks: list[Chunk] = []
    above: list[tuple[int, str]] = []
    for section, after in zip_longest(sections, sections[1:]):
        if section.level:
            above = [(level, title) for level, title in above if level < section.level]
            above.append((section.level, section.title))
        if not section.text or (not section.has_own_text and after and after.level > section.level):
            continue
        chunks.append(
            Chunk(
                id=blake2b(section.text.encode(), digest_size=_ID_BYTES).hexdigest(),
                headings=[title for _, title in above],
                markdown=section.text,
            )
        )
    return chunks


class _Section(NamedTuple):
    level: int
    """Level of its heading, 1 to 6; 0 for what stands before the first heading."""
    title: str
    text: str
    has_own_text: bool


def _sections(markdown: str) -> Iterator[_Section]:
    level, title, fence = 0, "", ""
    lines: list[str] = []
    for line in markdown.split("\n"):
        mark = _FENCE.match(line)
        if mark and (not fence or (mark[1].startswith(fence) and line.strip() == mark[1])):
            fence = "" if fence else mark[1]
        heading = None if fence else _HEADING.fullmatch(line)
        if heading:
            yield _section(level, title, lines)
            level, title, lines = len(heading[1]), heading[2] or "", []
        lines.append(line)
    yield _section(level, title, lines)


def _section(level: int, title: str, lines: list[str]) -> _Section:
    return _Section(level, title, "\n".join(lines).strip("\n"), any(lines[1 if level else 0 :]))
