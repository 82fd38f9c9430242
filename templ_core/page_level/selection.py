"""Which segments of a page are kept, given their log-odds for content: policy, sections, repeats and cut."""

from typing import Literal

import msgspec
import numpy as np

from templ_core.array_types import Bools, Floats, Int32s, Int64s, UInt64s
from templ_core.page_level import _selection
from templ_core.page_level.config import MODEL_CONFIG, SELECTION_CONFIG, SelectionConfig
from templ_core.page_level.features.surroundings import REPEATING, TextRoles
from templ_core.page_level.model.page_type import PageType
from templ_core.page_level.page_tree import PageTree

Comments = Literal["auto", "keep", "drop"]


def agreed(log_odds: Floats, tree: PageTree, config: SelectionConfig = SELECTION_CONFIG) -> Floats:
    """Return log-odds in which all segments of a section have their mean; length n_segments.

    The sections of a page are its largest elements in which the log-odds of the segments differ little: no
    section stands in another, and what is in none stands for itself (an antichain of the page's tree, as in
    Chakrabarti et al., WWW 2007, section 4). So the cells of a row, the items of a list and the paragraphs of a
    text are kept or left out together. Sections by the paper's isotonic smoothing gain less and divide more
    elements, see workers/lab/studies/page-model.md.

    A segment weighs the square root of its words, in the mean and in how far a section's segments differ.

    >>> import numpy as np
    >>> from templ_core.dom.document import parse_document
    >>> from templ_core.page_level.page_tree import read_tree
    >>> page = parse_document("<ul><li>one<li>two</ul><p>It rains.", "https://example.com/")
    >>> agreed(np.array([-0.2, 0.4, 3.0]), read_tree(page, np.ones(3))).tolist()
    [0.1, 0.1, 3.0]

    Args:
        log_odds: Log-odds for content of each segment.
        tree: The page's tree.
        config: How far the segments of a section may differ.
    """
    return _selection.agreed(
        tree.first,
        tree.last,
        tree.words,
        log_odds,
        config.section_spread_max,
        10**MODEL_CONFIG.decimals,
    )


def with_policy(
    log_odds: Floats, words: Floats, roles: TextRoles, page: PageType, comments: Comments
) -> Floats:
    """Return the log-odds for content after the policy on comments, reviews and consent texts.

    Consent texts never stay. Comments of readers are left out beside an article, or as the setting says: an
    article, of which the content is outside the comments, has to be likelier than a page whose content is in
    them, such as a thread whose posts are called comments. Reviews follow the comments where the setting
    decides, and are otherwise judged like other text. The result has length n_segments.

    Args:
        log_odds: Log-odds for content by the page model; length n_segments.
        words: Number of words of each segment, at least 1; length n_segments.
        roles: Which segments are comments, reviews and consent texts.
        page: The type of the page.
        comments: What becomes of comments and reviews; with `auto`, comments beside an article lose
            log-odds and all other text is judged as it is.
    """
    config = SELECTION_CONFIG
    result = log_odds.copy()
    if comments == "drop":
        result[roles.comments | roles.reviews] = config.never_log_odds
    elif comments == "keep":
        spoken = (roles.comments | roles.reviews) & (words >= config.spoken_words_min)
        result[spoken] = np.maximum(result[spoken], config.always_log_odds)
    elif page.article and roles.comments.any():
        content_words = words / (1 + np.exp(-log_odds))
        in_comments = content_words[roles.comments].sum() / content_words.sum()
        if page.article * (1 - in_comments) >= (1 - page.article) * in_comments:
            result[roles.comments] += config.comments_log_odds
    result[roles.consent] = config.never_log_odds
    return result


class Copies(msgspec.Struct, frozen=True, kw_only=True):
    """What is needed to find repeated text on a page; columns of length n_segments."""

    text: UInt64s
    """Hash of each segment's words."""
    path: Int64s
    """Path group of each segment."""
    once: Bools
    """Segments of which one copy is enough."""


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """The segments of a page that are kept; columns of length n_segments."""

    kept: Bools
    """Whether each segment is kept."""
    repeated: Bools
    """Whether each segment is left out because a surer one has the same text."""


def select_segments(
    content_log_odds: Floats,
    copies: Copies | None,
    words: Floats,
    recall_share: float,
    left_out: Bools | None = None,
) -> Selection:
    """Return the cut with the best expected F1 over all segments that repeat no surer one.

    Markup for phones beside markup for desktops, and pull quotes, repeat text without need. Equal cells
    of a table and equal lines of code are repeated on purpose, and equal texts on one path are records
    of one list.

    Args:
        content_log_odds: Log-odds for content of each segment; length n_segments.
        copies: What is needed to find repeats; without it all text may repeat.
        words: Number of words of each segment, at least 1; length n_segments.
        recall_share: lambda of `_selection.best_cut`, 0 to 1.
        left_out: Further segments to leave out, unless that leaves nothing; length n_segments.

    Example:
        >>> twice = Copies(
        ...     text=np.array([7, 7, 8], np.uint64),
        ...     path=np.array([0, 1, 1]),
        ...     once=np.ones(3, np.bool_),
        ... )
        >>> words = np.array([20.0, 20.0, 30.0])
        >>> selection = select_segments(np.array([2.0, 3.0, 3.0]), twice, words, 0.85)
        >>> selection.kept.tolist(), selection.repeated.tolist()
        ([False, True, True], [True, False, False])
    """
    if copies is None:
        repeated = np.zeros(len(words), np.bool_)
    else:
        surest = _selection.surest_copies(copies.text, content_log_odds)
        repeated = copies.once & (copies.path != copies.path[surest])
    out = repeated if left_out is None else repeated | left_out
    kept, expected = _selection.best_cut(content_log_odds, out, words, recall_share)
    if expected == 0:
        kept, _ = _selection.best_cut(content_log_odds, repeated, words, recall_share)
    return Selection(kept=kept, repeated=repeated)


def may_repeat(surroundings: Int32s, words: Floats) -> Bools:
    """Return the segments of which one copy is enough; length n_segments.

    They are long, and do not stand in code, tables or definition lists.

    Args:
        surroundings: The bits of `read_surroundings`.
        words: Number of words of each segment, at least 1.
    """
    least = SELECTION_CONFIG.repeat_words_min
    return _selection.long_without(surroundings, words, REPEATING, least)


def one_copy_enough(once: Bools, page: PageType) -> Bools:
    """Return the segments of `may_repeat`, or none of them on documentation.

    Args:
        once: The segments of `may_repeat`.
        page: The type of the page.
    """
    if page.documentation > SELECTION_CONFIG.documentation_min:
        return np.zeros(len(once), np.bool_)
    return once
