"""Pages as one sequence of token numbers: steps 1 and 2 of Foschini's thesis, section 3.2."""

import re
from collections.abc import Iterable, Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.dom.document import Document
from templ_core.site_level.mutable_patterns import Normaliser
from templ_core.site_level.suffix_array import BORDER, BREAK
from templ_core.tokens import line_tokens, markup_tokens

LINE = "\n"
"""Key of a border."""
TokenPlace = tuple[str, int, int]
"""A token, its first character, and that behind its last one."""


def page_text(document: Document) -> str:
    """The text of a page, a line for each block and each part of it between line breaks.

    Verbatim blocks are one line each: listings begin alike without being a template.
    """
    return LINE.join(lines_of_segments(document))


def segment_of_each_line(document: Document) -> npt.NDArray[np.int64]:
    """The segment that each line of `page_text` belongs to; length n_lines."""
    lines = [text.count(LINE) + 1 for text in lines_of_segments(document)]
    return np.repeat(np.arange(len(lines)), lines)


def lines_of_segments(document: Document, segments: Iterable[int] | None = None) -> list[str]:
    """The text of each segment, or of some of them, with a line feed between its lines."""
    kinds, kind = document.nodes.kinds, document.nodes.kind
    owner, texts = document.segments.owner, document.segments.texts
    return [
        texts[one].replace(LINE, " ") if kinds[kind[owner[one]]][0] == "pre" else texts[one]
        for one in (range(len(texts)) if segments is None else segments)
    ]


class Corpus(msgspec.Struct, frozen=True, kw_only=True):
    """The tokens of some pages, one after the other, a break behind each page."""

    tokens: npt.NDArray[np.uint16] | npt.NDArray[np.uint32]
    """Numbers of tokens; `BREAK` also for tokens on too few pages."""
    document_of: npt.NDArray[np.unsignedinteger]
    """Page of each token."""
    keys: list[str]
    """Key of each number."""


class _Numbers(dict[str, int]):
    """Tokens to the numbers of their keys, in order of appearance."""

    def __init__(self, normaliser: Normaliser) -> None:
        super().__init__({LINE: BORDER})
        self.of_key = {"": BREAK, LINE: BORDER}
        self._key = normaliser.key

    def __missing__(self, token: str) -> int:
        number = self[token] = self.of_key.setdefault(self._key(token), len(self.of_key))
        return number


def page_tokens(page: str, *, markup: bool = False) -> list[str]:
    """The tokens of a page; those of text have a border before and behind each line."""
    pattern, page = _pattern(page, markup=markup)
    return pattern.findall(page)


def token_places(page: str, *, markup: bool = False) -> list[TokenPlace]:
    """The tokens of a page with their first character and that behind them, in `page`.

    Those of a border are the end of one line and the start of the next.
    """
    pattern, bordered = _pattern(page, markup=markup)
    shift = 0 if markup else len(LINE)
    size = len(page)
    return [
        (match.group(), max(0, match.start() - shift), min(size, match.end() - shift))
        for match in pattern.finditer(bordered)
    ]


def _pattern(page: str, *, markup: bool) -> tuple[re.Pattern[str], str]:
    """The pattern of a page's tokens, and the page with its borders."""
    if markup:
        return markup_tokens(page), page
    page = f"{LINE}{page}{LINE}"
    return line_tokens(page), page


def read_corpus(
    pages: Sequence[str], normaliser: Normaliser, *, occurrences_min: int, markup: bool
) -> Corpus:
    """The corpus of some pages.

    Args:
        pages: Text, a line a block; or markup as it is.
        normaliser: Tokens to keys.
        occurrences_min: Keys that occur less often become breaks.
        markup: Whether the pages are markup; symbols are tokens then, and lines mean nothing.
    """
    numbers = _Numbers(normaliser)
    number = numbers.__getitem__
    parts = []
    for page in pages:
        found = page_tokens(page, markup=markup)
        parts.append(np.fromiter(map(number, found), np.int32, len(found)))
    return _numbered_anew(parts, list(numbers.of_key), occurrences_min)


def _numbered_anew(
    parts: list[npt.NDArray[np.int32]], keys: list[str], occurrences_min: int
) -> Corpus:
    """Frequent keys get numbers without gaps, so that they need few bytes; rare ones none."""
    sizes = np.array([len(part) + 1 for part in parts], np.int64)
    end = np.array([BREAK], np.int32)
    joined = np.concatenate([piece for part in parts for piece in (part, end)] or [end[:0]])
    frequent = np.bincount(joined, minlength=len(keys)) >= occurrences_min
    frequent[[BREAK, BORDER]] = True
    new = np.where(frequent, np.cumsum(frequent) - 1, BREAK)
    small = np.count_nonzero(frequent) <= np.iinfo(np.uint16).max
    tokens = new.astype(np.uint16 if small else np.uint32)[joined]
    few = len(parts) <= np.iinfo(np.uint16).max
    documents = np.arange(len(parts)).astype(np.uint16 if few else np.uint32)
    document_of = np.repeat(documents, sizes)
    kept = np.ones(len(tokens), np.bool_)
    kept[1:] = (tokens[1:] != BREAK) | (tokens[:-1] != BREAK)
    return Corpus(
        tokens=tokens[kept],
        document_of=document_of[kept],
        keys=[key for key, is_frequent in zip(keys, frequent.tolist(), strict=True) if is_frequent],
    )
