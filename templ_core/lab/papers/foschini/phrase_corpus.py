"""Pages as one sequence of token numbers: steps 1 and 2 of Foschini's thesis (2007), section 3.2."""

import functools
import re
from collections.abc import Sequence
from typing import TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.array_types import Int32s, Int64s, UInt16s, UInt32s
from templ_core.dom.document import Document
from templ_core.lab.papers.foschini.mutable_patterns import Normaliser
from templ_core.site_level.strings.suffix_array import BORDER, BREAK
from templ_core.tokens import JOINER, JOINERS_MAX, SYMBOL, UNSPACED, WORD

LINE = "\n"
"""Key of a border."""
TokenPlace: TypeAlias = tuple[str, int, int]
"""A token, the index of its first character, and the index behind its last one."""
_COMPOUND = rf"{WORD}++(?:{JOINER}{{1,{JOINERS_MAX}}}{WORD}++)*+"
_TEXT_TOKEN = re.compile(rf"{_COMPOUND}|\n|{UNSPACED}")
_MARKUP_TOKEN = re.compile(f"{_COMPOUND}|{SYMBOL}++|{UNSPACED}")


def page_text(document: Document) -> str:
    r"""Return the text of a page, a line for each block and each part of it between line breaks.

    A verbatim block is one line, because listings of programs begin alike without being a template.

    >>> from templ_core.dom.document import parse_document
    >>> page_text(parse_document("<h1>News</h1><p>One<br>two", "http://a.example/")).split("\n")
    ['News', 'One', 'two']
    """
    return LINE.join(lines_of_segments(document))


def segment_of_each_line(document: Document) -> Int64s:
    """Return the number of the segment that each line of `page_text` belongs to; length n_lines."""
    lines = [text.count(LINE) + 1 for text in lines_of_segments(document)]
    return np.repeat(np.arange(len(lines)), lines)


def lines_of_segments(document: Document) -> list[str]:
    """Return the text of each segment with a line feed between its lines."""
    element_types, element_type = document.nodes.element_types, document.nodes.element_type
    texts, owners = document.segments.texts, document.segments.owner
    return [
        text.replace(LINE, " ") if element_types[one][0] == "pre" else text
        for text, one in zip(texts, element_type[owners].tolist(), strict=True)
    ]


class TokenCorpus(msgspec.Struct, frozen=True, kw_only=True):
    """The tokens of some pages, one after the other, a break behind each page."""

    tokens: UInt16s | UInt32s
    """Number of each token; `BREAK` for tokens that occur too rarely."""
    document_of: npt.NDArray[np.unsignedinteger]
    """Number of each token's page."""
    keys: list[str]
    """Key of each number."""


def page_tokens(page: str, *, markup: bool = False) -> list[str]:
    r"""Return the tokens of a page; the lines of text have a border before and after each.

    The tokens of text are compounds, characters of scripts without spaces, and borders. A compound is
    a word, or words joined by up to three marks without white space: numbers, times and addresses are
    one token each. The four characters on either side of a place tell whether a token starts or ends
    there. In markup runs of other symbols are tokens, too, and there are no borders.

    >>> page_tokens("Read at 12:30\nhttps://a.org/b?c=1")
    ['\n', 'Read', 'at', '12:30', '\n', 'https://a.org/b?c=1', '\n']
    >>> page_tokens('<p class="a">x y</p>', markup=True)
    ['<', 'p', 'class', '="', 'a', '">', 'x', 'y', '</', 'p', '>']
    """
    return _MARKUP_TOKEN.findall(page) if markup else [LINE, *_TEXT_TOKEN.findall(page), LINE]


def token_places(page: str, *, markup: bool = False) -> list[TokenPlace]:
    """Return the tokens of a page with their places in `page`.

    The place of a border is the end of one line and the start of the next.
    """
    found = (_MARKUP_TOKEN if markup else _TEXT_TOKEN).finditer(page)
    places = [(one[0], one.start(), one.end()) for one in found]
    return places if markup else [(LINE, 0, 0), *places, (LINE, len(page), len(page))]


def read_corpus(
    pages: Sequence[str], normaliser: Normaliser, *, occurrences_min: int, markup: bool
) -> TokenCorpus:
    """Return the corpus of some pages.

    Args:
        pages: Text with a line for each block; or markup as it is.
        normaliser: Gives tokens their keys.
        occurrences_min: Keys that occur less often become breaks.
        markup: Whether the pages are markup; symbols are tokens then, and lines mean nothing.
    """
    number_of_key = {"": BREAK, LINE: BORDER}

    @functools.cache
    def number_of(token: str) -> int:
        key = token if token == LINE else normaliser.key(token)
        return number_of_key.setdefault(key, len(number_of_key))

    parts = [
        np.fromiter(map(number_of, page_tokens(page, markup=markup)), np.int32) for page in pages
    ]
    return _renumbered(parts, list(number_of_key), occurrences_min)


def _renumbered(parts: list[Int32s], keys: list[str], occurrences_min: int) -> TokenCorpus:
    """Return the corpus with numbers for frequent keys alone, without gaps, so they need few bytes."""
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
    return TokenCorpus(
        tokens=tokens[kept],
        document_of=document_of[kept],
        keys=[keys[number] for number in np.flatnonzero(frequent).tolist()],
    )
