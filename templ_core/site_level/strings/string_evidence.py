"""What the strings of a site say about the segments of one of its pages, and about sentences in them."""

import re
from collections import defaultdict

import msgspec
import numpy as np

from templ_core.array_types import Bools, Floats, Int32s, Int64s
from templ_core.dom.document import Document
from templ_core.dom.text import Cuts
from templ_core.page_level.features.characters import Words
from templ_core.page_level.features.page_features import PageFeatures
from templ_core.site_level.config import STRINGS_CONFIG, StringsConfig
from templ_core.site_level.strings._string_evidence import read_page, sentence_runs
from templ_core.site_level.strings.page_strings import PageProse, read_prose
from templ_core.site_level.strings.string_table import StringTable

_MARKS = re.compile(r"[^\w\s。！？]*[。！？]+[」』”’）)]*\s*|[^\w\s]*\s*")
"""The marks and the space behind the last word of a sentence, which go with it."""


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
    features: PageFeatures,
    table: StringTable,
    prose: PageProse | None = None,
    config: StringsConfig = STRINGS_CONFIG,
) -> StringEvidence:
    """Return what the strings of a site say about a page with at least one segment.

    Args:
        features: The features of the page.
        table: The strings of the site.
        prose: The prose of the page, if it was read before.
        config: The tunable numbers.
    """
    usual_words, rows, is_covered = read_page(
        features, prose or read_prose(features), table, config
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


class RepeatedSentences(msgspec.Struct, frozen=True, kw_only=True):
    """Sentences of a page that strings cover, in segments of which other text is left; a row for each run."""

    segment: Int64s
    """The segment that the sentences are in."""
    span: list[tuple[int, int]]
    """The first character of the sentences in the text of the segment, and the one behind them."""
    cover: Cover
    """What strings of few pages cover of the sentences."""


def repeated_sentences(
    document: Document,
    features: PageFeatures,
    strings: StringEvidence,
    config: StringsConfig = STRINGS_CONFIG,
) -> RepeatedSentences | None:
    """Return the sentences of a page that may be cut out of their segments; None where there are none.

    Args:
        document: The page.
        features: Its features.
        strings: The strings of its site on it.
        config: The tunable numbers.
    """
    words = features.words
    runs = sentence_runs(words, strings.few.share, strings.is_covered, config.sentence_ratio)
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
    run_words = np.array([covered for *_, covered in runs], np.float64)
    in_run = np.array([last + 1 - first for _, first, last, _ in runs])
    return RepeatedSentences(
        segment=np.array([segment for segment, *_ in runs], np.int64),
        span=spans,
        cover=Cover(run_words / in_run, run_words),
    )


def cuts_of(sentences: RepeatedSentences, goes: Bools) -> Cuts:
    """Return the sentences that go as what is cut out of each segment."""
    cuts: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for row in np.flatnonzero(goes).tolist():
        cuts[int(sentences.segment[row])].append(sentences.span[row])
    return dict(cuts)


def _end(words: Words, word: int) -> int:
    """Return the index of the character behind a word among the characters of the page."""
    return int(words.first[word] + words.length[word])


def _border(text: str, word_end: int) -> int:
    """Return where the sentence starts that follows the one whose last word ends here."""
    found = _MARKS.match(text, word_end)
    return found.end() if found else word_end
