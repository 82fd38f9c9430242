import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from templ_core.clean_document import clean
from templ_core.config import CoreConfig
from templ_core.dom.document import parse_document
from templ_core.page_level.config import SelectionConfig
from templ_core.page_level.page_tree import read_tree
from templ_core.page_level.selection import agreed

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
    found = agreed(
        log_odds, tree_of(markup_of(tree), words), SelectionConfig(section_spread_max=spread_max)
    )
    assert np.allclose(found, slowly_agreed(tree, spread_max), atol=0.0006)


def test_a_label_stays_or_goes_with_its_value_though_the_table_is_divided():
    markup = "<table><tr><td>Weight<td>1.4 kg<tr><td>Home<td>Contact</table>"
    log_odds = np.array([-0.3, 0.7, -5.0, -4.0])
    assert agreed(log_odds, tree_of(markup, [1, 1, 1, 1])).tolist() == [0.2, 0.2, -4.5, -4.5]


def test_longer_text_counts_for_more():
    tree = tree_of("<ul><li>one<li>two</ul>", [1, 4])
    assert agreed(np.array([0.0, 0.9]), tree).tolist() == [0.6, 0.6]


def test_a_note_that_is_surely_no_content_takes_no_paragraph_with_it():
    tree = tree_of("<div><p>one<p>two<p>note</div>", [20, 20, 20])
    log_odds = np.array([2.0, 2.5, -30.0])
    assert agreed(log_odds, tree).tolist() == log_odds.tolist()


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
