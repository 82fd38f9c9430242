"""The tunable numbers of repeated sentences and of text that varies."""

import msgspec


class SentencesConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The tunable numbers of the sentences in `templ_core.site_level.sentences`."""

    words_min: int = 8
    """Words of the shortest sentence that is counted; shorter ones recur by chance."""

    named_words_min: int = 6
    """Words without digits that a sentence has at least, months and weekdays of dates left out; a
    line with less is a date, a table's row or a measurement."""

    plain_words_min: int = 6
    """Words that must be left of a sentence without its numbers, dates and names; otherwise its names
    count as they are."""

    link_density_max: float = 0.8
    """Share of a segment's characters in links, 0 to 1, from which on it is a line of links."""

    log_odds_min: float = -1.0
    """Log-odds for content, by the page model, of the text whose sentences are counted. The teaser of
    an article on other pages, which is below, does not make the article's first sentence template."""

    pages_min: int = 4
    """Pages that must have a sentence before it is template."""

    pages_ratio_min: float = 0.05
    """Share of a window's pages that must have a sentence before it is template, 0 to 1."""

    certain_ratio: float = 0.2
    """Share of a window's pages, 0 to 1, from which on a sentence is template whatever is around it,
    but on documentation and in forums."""

    certain_pages_min: int = 12
    """Pages that must have such a sentence; a series of articles may fill much of a small window."""

    constant_ratio: float = 0.5
    """Share of the pages with a sentence, 0 to 1, on which the same text stands before or behind it if
    the two are part of a record or of a series, which repeat text with what is around it."""

    context_pages_ratio_max: float = 2.0
    """Pages that such a text may have at most, in multiples of those of the sentence; a text of more
    pages is one of the site's, such as its footer, and makes no record."""

    everywhere_ratio: float = 0.6
    """Share of a window's pages, 0 to 1, from which on a run of sentences is template whatever is around
    it: what stands beside it is then the site's, too."""

    everywhere_pages_min: int = 5
    """Pages that must have such a run; fewer may be the first articles of a series."""

    everywhere_words_ratio_max: float = 0.33
    """Share of the words in a page's sentences, 0 to 1, that such runs may have together on documentation
    and in forums; a page with more is made of records that other pages have as well, such as inherited
    members."""

    everywhere_words_min: int = 100
    """Words of such runs that make no page one of such records, however few other words it has."""

    record_probability: float = 0.5
    """Probability that a page is documentation or a thread, 0 to 1, from which on its sentences
    may be parts of records."""

    record_words_min: int = 20
    """Words of the shortest run of repeated sentences that is template on documentation and in
    forums."""

    whole_ratio: float = 0.8
    """Share of a segment's words, 0 to 1, in repeated sentences from which on none of it stays."""

    gap_words_max: int = 5
    """Words of the longest gap between two repeated sentences that goes with them."""


class VariedTextConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The tunable numbers of `templ_core.site_level.sentences.varied_text` and of its shingles.

    They were chosen by injection of text that varies on stream and history; F1 was looked at on five corpora.
    """

    shingle_words: int = 5
    """Words of a shingle; with 4, turns of speech recur and more of a series is lost."""

    named_words_min: int = 4
    """Words without digits of a shingle; one with less is part of a table of numbers."""

    shingles_window: int = 5
    """Neighbouring shingles of which at least one is counted. With 7, twice as much is left of text on
    a tenth of the pages; with 1, three times as many are counted."""

    pages_min: int = 4
    """Pages that must have a shingle before it tells of repeated text."""

    pages_ratio_min: float = 0.05
    """Share of a window's pages, 0 to 1, that must have such a shingle."""

    words_min: int = 12
    """Words of the shortest segment that is looked at; a shorter one has no place for such shingles
    beside what changes."""

    shingles_min: int = 2
    """Such shingles that a segment must have; a single one may be a turn of speech."""

    gap_words_max: int = 8
    """Words of the longest gap between two such shingles of a segment that counts with them: the words
    that change and what the shingles beside them lack (Foschini 2007, section 3.4)."""

    covered_ratio_min: float = 0.4
    """Share of a segment's words, 0 to 1, inside such shingles and gaps from which on it is template."""

    certain_ratio: float = 0.2
    """Share of a window's pages, 0 to 1, from which on such segments need not be neighbours."""

    certain_pages_min: int = 12
    """Pages that must have such segments; a series of articles may fill much of a small window."""

    record_probability: float = 0.5
    """Probability that a page is documentation or a thread, 0 to 1, from which on it is not looked
    at."""


SENTENCES_CONFIG = SentencesConfig()
"""The numbers in use for sentences."""
VARIED_TEXT_CONFIG = VariedTextConfig()
"""The numbers in use for text that varies."""
