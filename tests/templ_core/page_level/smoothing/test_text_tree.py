import numpy as np

from templ_core.dom.document import parse_document
from templ_core.dom.tree import subtree_sums
from templ_core.page_level.features.page_features import read_features
from templ_core.page_level.smoothing._smoothing import text_tree
from templ_core.page_level.smoothing.isotonic import smooth
from templ_core.page_level.smoothing.text_tree import smooth_text
from templ_core.page_level.smoothing.thinned_tree import leave_out
from workers.lab.simulate.feed import FeedSettings, simulate_feed


def slow_smooth(document, words, templateness, penalty):
    """Return smoothed scores and sections on the whole tree, thinned by numpy operations."""
    owner, n_nodes = document.segments.owner, len(document.nodes.tags)
    order = np.argsort(np.concatenate([np.arange(n_nodes), owner]), kind="stable")
    place = np.argsort(order)
    parent = np.concatenate([document.nodes.parent, owner])[order]
    parent = np.where(parent < 0, -1, place[parent]).astype(np.int32)
    inside = np.concatenate([subtree_sums(document, words), words])[order]
    is_wrapper = (order < n_nodes) & (parent >= 0) & (inside == inside[parent])
    tree = leave_out(parent, is_wrapper | (inside == 0))
    nothing = np.zeros(n_nodes)
    smoothed = smooth(
        tree.parent,
        np.concatenate([nothing, templateness])[order][tree.kept],
        np.concatenate([nothing, np.sqrt(words)])[order][tree.kept],
        penalty * words.sum() / inside[tree.kept],
    )
    leaf = tree.stands_for[place[n_nodes:]]
    return smoothed.score[leaf], smoothed.section[leaf]


def test_smoothing_on_the_text_tree_is_that_on_the_whole_tree():
    draws = np.random.default_rng(0)
    for page in simulate_feed(FeedSettings(sites=8, pages=24)):
        document = parse_document(page.html, page.url)
        if not document.segments.texts:
            continue
        tree = read_features(document).tree
        templateness = draws.random(len(tree.words))
        found = smooth_text(tree, templateness, 0.05)
        score, section = slow_smooth(document, tree.words, templateness, 0.05)
        assert np.allclose(found.templateness, score)
        borders = np.diff(found.section) != 0
        assert (borders == (np.diff(section) != 0)).all()


def test_elements_that_hold_what_the_element_around_them_holds_are_left_out():
    document = parse_document("<div><div><p>one two<p>three</div></div>", "")
    tree = read_features(document).tree
    parent, leaf, words = text_tree(tree.first, tree.last, tree.words)
    assert parent.tolist() == [-1, 0, 0]
    assert leaf.tolist() == [1, 2]
    assert words.tolist() == [3, 2, 1]
