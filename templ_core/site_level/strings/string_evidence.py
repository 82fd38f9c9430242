"""The strings that a site repeats, and what they say about the segments of one of its pages and sentences in them."""

import functools
from collections.abc import Sequence

import msgspec
import numpy as np

from templ_core.array_types import Bools, Floats, Int32s, Int64s, UInt8s, UInt16s, UInt64s
from templ_core.dom.document import Document
from templ_core.page_level.features.characters import Words
from templ_core.page_level.features.page_features import PageFeatures
from templ_core.patterns import pattern
from templ_core.site_level.config import STRINGS_CONFIG
from templ_core.site_level.strings._string_evidence import StringFinder, read_page, sentence_runs
from templ_core.site_level.strings._strings import numbered
from templ_core.site_level.strings.page_strings import PageProse, read_prose

FIRST_SHAPE = 2
"""The token of the first shape of a table."""
ALIKE_ROWS = 2
"""Rows of `StringTable.alike`."""
_MARKS = pattern(r"[^\w\s。！？]*[。！？]+[」』”’）)]*\s*|[^\w\s]*\s*")
"""The marks and the space behind the last word of a sentence, which go with it."""


class StringTable(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """The maximal strings of a window, by the share of its pages that have them.

    Every part of a string is on at least as many pages as the whole. So the longest string of a page that is
    on enough pages is the longest that it has in common with any string of a level.
    """

    shapes: UInt64s
    """The shapes of segments that recur, in ascending order; the token of `shapes[i]` is FIRST_SHAPE + i."""
    usual: UInt16s
    """Strings of whole segments that most pages have, each behind a break."""
    words: tuple[UInt16s, UInt16s, UInt16s]
    """Strings of words inside segments that few, some and many pages have, likewise."""
    alike: UInt8s
    """How often the text before and behind each shape that is prose stands there on other pages, too, in 1/255; shape
    (2, n_shapes). Texts that most pages have, or many more pages than have the shape, do not count."""

    @functools.cached_property
    def usual_finder(self) -> StringFinder:
        """What finds the strings of whole segments."""
        return StringFinder(self.usual)

    @functools.cached_property
    def word_finders(self) -> Sequence[StringFinder]:
        """What finds the strings of words: those of few, some and many pages."""
        return [StringFinder(one) for one in self.words]

    def segment_tokens(self, shapes: UInt64s) -> UInt16s:
        """Return the tokens of a page's segments; a break where no string of the site has one."""
        return numbered(self.shapes, shapes, FIRST_SHAPE)


_NOTHING = np.zeros(1, np.uint16)
NO_STRINGS = StringTable(
    shapes=np.empty(0, np.uint64),
    usual=_NOTHING,
    words=(_NOTHING, _NOTHING, _NOTHING),
    alike=np.empty((ALIKE_ROWS, 0), np.uint8),
)
"""The table of a window in which nothing recurs."""


class Cover(msgspec.Struct, frozen=True):
    """The text that strings of one level cover; columns of length n_segments, or a row for each sentence."""

    share: Floats
    """Share of the words that strings cover, short gaps included, 0 to 1."""
    run_words: Floats
    """Covered words of the run of repeated prose around the text: of neighbouring segments that are mostly
    covered, or of the text alone."""


class StringEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """The strings of a site on one page."""

    usual_words: Int32s
    """Words of the longest string of whole segments around each segment that most pages have; 0 = none. Length
    n_segments."""
    few: Cover
    """What strings of few pages cover."""
    some: Cover
    """What strings of some pages cover; they are among those of few."""
    alike: Floats
    """How often the same text stands before or behind the repeated prose that each segment is in, 0 to 1, texts
    that most pages have aside: it belongs to a series or to a record then. Of an article of a series several paragraphs
    recur on some pages, not as a whole and not side by side; they count as alike. Length n_segments."""
    listed: Floats
    """How much of each segment the page has more than once, 0 to 1: it is a pattern of a list then. Length
    n_segments."""
    is_covered: Bools
    """Which words of the page strings of few pages cover; length n_words."""


def read_strings(
    features: PageFeatures, table: StringTable, prose: PageProse | None = None
) -> StringEvidence:
    """Return what the strings of a site say about a page with at least one segment."""
    usual_words, rows, is_covered = read_page(
        features, prose or read_prose(features), table, STRINGS_CONFIG
    )
    few_share, few_words, some_share, some_words, alike, listed = rows
    return StringEvidence(
        usual_words=usual_words,
        few=Cover(few_share, few_words),
        some=Cover(some_share, some_words),
        alike=alike,
        listed=listed,
        is_covered=is_covered,
    )


def repeated_sentences(
    document: Document, features: PageFeatures, strings: StringEvidence
) -> tuple[Int64s, list[tuple[int, int]], Cover] | None:
    """Return the sentences that strings cover, in segments of which other text is left; None where there are none.

    Returns:
        For each run of sentences the segment that they are in; their first character in its text, and the one behind
        them; what strings of few pages cover of them.
    """
    words = features.words
    ratio = STRINGS_CONFIG.sentence_ratio
    runs = sentence_runs(words, strings.few.share, strings.is_covered, ratio)
    if not runs:
        return None
    texts = document.segments.texts
    starts = np.append(0, np.cumsum([len(text) + 1 for text in texts])).tolist()
    spans = []
    for segment, first, last, _ in runs:
        begin = 0
        if words.place[first]:
            begin = _border(texts[segment], _end(words, first - 1) - starts[segment])
        spans.append((begin, _border(texts[segment], _end(words, last) - starts[segment])))
    segments, firsts, lasts, covered = np.array(runs).T
    run_words = covered.astype(np.float64)
    return segments, spans, Cover(run_words / (lasts + 1 - firsts), run_words)


def _end(words: Words, word: int) -> int:
    """Return the index of the character behind a word among the characters of the page."""
    return int(words.first[word] + words.length[word])


def _border(text: str, word_end: int) -> int:
    """Return where the sentence starts that follows the one whose last word ends here."""
    found = _MARKS.match(text, word_end)
    return found.end() if found else word_end
