"""The tunable numbers of the site level, one frozen struct for each stage.

What a paper fixes is not here: it stands beside the code that follows the paper.
"""

import msgspec


class PlacesConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The tunable numbers of `templ_core.site_level.places`."""

    cell_positions_max: int = 6
    """Children of one parent whose positions are told apart, 1 to 255; later ones share a position,
    because long tables and lists differ in length from page to page."""

    text_pages_min: int = 2
    """Pages that must have a text before the table keeps it; a text of one page tells nothing about
    another page."""

    unknown_constancy: float = 0.3
    """Constancy, 0 to 1, of a path that fewer than two pages have."""

    constant_probability: float = 0.02
    """Probability of content, 0 to 1, that constant text counts with; a multiple of 0.001, the unit
    of content mass."""

    probability_margin: float = 0.005
    """Probabilities of places are kept this far from 0 and 1, so that their log-odds are finite."""

    same_pages_min: int = 4
    """Pages that a path needs before a text can be constant there because it is nearly always the
    same."""

    same_constancy_min: float = 0.5
    """Constancy, 0 to 1, of a path whose text is nearly always the same."""

    same_text_pages_min: int = 2
    """Pages that must have a text that is nearly always the same."""

    same_text_ratio_min: float = 0.3
    """Pages with such a text, as a share of the pages that have its path, 0 to 1."""

    rotation_pages_min: int = 8
    """Pages that a path needs before a text can be constant there as one of a few in rotation, such
    as notes on a site's authors."""

    rotation_constancy_min: float = 0.08
    """Constancy, 0 to 1, of a path with a few texts in rotation."""

    rotation_repeats_min: float = 5.0
    """How often each text in rotation is repeated in the mean: constancy times pages of the path."""

    rotation_text_pages_min: int = 3
    """Pages that must have a text in rotation."""

    rotation_text_ratio_min: float = 0.05
    """Pages with a text in rotation, as a share of the pages that have its path, 0 to 1."""

    rotation_words_min: int = 4
    """Words of a text in rotation; shorter ones, such as names of sections, recur by chance."""


class ContainersConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The tunable numbers of `templ_core.site_level.containers`."""

    content_share: float = 0.85
    """Share of a page's content mass that its content container holds at least, 0 to 1."""

    tolerance: float = 1e-9
    """Words by which a container may miss a bound, so that rounding decides nothing."""

    steps_max: int = 6
    """Steps from the best container that are counted; segments farther away count as so far."""

    surrounding_levels: int = 2
    """Levels above its owner of the element whose words are a segment's surroundings."""

    doubt_pages: float = 3.0
    """Pages after which the share of pages with a usual container has half its weight."""

    title_share_min: float = 0.8
    """Share of a headline's words that are in the page's title, 0 to 1."""

    title_coverage_min: float = 0.3
    """Share of the title's different words that are in a headline, 0 to 1."""

    headline_words_max: int = 40
    """Words of a headline."""

    title_words_max: int = 60
    """Different words of a title that are looked for; longer titles are lists of keywords."""

    heading_bonus: float = 0.5
    """What a headline's score gains inside a heading, and once more inside `h1`; the score is the
    covered share of the title, 0 to 1, before that."""

    distance_penalty: float = 0.02
    """What a headline's score loses for each segment between it and the text."""

    head_segments_max: int = 12
    """Segments between headline and text; where there are more, they are no head."""


class FusionConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The tunable numbers of `templ_core.site_level.fusion`."""

    probability_margin: float = 0.02
    """Probabilities are kept this far from 0 and 1, so that no single input decides."""

    length_words_max: int = 50
    """Words of a segment from which on longer text makes nothing surer."""

    doubt_pages: float = 3.0
    """Pages after which the shape of a long text has half its weight."""

    certain_log_odds: float = 4.0
    """On documentation, log-odds by the page model from which on text of a usual container is content
    although all pages have it."""

    open_log_odds_min: float = -1.0
    """Phrases are looked up only in segments for which page or place gives more than these log-odds."""

    open_log_odds_max: float = 3.0
    """Phrases are looked up only in segments for which page or place gives less than these log-odds."""

    short_weight: float = 0.5
    """What the log-odds of a segment of one word are multiplied with before the cut."""

    long_weight: float = 2.0
    """What the log-odds of a segment of `length_words_max` words or more are multiplied with; between
    the two the factor rises with the logarithm of the words."""

    log_odds_decimals: int = 3
    """Decimals that log-odds are rounded to, so that every machine gives the same text."""

    likely_type: float = 0.4
    """Probability, 0 to 1, above which a page is treated as an article or as documentation."""

    trust_min: float = 0.5
    """Trust in the site's evidence, 0 to 1, below which its usual containers are ignored, as after a
    redesign."""

    usual_distance: float = -0.15
    """A container is usual if its share of the pages is no farther than this (0 to -1) below that of
    the page's most usual container."""

    outside_log_odds_min: float = 1.0
    """Log-odds that text outside the container needs to stay: on articles text of some words, on
    documentation text that other pages have."""

    outside_words_min: int = 12
    """Words from which text outside an article's container needs these log-odds."""


PLACES_CONFIG = PlacesConfig()
"""The numbers in use for places."""
CONTAINERS_CONFIG = ContainersConfig()
"""The numbers in use for containers."""
FUSION_CONFIG = FusionConfig()
"""The numbers in use for the fusion."""
