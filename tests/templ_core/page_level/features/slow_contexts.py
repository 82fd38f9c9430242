"""A slow twin of `templ_core.page_level.features.contexts`: one numpy operation after the other."""

import numpy as np

from templ_core.page_level.config import FEATURE_CONFIG
from templ_core.page_level.smoothing.text_tree import smooth_text
from tests.templ_core.page_level.features.slow_features import position_columns

WINDOWS = (4, 10, 25)
NEIGHBOURS = {"one": 1, "two": 2, "three": 3}
_LEVEL_NAMES = ("l1", "l2", "l3", "l4", "l5", "t")


def context_columns(tree, group, attribute, text):
    """Return the contexts of the two scores by name; each of length n_segments."""
    log_odds = FEATURE_CONFIG.score_weight * (attribute + text)
    p0 = first_guess(attribute, text)
    return {
        "attribute_score": attribute,
        "text_score": text,
        **_page_columns(tree, log_odds, p0),
        **_mean_columns(tree, group, p0),
        **_order_columns(tree, p0),
        **_mass_columns(tree, p0),
        **_raw_columns(tree, group, attribute, "attribute"),
        **_raw_columns(tree, group, text, "text"),
        **_smoothed_columns(tree, p0),
    }


def expected_f1_curve(content_probability, words, recall_share):
    """Return the segments from the surest on, and the expected F1 of keeping them up to each."""
    order = np.argsort(-content_probability, kind="stable")
    mass = content_probability * words
    kept_mass = np.cumsum(mass[order])
    return order, 2 * kept_mass / (np.cumsum(words[order]) + recall_share * mass.sum() + 1e-9)


def first_guess(attribute, text):
    """Return the first guess of each segment, 0 to 1."""
    return 1 / (1 + np.exp(-FEATURE_CONFIG.score_weight * (attribute + text)))


def _page_columns(tree, log_odds, p0):
    """Return the columns of the page as a whole: where the first guess would cut it."""
    order, expected = expected_f1_curve(p0, tree.words, FEATURE_CONFIG.guess_recall_share)
    best = int(np.argmax(expected))
    cut = float(p0[order[best]])
    size = len(p0)
    rank = np.empty(size)
    rank[order] = np.arange(size) / size
    edge = min(max(cut, 1e-6), 1 - 1e-6)
    return {
        "first_guess": p0,
        "over_the_cut": log_odds - np.log(edge / (1 - edge)),
        "expected_f1": np.full(size, expected[best]),
        "cut": np.full(size, cut),
        "page_mean": np.full(size, np.average(p0, weights=tree.words)),
        "rank": rank,
    }


def _mean_columns(tree, group, p0):
    """Return mean first guesses of the same path and inside the compressed ancestors."""
    mass, ones = p0 * tree.words, np.ones(len(p0))
    weighted = tree.sums(mass, tree.above) / tree.sums(tree.words, tree.above)
    plain = tree.sums(p0, tree.above[1:4]) / tree.sums(ones, tree.above[1:4])
    return {
        "path_mean": group_means(group, p0, tree.words),
        **{f"{name}_mean": row for name, row in zip(_LEVEL_NAMES, weighted, strict=True)},
        "plain_path_mean": group_means(group, p0, ones),
        **{f"plain_{name}_mean": row for name, row in zip(_LEVEL_NAMES[1:4], plain, strict=True)},
    }


def group_means(group, values, weights):
    """Return the weighted mean of each segment's group; length n_segments."""
    means = np.bincount(group, values * weights) / np.bincount(group, weights)
    return means[group]


def _order_columns(tree, p0):
    """Return first guesses before and after, one by one and in windows; 0 beyond the page."""
    size, widest = len(p0), max(WINDOWS)
    columns = {}
    padded = np.pad(p0, widest)
    for name, step in NEIGHBOURS.items():
        columns[f"{name}_before"] = padded[widest - step :][:size]
        columns[f"{name}_after"] = padded[widest + step :][:size]
    mass = np.concatenate([np.zeros(1), np.cumsum(p0 * tree.words)])
    words = np.concatenate([np.zeros(1), np.cumsum(tree.words)])
    number = np.arange(size)
    for window in WINDOWS:
        low, high = np.maximum(number - window, 0), np.minimum(number + window + 1, size)
        columns[f"window_{window}_before"] = _ratio(
            mass[number] - mass[low], words[number] - words[low]
        )
        columns[f"window_{window}_after"] = _ratio(
            mass[high] - mass[number + 1], words[high] - words[number + 1]
        )
    columns["mass_before"] = mass[:-1] / mass[-1]
    columns["mass_after"] = 1 - mass[1:] / mass[-1]
    return columns


def _mass_columns(tree, p0):
    """Return shares of the content mass, and the position relative to the best subtree."""
    mass = p0 * tree.words
    total = float(mass.sum())
    nodes = np.arange(len(tree.up))
    inside, words = tree.sums(mass, nodes), tree.sums(tree.words, nodes)
    expected = 2 * inside / (words + total)
    best = int(np.argmax(expected))
    _, page_expected = expected_f1_curve(p0, tree.words, FEATURE_CONFIG.guess_recall_share)
    shares = inside[tree.above[[0, 2, 4]]] / total
    return {
        **{f"{name}_mass": row for name, row in zip(("l1", "l3", "l5"), shares, strict=True)},
        **position_columns(tree, best, "best_subtree_"),
        "best_subtree_over_the_page": np.full(len(p0), expected[best] / page_expected.max()),
    }


def _raw_columns(tree, group, score, name):
    weighted = score * tree.words
    nodes = tree.above[[0, 1, 5]]
    rows = tree.sums(weighted, nodes) / tree.sums(tree.words, nodes)
    page = np.full(len(score), weighted.sum() / tree.words.sum())
    return {
        f"{name}_path_mean": group_means(group, score, tree.words),
        **{f"{name}_{level}_mean": row for level, row in zip(("l1", "l2", "t"), rows, strict=True)},
        f"{name}_page_mean": page,
    }


def _smoothed_columns(tree, p0):
    found = smooth_text(tree, 1 - p0, FEATURE_CONFIG.smoothing_penalty)
    return {
        "smoothed": 1 - found.templateness,
        "smoothed_less_guess": 1 - found.templateness - p0,
        "section_words": np.log(found.section_words),
    }


def _ratio(mass, words):
    return mass / np.maximum(words, 1.0)
