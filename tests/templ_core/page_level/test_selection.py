from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templ_core.clean_document import clean
from templ_core.config import CoreConfig
from templ_core.decide import agreed, select_segments, with_policy
from templ_core.dom.document import parse_document
from templ_core.page_level._selection import best_cut, plain_f1, surest_copies
from templ_core.page_level.config import SELECTION_CONFIG, SelectionConfig
from templ_core.page_level.features.page_features import read_features
from templ_core.page_level.features.surroundings import TextRoles
from templ_core.page_level.model.page_type import PageType
from templ_core.page_level.page_evidence import Copies, may_repeat
from templ_core.page_level.page_tree import read_tree

LOG_ODDS = st.floats(-30, 30).map(lambda value: round(value, 3))
SPREADS = (0.30001, 0.75001, 2.00001, 8.00001)
"""No part of a tree has exactly such a spread, so rounding errors decide nothing."""
TREES = st.recursive(
    st.tuples(LOG_ODDS, st.integers(1, 40)), lambda inner: st.lists(inner, min_size=1, max_size=4)
)


def markup_of(tree):
    if isinstance(tree, tuple):
        return f"<p>{'word ' * tree[1]}</p>"
    return f"<div>{''.join(markup_of(one) for one in tree)}</div>"


def leaves(tree):
    return [tree] if isinstance(tree, tuple) else [leaf for one in tree for leaf in leaves(one)]


def slowly_agreed(tree, spread_max):
    """The largest parts of the tree that agree, from the root down."""
    log_odds, words = np.array(leaves(tree)).T
    weight = np.sqrt(words)
    mean = np.average(log_odds, weights=weight)
    if np.average((log_odds - mean) ** 2, weights=weight) <= spread_max**2:
        return [mean] * len(weight)
    if isinstance(tree, tuple):
        return [tree[0]]
    return [value for one in tree for value in slowly_agreed(one, spread_max)]


def tree_of(markup, words):
    return read_tree(parse_document(markup, "https://example.com/"), np.array(words, float))


@given(TREES, st.sampled_from(SPREADS))
def test_the_largest_parts_that_agree_have_their_mean(tree, spread_max):
    log_odds, words = (np.array(column, float) for column in zip(*leaves(tree), strict=True))
    config = SelectionConfig(section_spread_max=spread_max)
    agreeing = agreed(log_odds, tree_of(markup_of(tree), words), config)
    assert np.allclose(agreeing, slowly_agreed(tree, spread_max), atol=0.0006)


ROWS = "<table><tr><td>Weight<td>1.4 kg<tr><td>Home<td>Contact</table>"


@pytest.mark.parametrize(
    ("markup", "words", "log_odds", "together"),
    [
        pytest.param(ROWS, [1] * 4, [-0.3, 0.7, -5, -4], [0.2, 0.2, -4.5, -4.5], id="two rows"),
        pytest.param(
            "<ul><li>one<li>two", [1, 4], [0, 0.9], [0.6, 0.6], id="long text counts more"
        ),
        pytest.param("<p>one<p>two<p>note", [20] * 3, [2, 3, -30], [2, 3, -30], id="a note"),
    ],
)
def test_parts_that_agree_stay_or_go_together(markup, words, log_odds, together):
    assert agreed(np.array(log_odds, float), tree_of(markup, words)).tolist() == together


def test_the_segments_of_a_list_have_one_decision():
    items = "".join(f"<li>{n} kg of flour, sieved twice" for n in range(12))
    markup = (
        f"<nav><a href=/>Home</a></nav><h1>A cake</h1><p>{'It is made by hand. ' * 8}"
        f"<ul>{items}</ul><footer>All rights reserved</footer>"
    )
    document = parse_document(markup, "https://example.com/")
    decision = clean(document, None, CoreConfig()).decision
    in_list = [text.endswith("sieved twice") for text in document.segments.texts]
    assert sum(in_list) == 12
    assert len(set(decision.log_odds[in_list].tolist())) == 1


SEGMENT = st.tuples(st.floats(-40, 40), st.integers(1, 50), st.booleans())
SEGMENTS = st.lists(SEGMENT, min_size=1, max_size=7)


@given(SEGMENTS, st.floats(0, 1))
def test_no_other_selection_has_a_better_expected_f1(segments, recall_share):
    log_odds = np.array([log_odds for log_odds, _, _ in segments])
    words = np.array([float(words) for _, words, _ in segments])
    left_out = np.array([out for _, _, out in segments])
    mass = words / (1 + np.exp(-log_odds))
    kept, expected_f1 = best_cut(log_odds, left_out, words, recall_share)

    def expected(choice):
        kept_words = words[choice].sum() + recall_share * mass[~left_out].sum()
        return 2 * mass[choice].sum() / (kept_words + 1e-9)

    choices = [np.array(one) & ~left_out for one in product([False, True], repeat=len(segments))]
    best = max((expected(choice) for choice in choices if choice.any()), default=0)
    assert not (kept & left_out).any()
    assert kept.any() or left_out.all()
    assert expected_f1 == pytest.approx(min(expected(kept), 1) if kept.any() else 0)
    if recall_share == 1:
        assert expected_f1 >= best - 1e-9


@given(SEGMENTS, st.floats(0, 4), st.floats(0, 4))
def test_more_weight_of_recall_keeps_all_that_less_of_it_keeps(segments, one, other):
    log_odds, words, out = (np.array(column) for column in zip(*segments, strict=True))
    words, shares = words.astype(float), sorted((one, other))
    less, more = (best_cut(log_odds, out, words, share)[0] for share in shares)
    assert not (less & ~more).any()


@given(SEGMENTS, st.randoms(use_true_random=False))
def test_the_plain_f1_counts_what_is_kept_and_what_is_not_left_out(segments, random):
    log_odds, words, out = (np.array(column) for column in zip(*segments, strict=True))
    words = words.astype(float)
    kept = np.array([random.random() < 0.5 for _ in segments])
    mass = words / (1 + np.exp(-log_odds))
    counted = words[kept].sum() + mass[kept | ~out].sum()
    expected = 2 * mass[kept].sum() / counted if counted else 0
    assert plain_f1(log_odds, kept, out, words) == pytest.approx(expected)


def test_a_page_without_text_keeps_nothing():
    kept, expected = best_cut(np.empty(0), np.empty(0, np.bool_), np.empty(0), 0.95)
    assert kept.size == 0
    assert expected == 0.0


LONG = "these twenty words and a few stand on the page more than once today, as they are told on phones too, and on desks"


def copies(markup):
    document = parse_document(markup, "https://example.com/")
    features = read_features(document)
    once = may_repeat(features.surroundings, features.tree.words)
    return features.tree.words, Copies(text=features.text, path=features.group, once=once)


def kept(markup, log_odds):
    words, is_copy = copies(markup)
    return select_segments(np.array(log_odds), is_copy, words, 0.95).kept.tolist()


@pytest.mark.parametrize(
    ("markup", "log_odds", "stays"),
    [
        (f"<p>{LONG}</p><div>{LONG}</div><p>And more.</p>", [2.0, 4.0, 4.0], [False, True, True]),
        (f"<li>{LONG}<li>{LONG}", [3.0, 4.0], [True, True]),  # records of one list may be equal
        (f"<div>{LONG}</div><pre>{LONG}</pre>", [4.0, 3.0], [True, True]),  # code may repeat text
        ("<p>Read more</p><div>Read more</div>", [4.0, 4.0], [True, True]),
    ],
)
def test_the_surest_copy_of_a_long_text_is_kept(markup, log_odds, stays):
    assert kept(markup, log_odds) == stays


def test_segments_left_out_stay_out_unless_there_are_no_others():
    words, is_copy = copies("<p>One text of a page.</p><div>And another text.</div>")
    for left_out, kept_then in (([False, True], [True, False]), ([True, True], [True, True])):
        selection = select_segments(np.array([3.0, 3.0]), is_copy, words, 0.95, np.array(left_out))
        assert selection.kept.tolist() == kept_then


@given(st.lists(st.tuples(st.integers(0, 2**64 - 1) | st.integers(0, 9), st.integers(-3, 3))))
def test_of_equally_sure_copies_the_first_is_the_surest(segments):
    text = np.array([text for text, _ in segments], np.uint64)
    log_odds = np.array([log_odds for _, log_odds in segments], np.float64)
    expected = [
        min(
            (-other_log_odds, place)
            for place, (other, other_log_odds) in enumerate(segments)
            if other == own
        )[1]
        for own, _ in segments
    ]
    assert surest_copies(text, log_odds).tolist() == expected


ALWAYS, NEVER = SELECTION_CONFIG.always_log_odds, SELECTION_CONFIG.never_log_odds


@pytest.mark.parametrize(
    ("setting", "article", "comment_words", "comments", "reviews"),
    [
        pytest.param("auto", 0.9, 500, -2, 2, id="an article with many comments"),
        pytest.param("auto", 0.6, 500, 2, 2, id="a thread whose posts are called comments"),
        pytest.param("auto", 0.4, 20, -2, 2, id="few comments on what may be an article"),
        pytest.param("auto", 0.0, 1, 2, 2, id="no article"),
        pytest.param("keep", 0.9, 500, ALWAYS, ALWAYS, id="kept"),
        pytest.param("keep", 0.9, 1, 2, ALWAYS, id="a comment of one word"),
        pytest.param("drop", 0.0, 500, NEVER, NEVER, id="dropped"),
    ],
)
def test_comments_are_left_out_if_an_article_beside_them_is_likelier_than_content_in_them(
    setting, article, comment_words, comments, reviews
):
    is_comment, is_review, is_consent = np.eye(4, dtype=np.bool_)[1:]
    roles = TextRoles(
        comments=is_comment, reviews=is_review, consent=is_consent, leads=np.zeros_like(is_comment)
    )
    words = np.array([60.0, comment_words, 30.0, 1.0])
    with_roles = with_policy(np.full(4, 2.0), words, roles, PageType(article=article), setting)
    assert with_roles.tolist() == [2, comments, reviews, NEVER]
