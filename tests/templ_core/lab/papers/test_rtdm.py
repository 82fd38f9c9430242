import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templ_core.dom.document import parse_document
from templ_core.lab.papers import rtdm
from templ_core.site_level.trees.tree_mapping import map_trees
from tests.templ_core.site_level.build_trees import columns, names, parents, tree, trees


class TestExtractSubtree:
    @pytest.mark.parametrize(
        ("left", "right", "common"),
        [
            ("r(a b c)", "r(a c)", "r(a c)"),  # a deletion moves on in the first tree
            ("r(a c)", "r(a b c)", "r(a c)"),  # an insertion moves on in the second
            ("r(a b c d e)", "r(e)", "r(e)"),  # ... and neither leaves the matrix
            ("r(e)", "r(a b c d e)", "r(e)"),
            ("r(x)", "r(y)", "r"),  # an update whose cost changed ends the walk
            ("r(p(a b) q(x))", "r(p(a c) q(y))", "r(p(a) q)"),
            ("r(a)", "s(a)", ""),
        ],
    )
    def test_what_both_share(self, left, right, common):
        assert names(rtdm.extract_subtree(tree(left), tree(right))) == names(tree(common))

    @given(trees(nodes_max=30), trees(nodes_max=30))
    def test_the_parent_of_a_common_node_is_common(self, left, right):
        kept = rtdm.common_nodes(map_trees(left, right), left, right)
        ups = parents(left)
        assert all(kept[ups[node]] for node in np.flatnonzero(kept) if node)

    @given(trees(nodes_max=30), trees(nodes_max=30))
    def test_it_is_part_of_both(self, left, right):
        common = rtdm.extract_subtree(left, right)
        assert rtdm.place_template(common, left) is not None
        assert rtdm.place_template(common, right) is not None


def is_part(template, page, node=0, other=0):
    """Whether a subtree holds a template root on root, by trying every choice."""
    if template.label[node] != page.label[other]:
        return False
    ups, other_ups = parents(template), parents(page)
    ones = [child for child in range(template.label.size) if ups[child] == node]
    others = [child for child in range(page.label.size) if other_ups[child] == other]

    def place(ones, others):
        if not ones:
            return True
        return any(
            is_part(template, page, ones[0], child) and place(ones[1:], others[number + 1 :])
            for number, child in enumerate(others)
        )

    return place(ones, others)


class TestPlaceTemplate:
    @given(trees(nodes_max=5), trees(nodes_max=8))
    def test_finds_the_template_exactly_where_some_choice_does(self, template, page):
        places = rtdm.place_template(template, page)
        assert (places is not None) == is_part(template, page)
        if places is not None:
            assert (template.label == page.label[places]).all()
            ups, other_ups = parents(template), parents(page)
            assert all(
                other_ups[places[node]] == places[ups[node]] for node in range(1, places.size)
            )
            assert (np.diff(places) > 0).all()

    def test_deep_trees_are_placed(self):
        deep = columns(list(range(2040)), ["a"] * 2039 + ["x"])
        other = columns(list(range(2041)), ["a"] * 2039 + ["x", "y"])
        assert rtdm.place_template(deep, other).tolist() == list(range(2040))


class TestFindTemplate:
    PAGES = ("r(nav(a b) p(x) foot)", "r(nav(a b) p(y) p(z) foot)", "r(nav(a b) foot ad)")

    def test_what_all_pages_share(self):
        assert names(rtdm.find_template(map(tree, self.PAGES))) == ["r", "nav", "a", "b", "foot"]

    @given(st.lists(trees(nodes_max=12, labels="abc"), min_size=1, max_size=6), st.randoms())
    def test_order_and_copies_do_not_matter(self, pages, random):
        shuffled = pages + pages[:2]
        random.shuffle(shuffled)
        assert names(rtdm.find_template(pages)) == names(rtdm.find_template(shuffled))

    @given(st.lists(trees(nodes_max=12), min_size=1, max_size=6))
    def test_it_is_part_of_every_page(self, pages):
        template = rtdm.find_template(pages)
        assert all(rtdm.place_template(template, page) is not None for page in pages)

    def test_without_pages_there_is_none(self):
        assert rtdm.find_template([]) is None

    def test_its_part_of_a_page_is_what_is_removed(self):
        template = rtdm.find_template(map(tree, self.PAGES))
        held, other = tree("r(nav(a b) h(n) foot)"), tree("r(nav(a) h(n))")
        assert names(held, ~rtdm.template_part(template, held)) == ["h", "n"]
        assert names(other, ~rtdm.template_part(template, other)) == ["h", "n"]


CLASSES = ["pets", "pets", "stars", "stars"] * 3
TEXTS = [
    f"{subject} {subject} {number}"
    for number, subject in enumerate(["cat dog", "dog cow", "moon sun", "sun mars"] * 3)
]
SITES = [f"site{number // 4}" for number in range(12)]
MENUS = ["home shop cart help " * 20, "news mail about login " * 20, "index next prior top " * 20]


def with_menus():
    return [f"{text} {MENUS[number // 4]}" for number, text in enumerate(TEXTS)]


def test_clustering_finds_classes_with_different_words():
    fs = rtdm.cluster_f(TEXTS, CLASSES, range(20))
    assert fs.max() == 1.0
    assert ((fs > 0.4) & (fs <= 1.0)).all()
    np.testing.assert_array_equal(fs, rtdm.cluster_f(TEXTS, CLASSES, range(20)))


def test_menus_harm_clustering():
    assert (
        rtdm.cluster_f(with_menus(), CLASSES, range(20)).mean()
        < rtdm.cluster_f(TEXTS, CLASSES, range(20)).mean()
    )


def test_classification_without_templates_is_perfect():
    scores = rtdm.classify(TEXTS, CLASSES, SITES)
    assert set(scores) == {(number, "pets", "stars") for number in (1, 2, 3)}
    assert all(one.f == one.accuracy == 1.0 for one in scores.values())


def test_the_classifier_learns_menus_if_each_class_is_from_another_site():
    scores = rtdm.classify(with_menus(), CLASSES, SITES)
    assert scores[1, "pets", "stars"].f == 1.0
    assert scores[3, "pets", "stars"].accuracy < 0.7


def test_configurations_without_test_pages_of_both_classes_are_left_out():
    scores = rtdm.classify(TEXTS[:6], CLASSES[:6], SITES[:6])
    assert (1, "pets", "stars") not in scores


def page(story, menu="<li>Home<li>About us", notice="Mind the gap"):
    return parse_document(f"<ul>{menu}</ul><p>{story}</p><p>{notice}", "http://a.example/")


STORIES = ["Otters swim", "Owls sleep", "Bees dance", "Ants march"]
TREE = rtdm.learn_style_tree([page(story) for story in STORIES])


def test_what_all_pages_have_at_a_place_is_noise():
    assert rtdm.is_style_noise(page("Foxes run"), TREE).tolist() == [True, True, False, True]


def test_places_that_no_page_had_are_kept():
    other = page("Foxes run", menu="<li>Home<li>About us<li>Shop")
    assert rtdm.is_style_noise(other, TREE).tolist() == [False, False, False, False, True]


def test_a_place_of_one_page_alone_is_kept():
    tree = rtdm.learn_style_tree([page("Otters swim")])
    assert not rtdm.is_style_noise(page("Otters swim"), tree).any()


def test_the_bound_decides_about_places_that_differ_on_some_pages():
    tree = rtdm.learn_style_tree(
        [
            page(story, notice="Mind the" + " gap" * (place > 0))
            for place, story in enumerate(STORIES)
        ]
    )
    document = page("Foxes run")
    assert rtdm.is_style_noise(document, tree).tolist()[-1]
    assert not rtdm.is_style_noise(document, tree, 0.05).tolist()[-1]
