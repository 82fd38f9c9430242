"""The text of a page that its site may repeat in parts, as token numbers."""

import functools

import msgspec
import numpy as np

from templ_core.array_types import Bools, Floats, Int32s, UInt16s, UInt64s
from templ_core.page_level.features.characters import Words, read_characters, read_words
from templ_core.page_level.features.page_features import PageFeatures
from templ_core.page_level.features.surroundings import HEADING, VERBATIM
from templ_core.site_level.config import STRINGS_CONFIG
from templ_core.site_level.strings._strings import read_seeds, word_tokens
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


class PageStrings(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """The prose of a page as tokens."""

    segment: Int32s
    """The segments of the prose, in order; length n_texts."""
    lengths: Int32s
    """Words of each of them; length n_texts."""
    tokens: UInt16s
    """The tokens of their words, one after the other."""

    @functools.cached_property
    def seeds(self) -> tuple[UInt64s, Int32s]:
        """Keys of sampled short runs of tokens, and the number of the text that each is in."""
        config = STRINGS_CONFIG
        return read_seeds(self.tokens, self.lengths, config.words_min, config.runs_per_seed)


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
        & (features.link_density < config.link_density_max)
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
