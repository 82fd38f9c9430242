"""The tunable numbers of the site level, one frozen struct for each stage.

What a paper fixes is not here: it stands beside the code that follows the paper.
"""

import math

import msgspec

MASS_UNIT = 1000
"""Content mass of a word that is surely content: mass is probability times words, in thousandths."""
LIKELY = 0.5
"""Probability above which a page is more likely of a type than not."""
MOSTLY_LINKS = 0.5
"""Share of a segment's characters in links from which on it is a line of links, as most of it is one."""


class TreesConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The tunable numbers of `templ_core.site_level.trees`."""

    likeness_min: float = 0.7
    """Likeness, 0 to 1, up to which a page belongs to no cluster. With 0.5 the first page after a redesign is taken for
    one of the old design, and its F1 falls by 0.02 on history."""
    clusters_max: int = 16
    """Most clusters of a site: once it has these, pages that are like none of them have no template. The detector of
    changed designs compares a page with this number of pages that were seen last."""
    prior_words: float = 80.0
    """Words of what stands around it that each place starts with."""


class ScheduleConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The tunable numbers of `templ_core.site_level.window.schedule`."""

    design_documents: int = 3
    """Documents in a row that must be of a design before it is learned so, and of the smallest design that is
    watched."""
    growth_ratio: float = 0.25
    """A model is refitted when this share of the window, or of a design that hardly any page has, is new, 0 to 1.
    A text that a site repeats is published until the next fit.

    With 0.15 half more models are fitted, and the F1 of five corpora with several pages a site is the same within 0.001
    either way; with 0.3, of a text on 30 % of the pages 0.026 is left on stream in place of 0.004."""


class NewTextConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The tunable numbers of `templ_core.site_level.window.new_text`."""

    run_words: int = 6
    """Words of the runs by which a text is known; shorter ones recur by chance."""
    runs_per_key: int = 8
    """One in this number of runs is remembered: six of a text of 53 words, two of one of 25 words."""
    keys_max: int = 256
    """Runs that are remembered of a page."""


class RevisionsConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The tunable numbers of `templ_core.site_level.window.revisions`."""

    first_mature_documents: int = 8
    """Documents of a site model from which on texts of younger models are looked at again."""
    settled_documents: int = 24
    """Documents of a site model from which on texts of younger models are looked at once more. So many of a site's newest
    pages show what the site begins to repeat, and so many before a change of design are compared with those behind it."""
    changed_ratio_min: float = 0.05
    """Share of its words that must change before a text is published again, 0 to 1."""


class DriftConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The tunable numbers of `templ_core.site_level.window.drift`."""

    likeness_min: float = 0.5
    """Likeness to the latest page of every cluster below which a page starts a cluster of its own, 0 to 1. Clusters of trees
    ask for more, since the pages of one share a template."""
    share_max: float = 0.8
    """Highest share of a site's pages that a cluster is taken to have, 0 to 1; with a higher one
    fewer than six pages of another design would raise the alarm."""
    alarm_log_ratio: float = math.log(10_000)
    """Log-likelihood ratio above which a cluster has gone: without a change of design that happens
    at most once in 10 000 pages of new clusters."""


class WindowDedupConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The tunable numbers of `templ_core.site_level.window.window_dedup`."""

    words_min: int = 20
    """Words of content that distinguish a page from others: shorter pages are all kept, and a page with this many
    that no other page of the window has is compared without the texts that are the site's."""
    near_ratio: float = 0.8
    """Share of the longer page's words, 0 to 1, that near-duplicates have in common, text by text."""


TREES_CONFIG = TreesConfig()
SCHEDULE_CONFIG = ScheduleConfig()
NEW_TEXT_CONFIG = NewTextConfig()
REVISIONS_CONFIG = RevisionsConfig()
DRIFT_CONFIG = DriftConfig()
WINDOW_DEDUP_CONFIG = WindowDedupConfig()


class PlacesConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The tunable numbers of `templ_core.site_level.places`."""

    cell_positions_max: int = 6
    """Children of one parent that have positions of their own, 1 to 255; later ones share a position,
    because long tables and lists differ in length from page to page."""
    probability_margin: float = 0.01
    """Probabilities are kept this far from 0 and 1, so that their log-odds are finite and no single input decides."""
    repeated_pages_min: int = 3
    """Pages that must have a text before it is the site's: at its path, where texts must also recur so often in the mean,
    as a string, or beside words of a page's own. Of two pages one may quote the other."""
    constant_words_min: int = 4
    """Words of a constant text; shorter ones, such as names of sections, recur by chance."""


class HeadlineConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The tunable numbers of the search for the headline by the page's title."""

    title_share_min: float = 0.8
    """Share of a headline's words that are in the page's title, 0 to 1."""
    title_coverage_min: float = 0.3
    """Share of the title's different words that are in a headline, 0 to 1."""


class FusionConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The tunable numbers of `templ_core.site_level.fusion`."""

    length_words_max: int = 50
    """Words of a segment, of a run of repeated prose or of links at one path from which on longer text makes nothing
    surer."""
    surrounding_levels: int = 2
    """Levels above its owner of the element whose words are a segment's surroundings."""
    long_weight: float = 2.0
    """What the log-odds of a segment of `length_words_max` words or more are multiplied with before the cut, and those
    of a segment of one word divided by; between the two the factor rises with the logarithm of the words."""


class StringsConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The tunable numbers of `templ_core.site_level.strings`."""

    shares: tuple[float, float, float] = (0.02, 0.05, 0.2)
    """Shares of a window's pages, 0 to 1, that must have a string of words of each level: few, some and many
    pages. What many pages have, as many have at least as make a model mature: posts of a series share paragraphs."""
    newest_pages: int = 100
    """Newest pages of a window that are one of their own, in which a text that a site has begun to repeat soon is a
    string of some pages."""
    usual_share: float = 0.6
    """Share of a window's pages, 0 to 1, that must have a string of whole segments."""
    words_min: int = 4
    """Words of the shortest string inside a segment, and of the runs by which prose that recurs is found; of text of
    which every fifth word changes, longer ones are on few pages."""
    prose_words_min: int = 8
    """Words of the shortest segment in which strings are looked for; a shorter one recurs as a whole. Up to so many
    covered words a run of repeated prose says nothing."""
    link_words_min: int = 25
    """Recurring words of the lines of links at one path of a page up to which they say nothing; boxes of navigation
    have more, bylines and the contents of most pages not."""
    log_odds_min: float = -1.0
    """Log-odds for content, by the page model, of prose that is learned."""
    repeated_ratio: float = 0.5
    """Share of a segment's words, 0 to 1, that strings must cover before it is part of a run of repeated
    prose."""
    neighbour_pages_ratio_max: float = 2.0
    """Pages that the text beside a repeated one may have at most, in multiples of those of the repeated one,
    to make a record with it; a text of more pages is one of the site's, such as its footer."""
    gap_words_max: int = 5
    """Words of the longest gap between two strings of a segment that counts as covered by them (Foschini
    2007, section 3.4)."""
    runs_per_seed: int = 2
    """One in this number of runs of `words_min` words is counted over the window, drawn by its hash; to count all takes
    twice the time and memory."""
    sentence_ratio: float = 0.8
    """Share of a sentence's words, 0 to 1, that strings must cover before it is cut out of its segment."""

    @property
    def newest_pages_min(self) -> int:
        """Pages of the newest that make a text a string of some pages."""
        return math.ceil(self.newest_pages * self.shares[1])


class TitlesConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The tunable numbers of `templ_core.site_level.titles`."""

    share_min: float = 0.3
    """Share of the different titles of a site, 0 to 1, from which on a beginning or end is that of the site."""
    titles_min: int = 4
    """Different titles that must have it."""
    borders_max: int = 4
    """Outer borders of a title, on either side, up to which parts are counted."""
    ends_max: int = 8
    """Most beginnings, and most ends, of a site."""
    chars_max: int = 300
    """Characters of the longest title that is counted."""


STRINGS_CONFIG = StringsConfig()
PLACES_CONFIG = PlacesConfig()
HEADLINE_CONFIG = HeadlineConfig()
FUSION_CONFIG = FusionConfig()
TITLES_CONFIG = TitlesConfig()
