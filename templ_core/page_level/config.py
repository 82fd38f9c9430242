"""The tunable numbers of the page level, one frozen struct for each stage.

The shipped page model was trained with the numbers of `FeatureConfig` and `ModelConfig`: a change
to them takes effect only together with a newly trained model (`templ train`). Numbers that a paper
fixes stand beside the code that follows the paper.
"""

import msgspec


class FeatureConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Limits and thresholds of the features.

    Counts are capped because one extreme page would otherwise stretch the scale on which the
    networks see all others.
    """

    sentence_ends_max: int = 20
    """Cap of the number of sentence ends of a segment, at least 1."""
    words_per_sentence_end_max: float = 60.0
    """Cap of the words for each sentence end; a longer run of words is no sentence. Above 0."""
    commas_max: int = 20
    """Cap of the number of commas of a segment, at least 1."""
    separators_max: int = 10
    """Cap of the number of separators such as `|` or `›` of a segment, at least 1."""
    ellipses_max: int = 3
    """Cap of the number of ellipses of a segment, at least 1."""
    links_max: int = 20
    """Cap of each number of links of a segment, at least 1."""
    images_max: int = 5
    """Cap of the number of images in the block of a segment, at least 1."""
    copies_max: int = 10
    """Cap of the number of segments with the same text on a page, at least 1."""
    tag_levels_max: int = 12
    """Cap of the levels up to the nearest element of a tag, at least 1.

    Elements further up hardly bear on a segment.
    """
    no_such_tag_levels: int = 14
    """Levels that stand for "no such element above", more than `tag_levels_max`.

    One threshold of a decision tree then separates the two cases.
    """
    good_words_min: int = 10
    """Words of a segment that reads like sentences and has a sentence end, at least 1."""
    good_words_without_end_min: int = 25
    """Words from which a segment reads like sentences even without a sentence end."""
    good_link_density_max: float = 0.35
    """Link density below which a segment can read like sentences, 0 to 1."""
    long_words_min: int = 20
    """Words of a long segment, at least 1."""
    long_link_density_max: float = 0.4
    """Link density below which a segment can be long, 0 to 1."""
    main_shares: tuple[float, ...] = (0.4, 0.6, 0.8)
    """Shares of the words in good segments that the main nodes hold, each 0 to 1.

    There are three, because pages differ in how much good text stands outside the article.
    """
    top_share: float = 0.6
    """T is the highest ancestor of a segment with less than this share of the page's words, 0 to 1.

    It is the largest part of the page that is clearly not the whole page.
    """
    score_weight: float = 0.7
    """Weight of the sum of the attribute and text log-odds in the first guess, 0.5 to 1.

    It is below 1 because the two pieces of evidence depend on each other.
    """
    guess_recall_share: float = 0.95
    """Weight of recall in the expected F1 of the first guess, 0 to 1 (lambda of `best_cut`)."""
    consent_words_max: int = 120
    """Words of the largest element that can be a consent notice, at least 1.

    A larger element that mentions cookies is an article about them.
    """
    consent_share_max: float = 0.8
    """Largest share of a page's words that consent texts can have, 0 to 1.

    A page with more is about consent, and none of its text is taken for a notice.
    """
    headline_words_max: int = 40
    """Words of the longest segment that can be the headline, at least 1."""
    headline_title_ratio_min: float = 0.5
    """Share of the words of the longer one of headline and title that both must have, 0 to 1.

    Titles often have the name of the site beside the headline.
    """
    smoothing_penalty: float = 0.01
    """c of the smoothing of the first guess (see `page_level.smoothing`), not negative."""


class ModelConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of the model's parts, and how they are combined."""

    score_log_odds_max: float = 8.0
    """Largest absolute log-odds of a hashed score, above 0.

    Tokens that a page repeats would otherwise count without limit.
    """
    clip_deviations: float = 3.0
    """Standard deviations from the mean at which inputs of networks and of the page type are cut off.

    Above 0. Unusual pages stay within what was seen in training.
    """
    decimals: int = 3
    """Decimals to which log-odds and page type probabilities are rounded, 0 to 6.

    Sums that differ by rounding errors between machines then give the same text.
    """
    trees_share: float = 0.5
    """Share of the trees in the mean of trees and networks, 0 to 1.

    Both count alike, because they are about equally good and err on different segments.
    """


class SelectionConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of a page: repeated text, comments, reviews and consent texts."""

    repeat_words_min: int = 10
    """Words of the shortest text that is kept only once, at least 1.

    With 20, documentation gains 0.002 F1 and wcxb_dev loses 0.001.
    """
    section_spread_max: float = 0.75
    """Largest standard deviation of the log-odds in an element that stays or goes as a whole, not negative.

    From 0.5 to 0.9 the mean F1 of ten corpora moves by 0.0006; above 1 it falls.
    """
    documentation_min: float = 0.5
    """Probability, 0 to 1, above which a page is documentation, which repeats itself on purpose."""
    never_log_odds: float = -30.0
    """Log-odds for content of text that must go: it is kept only where a page has nothing else."""
    always_log_odds: float = 4.0
    """Least log-odds for content of text that must stay, about 0.98 as a probability."""
    lead_log_odds: float = 1.65
    """Least log-odds for content of the lead: of 192 leads that pages of six corpora declare, 161 are in their gold."""
    comments_log_odds: float = -4.0
    """Number added to the log-odds of comments on articles, at most 0.

    What is very sure still stays, which a letters page or an interview marked up as comments needs.
    """
    spoken_words_min: int = 5
    """Words of the shortest segment of a comment that is speech, at least 1.

    Shorter ones are buttons, names and dates.
    """


FEATURE_CONFIG = FeatureConfig()
"""The numbers that the features are computed with."""
MODEL_CONFIG = ModelConfig()
"""The numbers that the model's parts are combined with."""
SELECTION_CONFIG = SelectionConfig()
"""The numbers that segments are selected with."""
