"""The columns of trees and places equal those of an obvious walk, which has names for hashes."""

import math
import random

import msgspec
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from templ_core.dom.document import parse_document
from templ_core.lab.papers.rtdm import build_tree, is_voted_template, learn_voted_templates
from templ_core.site_level.config import TREES_CONFIG
from templ_core.site_level.places.places import MASS_UNIT, node_places
from templ_core.site_level.trees.tree_learner import TreeLearner, TreePage
from templ_core.site_level.trees.tree_mapping import (
    label_page,
    labelled,
    likeness,
    map_trees,
    node_hashes,
    page_blocks,
)
from templ_core.site_level.trees.tree_model import bounded_trees, encode_tree_model, tree_evidence
from tests.templ_core.any_markup import any_markup
from tests.templ_core.site_level.build_trees import (
    parents,
    slow_cost,
    tree,
    trees,
    variants,
)
from tests.templ_core.site_level.slow_columns import slow_identities, slow_places, slow_tree
from workers.lab.simulate.feed import FeedSettings, simulate_feed

TAGS = ("div", "p", "ul", "li", "article", "table", "tr", "td", "h2", "a href=/x", "b", "span")
TEXTS = st.sampled_from(["Read", "more.", "Home", "one two", "<br>", "<hr>"])
MARKUP = any_markup(TEXTS, tags=TAGS, pieces_max=50)


def are_one_to_one(names, numbers):
    pairs = set(zip(names, numbers, strict=True))
    return len(pairs) == len(set(names)) == len(set(numbers))


def assert_equal_columns(document):
    tree, paths = slow_tree(document)
    subtrees, ends = slow_identities(tree)
    page = label_page(document)
    labels = [(label, segment >= 0) for label, _, segment in tree]
    assert are_one_to_one([(name.lower(), leaf) for name, leaf in labels], page.tree.label.tolist())
    assert page.tree.depth.tolist() == [depth for _, depth, _ in tree]
    assert page.tree.segment.tolist() == [segment for _, _, segment in tree]
    assert page.tree.end.tolist() == ends
    assert are_one_to_one(subtrees, page.tree.identity.tolist())
    assert len(page.paths) == len(paths)
    assert (page.paths[1:] > page.paths[:-1]).all()
    again = build_tree(label=page.tree.label, depth=page.tree.depth, segment=page.tree.segment)
    assert (again.identity == page.tree.identity).all()
    assert (again.end == page.tree.end).all()
    places = node_places(document)
    columns = (places.path, places.cell, places.anchor)
    for names, numbers in zip(zip(*slow_places(document), strict=True), columns, strict=True):
        assert are_one_to_one(names, numbers.tolist())


@settings(deadline=None)
@given(MARKUP)
@example("<div></div>")
def test_columns_equal_those_of_the_obvious_walk(markup):
    assert_equal_columns(parse_document(f"<body>{markup}", "https://example.com/"))


def test_columns_of_synthetic_sites_equal_those_of_the_obvious_walk():
    for page in simulate_feed(FeedSettings(sites=4, pages=8)):
        assert_equal_columns(parse_document(page.html, page.url))


NAVIGATION = ("Home", "World", "Sport", "Weather")
FOOTER = "Copyright 2026 The Paper, all rights reserved"
WORDS = [f"word{number}" for number in range(500)]


def prose(seed, paragraphs=4):
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS, k=40)) for _ in range(paragraphs)]


def article(seed, *, paragraphs=4, extra="", names="article comment nav foot"):
    own, comment, nav, foot = names.split()
    body = "".join(f"<p>{text}</p>" for text in prose(seed, paragraphs))
    return page(
        f'<div class="{own}"><h1>Headline {seed}</h1>{body}</div>{extra}'
        f'<form class="{comment}"><h3>Leave a comment</h3><p>Your name</p></form>',
        f"Headline {seed}",
        nav,
        foot,
    )


def listing(seed):
    teasers = "".join(
        f'<div class="teaser"><h2>Headline {9 * seed + n}</h2><span>{prose(9 * seed + n)[0]}</span></div>'
        for n in range(6)
    )
    return page(
        f'<section class="stream"><header>Latest</header>{teasers}</section>'
        "<nav><ol class='pages'><li>1</li><li>Next page</li></ol></nav>",
        "Latest",
    )


def page(main, title, nav="nav", foot="foot"):
    items = "".join(f"<li>{name}</li>" for name in NAVIGATION)
    return parse_document(
        f"<html><head><title>{title}</title></head><body><ul class='{nav}'>{items}</ul>"
        f"<main>{main}</main><div class='{foot}'>{FOOTER}</div></body></html>",
        "http://paper.example/",
    )


def other_site(seed):
    rows = "".join(f"<tr><td>{text}</td><td>12 Euro</td></tr>" for text in prose(seed))
    return parse_document(
        f"<title>{seed}</title><center><table><tr><td>Our shop</td></tr>{rows}</table></center>",
        "http://paper.example/",
    )


def tree_page(document):
    """The page with paragraphs of a hundred words and more as its content."""
    texts = document.segments.texts
    words = np.array([len(text.split()) for text in texts], np.int32)
    return TreePage(
        blocks=page_blocks(document),
        texts=node_hashes(texts),
        words=words,
        mass=np.where(words >= 40, 990, 10).astype(np.int64) * words,
    )


def name_of(number):
    return bytes([number * 37 % 251]), str(number)


def window(documents):
    return {name_of(number): tree_page(one) for number, one in enumerate(documents)}


def learned(documents, config=TREES_CONFIG):
    return TreeLearner(config).model(window(documents))


def evidence(document, model):
    blocks = tree_page(document)
    return tree_evidence(blocks.blocks, blocks.texts, model, blocks.words, blocks.mass)


def shares(document, model):
    trees = evidence(document, model)
    ratios = (trees.text_pages / trees.pages).tolist()
    return dict(zip(document.segments.texts, ratios, strict=True))


class TestEvidence:
    def test_template_is_at_its_place_on_all_pages_and_content_on_none(self):
        model = learned(map(article, range(10)))
        share = shares(article(99, paragraphs=7), model)
        assert all(share[text] == 1 for text in (*NAVIGATION, FOOTER, "Leave a comment"))
        assert not any(share[text] for text in ("Headline 99", *prose(99, 7)))

    def test_places_of_content_are_likelier_than_all_others(self):
        document = article(99, paragraphs=7)
        trees = evidence(document, learned(map(article, range(10))))
        log_odds = dict(zip(document.segments.texts, trees.log_odds.tolist(), strict=True))
        content = [log_odds.pop(text) for text in prose(99, 7)]
        assert min(content) > max(0, *log_odds.values())

    def test_names_that_a_site_changes_do_not_matter(self):
        documents = [article(n, names="a b c d") for n in range(10)]
        model = learned(documents)
        one, other = (evidence(article(99, names=names), model) for names in ("a b c d", "w x y z"))
        assert one.pages == other.pages == 10
        assert (one.log_odds == other.log_odds).all()

    def test_a_text_at_another_place_is_not_the_template(self):
        model = learned(map(article, range(10)))
        document = article(99, extra="<blockquote><b>x</b><p>Home</p></blockquote>")
        is_home = np.array(document.segments.texts) == "Home"
        assert evidence(document, model).text_pages[is_home].tolist() == [10, 0]


class TestClusters:
    @pytest.mark.parametrize(
        ("other", "text"), [(listing, "Latest"), (other_site, "Our shop")], ids=["kinds", "sites"]
    )
    def test_articles_listings_and_pages_of_other_sites_are_told_apart(self, other, text):
        model = learned([make(n) for n in range(8) for make in (article, other)])
        assert [cluster.pages for cluster in model.clusters] == [8, 8]
        assert shares(other(300), model)[text] == 1
        assert shares(article(300), model)["Leave a comment"] == 1

    def test_a_page_like_no_cluster_has_no_evidence(self):
        assert evidence(other_site(1), learned(map(article, range(8)))) is None

    def test_error_pages_among_the_others_change_little(self):
        bare = parse_document("<title>502</title><center>Bad gateway</center>", "http://a.example/")
        documents = [bare, *(article(n) for n in range(12)), bare, bare]
        share = shares(article(99), learned(documents))
        assert all(share[text] > 0.9 for text in (*NAVIGATION, FOOTER))

    def test_there_are_not_more_clusters_than_may_be(self):
        config = msgspec.structs.replace(TREES_CONFIG, clusters_max=2)
        odd = [
            parse_document(f"<body><{tag}><p>{tag}</p></{tag}>", "http://a.example/")
            for tag in ("main", "aside", "article", "section")
        ]
        assert len(learned([article(0), *odd], config).clusters) == 2

    def test_a_cluster_keeps_as_many_nodes_as_it_may(self, monkeypatch):
        monkeypatch.setattr("templ_core.site_level.trees.tree_learner.NODES_MAX", 30)
        model = learned([article(n, paragraphs=20) for n in range(6)])
        assert all(len(cluster.support) <= 30 for cluster in model.clusters)
        long = article(99, paragraphs=3000)
        assert evidence(long, model).place_pages[-1] == 0
        assert shares(article(99), model)["Home"] == 1

    def test_pages_without_text_are_no_template(self):
        empty = parse_document("", "http://a.example/")
        model = learn_voted_templates([empty, article(1), article(2)])
        assert [cluster.pages for cluster in model.clusters] == [2]
        assert not is_voted_template(other_site(1), model, 0.5).any()


PAGES = [make(n) for n in range(6) for make in (article, listing, other_site)]


@settings(deadline=None, max_examples=30)
@given(st.lists(st.sets(st.integers(0, len(PAGES) - 1), min_size=1), min_size=2, max_size=5))
def test_templates_depend_on_the_pages_of_the_window_alone(windows):
    all_pages, learner = window(PAGES), TreeLearner()
    for numbers in windows:
        pages = {name_of(number): all_pages[name_of(number)] for number in numbers}
        model = learner.model(pages)
        assert encode_tree_model(model) == encode_tree_model(TreeLearner().model(pages))
    assert sum(cluster.pages for cluster in model.clusters) == len(windows[-1])


def slow_log_odds(cluster, places, one):
    """The log-odds of places, node by node."""
    tree, words, mass = cluster.reference.tree, cluster.words, cluster.mass / MASS_UNIT

    def content(node):
        inside = slice(node, int(tree.end[node]))
        above = content(parent(node)) if node else mass.sum() / max(words.sum(), 1)
        return (mass[inside].sum() + 80 * above) / (words[inside].sum() + 80)

    def parent(node):
        return max(n for n in range(node) if tree.depth[n] == tree.depth[node] - 1)

    result = []
    for place, own_words, own_mass in zip(places, one.words, one.mass / MASS_UNIT, strict=True):
        is_leaf = tree.is_text[place]
        known = (words[place], mass[place]) if is_leaf else (0, 0)
        start = content(parent(place)) if is_leaf else content(place)
        share = (known[1] + own_mass + 80 * start) / (known[0] + own_words + 80)
        share = min(max(share, 0.01), 0.99)
        result.append(math.log(share / (1 - share)))
    return result


@settings(deadline=None, max_examples=30)
@given(st.sampled_from(PAGES), st.integers(0, 3))
def test_log_odds_equal_those_of_the_slow_reference(document, more):
    extra = "".join(f"<div><p>{text}</p></div>" for text in prose(7, more))
    for asked in (document, article(50, extra=extra)):
        model = learned(PAGES)
        trees, one = evidence(asked, model), tree_page(asked)
        paths = label_page(asked).paths
        cluster = max(model.clusters, key=lambda each: likeness(each.reference.paths, paths))
        places = places_of(cluster, one)
        assert trees.log_odds.tolist() == pytest.approx(slow_log_odds(cluster, places, one))


def places_of(cluster, one):
    """The node at which each segment stands, by the mapping and the nearest element above."""
    tree, own = cluster.reference.tree, labelled(one.blocks, one.texts).tree
    mapping = map_trees(tree, own)
    lies = {}
    for left, right in zip(mapping.left.tolist(), mapping.right.tolist(), strict=True):
        if left >= 0 and right >= 0:
            both_text = tree.segment[left] >= 0 and own.segment[right] >= 0
            if both_text or tree.label[left] == own.label[right]:
                lies[right] = left
    result = []
    for node in np.flatnonzero(own.is_text).tolist():
        at = node
        while at not in lies:
            at = max(n for n in range(at) if own.depth[n] == own.depth[at] - 1)
        result.append(lies[at])
    return result


def test_least_supported_places_make_room_first():
    box = "<aside><p>Read more</p></aside>"
    model = learned([article(n, extra=box if n % 3 else "") for n in range(12)])
    smaller = bounded_trees(model, 0.9)
    assert len(smaller.clusters[0].support) == int(0.9 * len(model.clusters[0].support))
    assert smaller.clusters[0].support.min() >= model.clusters[0].support.min()
    assert shares(article(99, extra=box), smaller)["Home"] == 1
    assert bounded_trees(model, 0).clusters == []


def cost_of(mapping, left, right):
    """Return the cost (Definition 2) of the mapping that was written down."""
    paired = (mapping.left >= 0) & (mapping.right >= 0)
    replaced = left.label[mapping.left[paired]] != right.label[mapping.right[paired]]
    return replaced.sum() + (mapping.left < 0).sum() + (mapping.right < 0).sum()


def assert_mapping(mapping, left, right):
    """Check Definition 4: nodes stand once and in order, parents of pairs are pairs, replaced nodes have
    no pairs below them."""
    assert mapping.left[mapping.left >= 0].tolist() == list(range(left.label.size))
    assert mapping.right[mapping.right >= 0].tolist() == list(range(right.label.size))
    ups, other_ups = parents(left), parents(right)
    pairs = {a: b for a, b in zip(mapping.left, mapping.right, strict=True) if a >= 0 and b >= 0}
    for one, other in pairs.items():
        if one:
            assert pairs[ups[one]] == other_ups[other]
            assert left.label[ups[one]] == right.label[other_ups[other]]


def long_list(count, item, end=""):
    return f"r({' '.join(map(item.format, range(count)))} {end})"


class TestMapTrees:
    @given(st.one_of(variants(), st.tuples(trees(nodes_max=15), trees(nodes_max=15))))
    def test_of_the_cheapest_mappings_the_one_with_most_common_nodes_is_taken(self, pair):
        left, right = pair
        mapping = map_trees(left, right)
        paired = (mapping.left >= 0) & (mapping.right >= 0)
        common = int((left.label[mapping.left[paired]] == right.label[mapping.right[paired]]).sum())
        assert (mapping.cost, common) == slow_cost(left, right)

    @given(trees(nodes_max=30), trees(nodes_max=30), st.integers(0, 6), st.integers(0, 20))
    def test_bounds_on_cells_give_a_mapping_that_is_no_cheaper(self, left, right, cells, total):
        best = map_trees(left, right)
        for mapping in (best, map_trees(left, right, cells, total)):
            assert_mapping(mapping, left, right)
            assert mapping.cost == cost_of(mapping, left, right)
            assert mapping.cost >= best.cost

    @pytest.mark.parametrize(
        ("left", "right", "cost"),
        [
            ("r", "r(a(b c) d)", 4),  # the border rows count the child itself
            ("r(a(b c) d)", "r", 4),
            ("r(a b)", "r(x y)", 2),  # line 30 keeps M[i-1, j-1]
            ("r(a(b c))", "r(x(b d e))", 1 + 2 + 3),  # descendants of both are paid for
            ("r(a)", "r(x(b))", 2),
            ("r(a(b))", "r(x)", 2),
            ("r(p(x y z))", "r(p(u))", 3),  # equal labels alone are no match for free
            ("r(p(x) q)", "r(p(y) q)", 1),
            ("", "r(a)", 2),
            ("r(a)", "", 2),
            (f"{'a(' * 2039}x{')' * 2039}", f"{'a(' * 2039}y{')' * 2039}", 1),
            (long_list(200, "p(a{})", "u(l) p(e)"), long_list(230, "p(b{})", "u(m) p(f)"), 262),
            (long_list(800, "tr(td(a{}))"), long_list(790, "tr(td(b{}))"), 790 + 10 * 3),
        ],
    )
    def test_the_definitions_hold_where_the_printed_algorithm_errs(self, left, right, cost):
        assert map_trees(tree(left), tree(right)).cost == cost

    def test_the_first_of_several_cheapest_mappings_is_taken(self):
        mapping = map_trees(tree("r(a a)"), tree("r(a(b) a(b) a(b))"))
        assert mapping.left.tolist() == [0, 1, -1, 2, -1, -1, -1]
        assert mapping.right.tolist() == [0, 1, 2, 3, 4, 5, 6]

    def test_nested_tables_are_mapped_within_the_bound_on_cells(self):
        def nested(letter):
            cell, number = letter, 0
            for _ in range(4):
                cell = " ".join(f"x({cell} {letter}{number + copy})" for copy in range(9))
                number += 9
            return tree(f"r({cell})")

        left, right = nested("a"), nested("b")
        mapping = map_trees(left, right, cells_max=10_000)
        assert_mapping(mapping, left, right)
        assert mapping.cost >= abs(left.label.size - right.label.size)
