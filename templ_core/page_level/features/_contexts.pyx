"""What the hashed scores of other segments say about a segment.

The first guess of a segment is its probability of content by the two hashed scores alone,
sigmoid(score_weight * (attribute + text)). "Over the cut", "expected f1" and "cut" belong to the page
cut by the first guess (see `expected_f1`); "rank" is the place of a segment in the order of first
guesses, 0 to 1.

Then come means of the first guess by words, among segments of the same path and inside the nodes
L1 to L5 and T, "plain" ones by segments; first guesses of the one to three segments before and
after and means over windows of 4, 10 and 25 segments, 0 beyond the page; and shares of the page's
content mass, which is the sum of first guess * words.

The best subtree is the node whose text alone would have the best expected F1; the position of a
segment is relative to it, and its F1 to that of the page. Then come ten means of the two scores.

The last three come from the isotonic smoothing of the first guess over the page's tree (Chakrabarti
et al., WWW 2007): the smoothed guess, how far it is from the guess, and the logarithm of the words of
the section that the segment is in.
"""

from libc.math cimport exp, log
from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset

import numpy as np
from msgspec.structs import astuple

from templ_core._arrays cimport items
from templ_core.page_level._page_tree cimport Tree, tree_of
from templ_core.page_level.features._place_features cimport PositionColumns, fill_position

from templ_core.page_level.config import FEATURE_CONFIG
from templ_core.page_level._smoothing import smooth_text

cdef double SCORE_WEIGHT = FEATURE_CONFIG.score_weight
cdef double GUESS_RECALL_SHARE = FEATURE_CONFIG.guess_recall_share
cdef double PENALTY = FEATURE_CONFIG.smoothing_penalty

# Sums over segments, kept beside each other.
cdef enum:
    PLAIN, MASS, ATTRIBUTE, TEXT, WORDS, NUMBER, SUMS

# The columns of the contexts side by side; `context_columns` reads their names off this list. Columns that
# one loop fills follow each other: L1 to L5 and T, the distances and windows before and after.
cdef struct ContextColumns:
    float attribute_score
    float text_score
    float first_guess
    float over_the_cut
    float expected_f1
    float cut
    float page_mean
    float rank
    float path_mean
    float l1_mean
    float l2_mean
    float l3_mean
    float l4_mean
    float l5_mean
    float t_mean
    float plain_path_mean
    float plain_l2_mean
    float plain_l3_mean
    float plain_l4_mean
    float one_before
    float one_after
    float two_before
    float two_after
    float three_before
    float three_after
    float window_4_before
    float window_4_after
    float window_10_before
    float window_10_after
    float window_25_before
    float window_25_after
    float mass_before
    float mass_after
    float l1_mass
    float l3_mass
    float l5_mass
    float best_subtree_inside
    float best_subtree_levels
    float best_subtree_side
    float best_subtree_over_the_page
    float attribute_path_mean
    float attribute_l1_mean
    float attribute_l2_mean
    float attribute_t_mean
    float attribute_page_mean
    float text_path_mean
    float text_l1_mean
    float text_l2_mean
    float text_t_mean
    float text_page_mean
    float smoothed
    float smoothed_less_guess
    float section_words

cdef enum:
    NEIGHBOURS = 3
    WINDOWS = 3
    LEVELS = 6              # L1 to L5, then T

cdef int[WINDOWS] WINDOW = [4, 10, 25]
cdef double EDGE = 1e-6     # keeps the cut that far from 0 and from 1, where log-odds are infinite


def context_columns():
    """Return the names of the columns that `with_contexts` fills, in their order."""
    cdef ContextColumns columns
    memset(&columns, 0, sizeof(columns))
    return list(columns)


def with_contexts(features, page_tree, group_column, attribute_column, text_column, page_type):
    """Return the features of a page, the columns of ContextColumns and the page's type side by side.

    The last columns are the probabilities of the page types, equal in all rows: a label, a date or a byline is content
    on some types of page and template on others.

    Args:
        features: The features of `read_features`; n_segments rows.
        page_tree: The page's tree.
        group_column: Path group of each segment.
        attribute_column: Log-odds of the attribute scores; length n_segments.
        text_column: Log-odds of the text scores; length n_segments.
        page_type: The page's type.
    """
    type_row = np.array(astuple(page_type), np.float32)
    cdef Py_ssize_t segment, size = len(features), node, level, best = 0
    cdef Py_ssize_t column = features.shape[1], types = len(type_row)
    cdef Py_ssize_t contexts = sizeof(ContextColumns) // sizeof(float)
    cdef Py_ssize_t width = column + contexts + types
    cdef const float *type_shares = <const float *>items(type_row, 4)
    cdef Tree tree = tree_of(page_tree)
    cdef double weight = SCORE_WEIGHT, recall_share = GUESS_RECALL_SHARE
    cdef const int64_t *group = <const int64_t *>items(group_column, 8)
    cdef const double *attribute = <const double *>items(attribute_column, 8)
    cdef const double *text = <const double *>items(text_column, 8)
    cdef const float *feature = <const float *>items(features, 4)
    cdef const double *words = tree.words
    rows = np.empty((size, width), np.float32)
    cdef float *cells = <float *>items(rows, 4, True) + column
    guesses, templateness, falling = np.empty(size), np.empty(size), np.empty(size)
    cdef double *p0 = <double *>items(guesses, 8, True)
    cdef double *rest = <double *>items(templateness, 8, True)
    cdef double *key = <double *>items(falling, 8, True)
    for segment in range(size):
        memcpy(cells + segment * width - column, feature + segment * column, column * sizeof(float))
        memcpy(cells + segment * width + contexts, type_shares, types * sizeof(float))
        p0[segment] = 1 / (1 + exp(-weight * (attribute[segment] + text[segment])))
        rest[segment], key[segment] = 1 - p0[segment], -(attribute[segment] + text[segment])
    ranked = falling.argsort(kind="stable")
    cdef const Py_ssize_t *order = <const Py_ssize_t *>items(ranked, sizeof(Py_ssize_t))
    smoothed_column, _, section_column = smooth_text(page_tree, templateness, PENALTY)
    cdef const double *smoothed = <const double *>items(smoothed_column, 8)
    cdef const double *section_words = <const double *>items(section_column, 8)
    cdef int64_t groups = 0
    cdef int one
    for segment in range(size):
        groups = max(groups, group[segment] + 1)
    before_column, in_group_column = np.zeros((size + 1) * SUMS), np.zeros(groups * SUMS)
    cdef double *before = <double *>items(before_column, 8, True)
    cdef double *in_group = <double *>items(in_group_column, 8, True)
    cdef const double *page = before + size * SUMS
    cdef const double *low
    cdef const double *high
    cdef double *sums
    cdef double inside[SUMS]
    cdef double cut = 0, edge, expected, most = 0, most_inside = 0, kept = 0, kept_words = 0
    cdef ContextColumns *cell
    for segment in range(size):
        sums = before + (segment + 1) * SUMS
        sums[PLAIN] = p0[segment]
        sums[MASS] = p0[segment] * words[segment]
        sums[ATTRIBUTE] = attribute[segment] * words[segment]
        sums[TEXT] = text[segment] * words[segment]
        sums[WORDS] = words[segment]
        sums[NUMBER] = 1
        for one in range(SUMS):
            in_group[group[segment] * SUMS + one] += sums[one]
            sums[one] += before[segment * SUMS + one]
    for segment in range(size):
        node = order[segment]
        kept += p0[node] * words[node]
        kept_words += words[node]
        expected = 2 * kept / (kept_words + recall_share * page[MASS] + 1e-9)
        if expected > most:
            most, cut = expected, p0[node]
        (<ContextColumns *>(cells + node * width)).rank = <float>(<double>segment / size)
    edge = min(max(cut, EDGE), 1 - EDGE)
    edge = log(edge / (1 - edge))
    for node in range(tree.nodes):
        low, high = before + tree.first[node] * SUMS, before + tree.last[node] * SUMS
        expected = 2 * (high[MASS] - low[MASS]) / (high[WORDS] - low[WORDS] + page[MASS])
        if expected > most_inside:
            most_inside, best = expected, node
    fill_position(
        &tree, best, <PositionColumns *>&(<ContextColumns *>cells).best_subtree_inside, width
    )
    for segment in range(size):
        cell = <ContextColumns *>(cells + segment * width)
        cell.attribute_score = <float>attribute[segment]
        cell.text_score = <float>text[segment]
        cell.first_guess = <float>p0[segment]
        cell.smoothed = <float>(1 - smoothed[segment])
        cell.smoothed_less_guess = <float>(1 - smoothed[segment] - p0[segment])
        cell.section_words = <float>log(section_words[segment])
        cell.over_the_cut = <float>(weight * (attribute[segment] + text[segment]) - edge)
        cell.expected_f1, cell.cut = <float>most, <float>cut
        cell.page_mean = <float>(page[MASS] / page[WORDS])
        cell.best_subtree_over_the_page = <float>(most_inside / most)
        sums = in_group + group[segment] * SUMS
        cell.path_mean = <float>(sums[MASS] / sums[WORDS])
        cell.plain_path_mean = <float>(sums[PLAIN] / sums[NUMBER])
        cell.attribute_path_mean = <float>(sums[ATTRIBUTE] / sums[WORDS])
        cell.text_path_mean = <float>(sums[TEXT] / sums[WORDS])
        cell.attribute_page_mean = <float>(page[ATTRIBUTE] / page[WORDS])
        cell.text_page_mean = <float>(page[TEXT] / page[WORDS])
        for level in range(LEVELS):
            node = tree.above[level * size + segment]
            low, high = before + tree.first[node] * SUMS, before + tree.last[node] * SUMS
            for one in range(SUMS):
                inside[one] = high[one] - low[one]
            (&cell.l1_mean)[level] = <float>(inside[MASS] / inside[WORDS])
            if 1 <= level <= 3:
                (&cell.plain_l2_mean)[level - 1] = <float>(inside[PLAIN] / inside[NUMBER])
            if level % 2 == 0:
                (&cell.l1_mass)[level // 2] = <float>(inside[MASS] / page[MASS])
            if level < 2 or level == LEVELS - 1:
                one = min(level, 2)
                (&cell.attribute_l1_mean)[one] = <float>(inside[ATTRIBUTE] / inside[WORDS])
                (&cell.text_l1_mean)[one] = <float>(inside[TEXT] / inside[WORDS])
        _fill_order(before, p0, size, segment, cell)
    return rows


cdef void _fill_order(
    const double *before, const double *p0, Py_ssize_t size, Py_ssize_t segment,
    ContextColumns *cell,
) noexcept:
    """Fill the columns of the segments before and after: neighbours, windows, and all of them."""
    cdef Py_ssize_t low, high
    cdef double total = before[size * SUMS + MASS]
    cdef int step
    for step in range(NEIGHBOURS):
        low, high = segment - step - 1, segment + step + 1
        (&cell.one_before)[2 * step] = <float>p0[low] if low >= 0 else 0
        (&cell.one_after)[2 * step] = <float>p0[high] if high < size else 0
    for step in range(WINDOWS):
        low, high = max(segment - WINDOW[step], 0), min(segment + WINDOW[step] + 1, size)
        (&cell.window_4_before)[2 * step] = _mean(before, low, segment)
        (&cell.window_4_after)[2 * step] = _mean(before, segment + 1, high)
    cell.mass_before = <float>(before[segment * SUMS + MASS] / total)
    cell.mass_after = <float>(1 - before[(segment + 1) * SUMS + MASS] / total)


cdef inline float _mean(const double *before, Py_ssize_t low, Py_ssize_t high) noexcept:
    """Return the mean first guess of a range of segments by words, 0 for an empty range."""
    cdef double mass = before[high * SUMS + MASS] - before[low * SUMS + MASS]
    cdef double words = before[high * SUMS + WORDS] - before[low * SUMS + WORDS]
    return <float>(mass / max(words, 1.0))
