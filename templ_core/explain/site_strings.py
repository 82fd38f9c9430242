"""The strings that a site repeats as texts, with the pages of its window that have them."""

import re
from collections.abc import Iterable, Iterator

import msgspec
import numpy as np

from templ_core.array_types import UInt16s
from templ_core.dom.document import Document
from templ_core.page_level.features.page_features import PageFeatures, read_features
from templ_core.site_level.config import STRINGS_CONFIG
from templ_core.site_level.strings.string_evidence import StringTable, read_prose
from templ_core.site_level.strings.suffix_array import BREAK
from templ_core.tokens import tokenise


class SiteString(msgspec.Struct, frozen=True, kw_only=True):
    """One string of a site model."""

    text: str
    """The text where it was met first, a line for each segment."""
    pages: int
    """Pages of the window that have it, numbers aside."""
    is_usual: bool
    """Whether it is a string of whole segments that most pages have; others are strings of words."""


class StringHit(msgspec.Struct, frozen=True, kw_only=True):
    """A string of the site on a page: of words in a segment, or of whole segments that most pages have."""

    text: str
    """Its text on the page, a line for each segment."""
    tokens: bytes
    """Its tokens, by which other pages are searched for it."""
    is_usual: bool
    """Whether it is a string of whole segments."""


def read_site_strings(documents: Iterable[Document], table: StringTable) -> list[SiteString]:
    """Return the strings of a site, those of most pages first, of equal ones the longest.

    A string whose text no document has any more is left out.
    """
    words = {string: "" for column in table.words[:2] for string in _strings(column)}
    usual = dict.fromkeys(_strings(table.usual), "")
    pages = dict.fromkeys([*words, *usual], 0)
    for document in documents:
        if not document.segments.texts:
            continue
        features = read_features(document)
        shapes = table.segment_tokens(features.shape)
        for texts, tokens, text_of in (
            (words, read_prose(features).tokens, _words_text),
            (usual, shapes, _segments_text),
        ):
            column = tokens.tobytes()
            for string in texts:
                at = position(column, string)
                if at is not None:
                    pages[string] += 1
                    texts[string] = texts[string] or text_of(
                        document, features, at, len(string) // 2
                    )
    strings = [
        SiteString(text=text, pages=pages[one], is_usual=found is usual)
        for found in (words, usual)
        for one, text in found.items()
        if text
    ]
    return sorted(strings, key=lambda string: (-string.pages, -len(string.text), string.text))


def string_hits(
    document: Document, features: PageFeatures, table: StringTable
) -> list[list[StringHit]]:
    """Return the longest strings that each segment has in common with its site; length n_segments."""
    words, tokens = features.words, read_prose(features).tokens
    hits: list[list[StringHit]] = [[] for _ in document.segments.texts]
    firsts, behinds = table.word_finders[0].matches(tokens, STRINGS_CONFIG.words_min, words.segment)
    for first, behind in zip(firsts.tolist(), behinds.tolist(), strict=True):
        text = _words_text(document, features, first, behind - first)
        hit = StringHit(text=text, tokens=tokens[first:behind].tobytes(), is_usual=False)
        hits[int(words.segment[first])].append(hit)
    tokens = table.segment_tokens(features.shape)
    firsts, behinds = table.usual_finder.matches(tokens, 1)
    for first, behind in zip(firsts.tolist(), behinds.tolist(), strict=True):
        text = _segments_text(document, features, first, behind - first)
        hit = StringHit(text=text, tokens=tokens[first:behind].tobytes(), is_usual=True)
        for own in hits[first:behind]:
            own.append(hit)
    return hits


def string_expression(text: str) -> str:
    r"""Return a regular expression of Python's `re` for a string; case, marks and numbers may differ.

    >>> import re
    >>> found = re.search(
    ...     string_expression("Read all 3 stories"), "We READ all -- 17 stories.", re.I
    ... )
    >>> found and found[0]
    'READ all -- 17 stories'
    """
    spans, end = [], 0
    for word in tokenise(text):
        begin = text.index(word, end)
        end = begin + len(word)
        spans.append((begin, end, False))
    return words_expression(text, spans)


def words_expression(text: str, words: Iterable[tuple[int, int, bool]]) -> str:
    r"""Return a regular expression for words of a text, in which case, marks, numbers and some words may differ.

    >>> words_expression("Read all 3 stories", [(0, 4, False), (5, 8, True), (9, 10, False)])
    'Read(?:\\W+\\w+){0,1}\\W+[^\\W\\d]*\\d\\w*'

    Args:
        text: The text.
        words: For each word its first character, the one behind it, and whether other words, or none, may stand
            in its place.
    """
    parts: list[str] = []
    end = free = 0
    for begin, behind, is_free in words:
        if is_free:
            free += 1
        else:
            border = r"\W+" if begin > end else r"\W*"
            gap = rf"(?:\W+\w+){{0,{free}}}" if parts else rf"(?:\w+\W+){{0,{free}}}"
            parts += [gap] * bool(free) + [border] * bool(parts)
            word, free = text[begin:behind], 0
            has_digit = any(char.isdigit() for char in word)
            parts.append(r"[^\W\d]*\d\w*" if has_digit else re.escape(word))
        end = behind
    return "".join(parts) + (rf"(?:\W+\w+){{0,{free}}}" if free else "")


def position(column: bytes, wanted: bytes) -> int | None:
    r"""Return the index of the first occurrence of some 16-bit tokens among others; None = there is none.

    >>> position(b"\1\0\2\0\3\0", b"\2\0\3\0"), position(b"\0\2\0\1", b"\2\0")
    (1, None)
    """
    at = column.find(wanted)
    while at >= 0 and at % 2:
        at = column.find(wanted, at + 1)
    return at // 2 if at >= 0 else None


def _strings(column: UInt16s) -> Iterator[bytes]:
    """Yield the tokens of each string of a column."""
    breaks = np.flatnonzero(column <= BREAK)
    for before, after in zip(breaks[:-1].tolist(), breaks[1:].tolist(), strict=True):
        if after > before + 1:
            yield column[before + 1 : after].tobytes()


def _words_text(document: Document, features: PageFeatures, first: int, count: int) -> str:
    words, last = features.words, first + count - 1
    text = "\n".join(document.segments.texts)
    return text[int(words.first[first]) : int(words.first[last] + words.length[last])]


def _segments_text(document: Document, _: PageFeatures, first: int, count: int) -> str:
    return "\n".join(document.segments.texts[first : first + count])
