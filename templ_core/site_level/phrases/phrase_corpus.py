"""Pages as one sequence of token numbers: steps 1 and 2 of Foschini's thesis, section 3.2."""

from collections.abc import Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.array_types import Int32s, Int64s, UInt16s, UInt32s
from templ_core.dom.document import Document
from templ_core.site_level.phrases._phrase_tokens import TokenNumbers, token_spans
from templ_core.site_level.phrases.mutable_patterns import Normaliser
from templ_core.site_level.phrases.suffix_array import BORDER, BREAK

LINE = "\n"
"""Key of a border."""
_REMEMBERED_TOKENS = 1 << 24
TokenPlace = tuple[str, int, int]
"""A token, its first character, and that behind its last one."""


def page_text(document: Document) -> str:
    """The text of a page, a line for each block and each part of it between line breaks.

    Verbatim blocks are one line each: listings begin alike without being a template.
    """
    return LINE.join(lines_of_segments(document))


def segment_of_each_line(document: Document) -> Int64s:
    """The segment that each line of `page_text` belongs to; length n_lines."""
    lines = [text.count(LINE) + 1 for text in lines_of_segments(document)]
    return np.repeat(np.arange(len(lines)), lines)


def lines_of_segments(
    document: Document, segments: npt.NDArray[np.integer] | None = None
) -> list[str]:
    """The text of each segment, or of some of them, with a line feed between its lines."""
    texts, owner = document.segments.texts, document.segments.owner
    if segments is not None:
        texts, owner = [texts[one] for one in segments.tolist()], owner[segments]
    element_types = document.nodes.element_types
    return [
        text.replace(LINE, " ") if element_types[element_type][0] == "pre" else text
        for text, element_type in zip(
            texts, document.nodes.element_type[owner].tolist(), strict=True
        )
    ]


class Corpus(msgspec.Struct, frozen=True, kw_only=True):
    """The tokens of some pages, one after the other, a break behind each page."""

    tokens: UInt16s | UInt32s
    """Numbers of tokens; `BREAK` also for tokens on too few pages."""
    document_of: npt.NDArray[np.unsignedinteger]
    """Page of each token."""
    keys: list[str]
    """Key of each number."""


def page_tokens(page: str, *, markup: bool = False) -> list[str]:
    r"""The tokens of a page; those of text have a border before and behind each line.

    Of text: compounds, characters of scripts without spaces, borders. A compound is a word or words
    joined by up to three marks without white space: numbers, times, addresses are one token each.
    Whether a token starts or ends somewhere can be told from the four characters on either side. Of
    markup: also runs of other symbols, and no borders.

    >>> page_tokens("Read at 12:30\nhttps://a.org/b?c=1")
    ['\n', 'Read', 'at', '12:30', '\n', 'https://a.org/b?c=1', '\n']
    >>> page_tokens('<p class="a">x y</p>', markup=True)
    ['<', 'p', 'class', '="', 'a', '">', 'x', 'y', '</', 'p', '>']
    """
    return [token for token, _, _ in token_places(page, markup=markup)]


def token_places(page: str, *, markup: bool = False) -> list[TokenPlace]:
    """The tokens of a page with their first character and that behind them, in `page`.

    Those of a border are the end of one line and the start of the next.
    """
    places = [
        (page[first:behind], first, behind)
        for first, behind in token_spans(page, markup=markup).tolist()
    ]
    return places if markup else [(LINE, 0, 0), *places, (LINE, len(page), len(page))]


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
    number_of_key = {"": BREAK, LINE: BORDER}
    numbers = TokenNumbers(
        lambda token: number_of_key.setdefault(normaliser.key(token), len(number_of_key)),
        border=BORDER,
        remembered_max=_REMEMBERED_TOKENS,
    )
    parts = [numbers.read([page], markup=markup)[0] for page in pages]
    return _numbered_anew(parts, list(number_of_key), occurrences_min)


def _numbered_anew(parts: list[Int32s], keys: list[str], occurrences_min: int) -> Corpus:
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
