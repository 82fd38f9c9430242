"""The prose of a page as tokens, the strings that its site repeats, and what these say of its segments and sentences."""

import functools
import itertools
from collections.abc import Sequence

import msgspec
import numpy as np

from templ_core.array_types import Bools, Floats, Int32s, Int64s, UInt8s, UInt16s, UInt64s
from templ_core.dom.document import Document
from templ_core.page_level.features.characters import Words, read_characters, read_words
from templ_core.page_level.features.page_features import PageFeatures
from templ_core.page_level.features.surroundings import HEADING, VERBATIM
from templ_core.patterns import pattern
from templ_core.site_level.config import MOSTLY_LINKS, STRINGS_CONFIG
from templ_core.site_level.strings._string_evidence import StringFinder, read_page, sentence_runs
from templ_core.site_level.strings._strings import numbered, word_tokens
from templ_core.site_level.strings.suffix_array import BREAK

MONTHS = {
    "en": "January February March April May June July August September October November December "
    "Jan Feb Apr Jun Jul Aug Sep Sept Oct Nov Dec",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre "
    "noviembre diciembre ene feb abr jun jul sept oct nov dic",
    "de": "Januar Jänner Februar März April Mai Juni Juli August September Oktober November "
    "Dezember Jän Mär Mrz Okt Dez",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre "
    "janv févr fév avr juil sept oct nov déc",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre "
    "dicembre Gen feb apr mag giu lug ott nov dic",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro "
    "dezembro jan fev abr jun jul nov dez Mar Ago Set Out",
}
"""Names of months by language, as pages write them.

A name in lower case is also found with a capital and in capitals. One with a capital would mean
something else in lower case and is not found so.
"""

WEEKDAYS = {
    "en": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday "
    "Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun",
    "es": "lunes martes miércoles jueves viernes sábado domingo lun mié jue vie sáb Dom",
    "de": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonnabend Sonntag",
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche Mer Jeu Ven Sam Dim",
    "it": "lunedì martedì mercoledì giovedì venerdì sabato domenica Gio Sab",
    "pt": "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira Seg Ter Qua Qui Sex",
}
"""Names of weekdays by language, found in the same forms as those of months."""


class PageStrings(msgspec.Struct, frozen=True, kw_only=True):
    """The prose of a page as tokens."""

    segment: Int32s
    """The segments of the prose, in order; length n_texts."""
    lengths: Int32s
    """Words of each of them; length n_texts."""
    tokens: UInt16s
    """The tokens of their words, one after the other."""


class PageProse(msgspec.Struct, frozen=True, kw_only=True):
    """Where the site may repeat parts of segments: segments that are neither headings nor code nor lines of links.

    A headline is quoted on other pages, and code repeats itself; neither is template for it. Lines of links
    are judged as a whole.
    """

    is_prose: Bools
    """Which segments are prose; length n_segments."""
    tokens: UInt16s
    """The token of each word in prose, and a break for each other word; length n_words.

    A token is a hash of the word. Numbers, and the names of months and weekdays beside them, are one mutable
    pattern (Foschini 2007, section 3.3) and have one token.
    """


def read_prose(features: PageFeatures) -> PageProse:
    """Return the prose of a page."""
    config = STRINGS_CONFIG
    is_prose: Bools = (
        (features.surroundings & (HEADING | VERBATIM) == 0)
        & (features.link_density < MOSTLY_LINKS)
        & (features.words.per_segment >= config.prose_words_min)
    )
    return PageProse(is_prose=is_prose, tokens=word_tokens(features.words, is_prose, _calendar()))


def read_page_strings(
    features: PageFeatures, prose: PageProse, content_log_odds: Floats
) -> PageStrings:
    """Return the prose of a page that may be content.

    The teaser of an article on other pages is no such text, so that it does not make the article's first
    sentence template.
    """
    wanted = prose.is_prose & (content_log_odds > STRINGS_CONFIG.log_odds_min)
    (segment,) = wanted.nonzero()
    return PageStrings(
        segment=segment.astype(np.int32),
        lengths=features.words.per_segment[segment].astype(np.int32),
        tokens=prose.tokens[wanted[features.words.segment]],
    )


def strings_of(words: Words, segment: Int32s) -> PageStrings:
    """Return the prose of a page, as `read_page_strings` does.

    Args:
        words: The words of the page.
        segment: The segments of the prose, in order.
    """
    wanted = np.zeros(len(words.per_segment), np.bool_)
    wanted[segment] = True
    tokens = word_tokens(words, wanted, _calendar())
    return PageStrings(
        segment=segment,
        lengths=words.per_segment[segment].astype(np.int32),
        tokens=tokens[tokens != BREAK],
    )


@functools.cache
def _calendar() -> UInt64s:
    """Return the hashes of the names of months and weekdays in ascending order."""
    names = " ".join([*MONTHS.values(), *WEEKDAYS.values()])
    return np.unique(read_words(read_characters([names])).hashes)


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
    """Strings of words inside segments that few, some and many pages have, likewise; those of more pages are parts of
    those of fewer."""
    alike: UInt8s
    """How often the text before and behind each shape that is prose stands there on other pages, too, in 1/255; shape
    (2, n_shapes). Texts that most pages have, or many more pages than have the shape, do not count."""

    @functools.cached_property
    def usual_finder(self) -> StringFinder:
        """What finds the strings of whole segments."""
        return StringFinder(self.usual)

    @functools.cached_property
    def word_finders(self) -> Sequence[StringFinder]:
        """Finders of the strings of words: those of few, some and many pages."""
        return [StringFinder(strings) for strings in self.words]

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


class RepeatedSentences(msgspec.Struct, frozen=True):
    """Runs of sentences that strings cover, in segments with other text left; a row for each."""

    segment: Int64s
    """The segment that the sentences are in."""
    spans: list[tuple[int, int]]
    """Their first character in its text, and the one behind them."""
    cover: Cover
    """What strings of some pages cover of them."""


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
    """Which words of the page strings of some pages cover; length n_words."""
    sentences: RepeatedSentences | None = None
    """None if there are none."""


def read_strings(
    document: Document, features: PageFeatures, table: StringTable, prose: PageProse
) -> StringEvidence:
    """Return what the strings of a site say about a page with at least one segment."""
    usual_words, rows, is_covered = read_page(features, prose, table, STRINGS_CONFIG)
    few_share, few_words, some_share, some_words, alike, listed = rows
    return StringEvidence(
        usual_words=usual_words,
        few=Cover(few_share, few_words),
        some=Cover(some_share, some_words),
        alike=alike,
        listed=listed,
        is_covered=is_covered,
        sentences=_repeated_sentences(document, features.words, some_share, is_covered),
    )


def _repeated_sentences(
    document: Document, words: Words, share: Floats, is_covered: Bools
) -> RepeatedSentences | None:
    runs = sentence_runs(words, share, is_covered, STRINGS_CONFIG.sentence_ratio)
    if not runs:
        return None
    texts = document.segments.texts
    chars_before = list(itertools.accumulate(map(len, texts), initial=0))
    spans = []
    for segment, first, last, _ in runs:
        begin, start = 0, chars_before[segment] + segment  # a break is behind each text
        if words.place[first]:
            begin = _border(texts[segment], _end(words, first - 1) - start)
        spans.append((begin, _border(texts[segment], _end(words, last) - start)))
    segments, firsts, lasts, covered = np.array(runs).T
    run_words = covered.astype(np.float64)
    cover = Cover(run_words / (lasts + 1 - firsts), run_words)
    return RepeatedSentences(segments, spans, cover)


def _end(words: Words, word: int) -> int:
    """Return the index of the character behind a word among the characters of the page."""
    return int(words.first[word] + words.length[word])


def _border(text: str, word_end: int) -> int:
    """Return where the sentence starts that follows the one whose last word ends here."""
    match = _MARKS.match(text, word_end)
    return match.end() if match else word_end
