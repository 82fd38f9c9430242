"""Pages as one sequence of token numbers: steps 1 and 2 of Foschini's thesis (2007), section 3.2."""

from collections.abc import Sequence
from typing import TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.array_types import Int32s, Int64s, UInt16s, UInt32s
from templ_core.dom.document import Document
from templ_core.lab.papers.foschini._phrase_tokens import TokenNumbers, token_spans
from templ_core.lab.papers.foschini.mutable_patterns import Normaliser
from templ_core.site_level.strings.suffix_array import BORDER, BREAK

LINE = "\n"
"""Key of a border."""
_REMEMBERED_TOKENS = 1 << 24
"""Different tokens whose numbers are kept while a corpus is read."""
_KEPT_TOKENS = 1 << 15
"""Different tokens whose numbers are kept for the next corpus, some 200 bytes each."""
TokenPlace: TypeAlias = tuple[str, int, int]
"""A token, the index of its first character, and the index behind its last one."""


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
    return [token for token, _, _ in token_places(page, markup=markup)]


def token_places(page: str, *, markup: bool = False) -> list[TokenPlace]:
    """Return the tokens of a page with their places in `page`.

    The place of a border is the end of one line and the start of the next.
    """
    places = [
        (page[first:behind], first, behind)
        for first, behind in token_spans(page, markup=markup).tolist()
    ]
    return places if markup else [(LINE, 0, 0), *places, (LINE, len(page), len(page))]


class CorpusReader:
    """Reads corpora, and remembers the keys of tokens from one to the next; for one thread.

    The numbers of keys depend on what was read before, but not which tokens have equal ones.
    """

    def __init__(self, normaliser: Normaliser) -> None:
        """Begin with nothing remembered."""
        self.normaliser = normaliser
        self._begin()

    def _begin(self) -> None:
        self._number_of_key = {"": BREAK, LINE: BORDER}
        self._keys = list(self._number_of_key)
        self._asked_count = 0
        self._tokens = TokenNumbers(
            self._number_of, border=BORDER, remembered_max=_REMEMBERED_TOKENS
        )

    def _number_of(self, token: str) -> int:
        self._asked_count += 1
        key = self.normaliser.key(token)
        number = self._number_of_key.setdefault(key, len(self._keys))
        if number == len(self._keys):
            self._keys.append(key)
        return number

    def read(self, pages: Sequence[str], *, occurrences_min: int, markup: bool) -> TokenCorpus:
        """Return the corpus of some pages.

        Args:
            pages: Text with a line for each block; or markup as it is.
            occurrences_min: Keys that occur less often become breaks.
            markup: Whether the pages are markup; symbols are tokens then, and lines mean nothing.
        """
        if self._asked_count > _KEPT_TOKENS:
            self._begin()
        parts = [self._tokens.read([page], markup=markup)[0] for page in pages]
        return _renumbered(parts, self._keys, occurrences_min)


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
