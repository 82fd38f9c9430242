import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templ_core.site_level.trees.tree_mapping import (
    Costs,
    common_nodes,
    extract_subtree,
    find_template,
    map_trees,
    place_template,
    template_part,
)
from tests.templ_core.site_level.trees.build_trees import (
    columns,
    least_cost,
    names,
    parents,
    slow_cost,
    tree,
    trees,
    variants,
)

some_costs = st.builds(
    Costs, replace=st.integers(0, 3), insert=st.integers(0, 3), delete=st.integers(0, 3)
)


def cost_of(mapping, left, right, costs):
    """Definition 2's cost of the mapping that was written down."""
    paired = (mapping.left >= 0) & (mapping.right >= 0)
    replaced = left.label[mapping.left[paired]] != right.label[mapping.right[paired]]
    return (
        replaced.sum() * costs.replace
        + (mapping.left < 0).sum() * costs.insert
        + (mapping.right < 0).sum() * costs.delete
    )


def assert_mapping(mapping, left, right):
    """Definition 4: every node once and in order, parents paired, replaced nodes without pairs below."""
    assert mapping.left[mapping.left >= 0].tolist() == list(range(left.label.size))
    assert mapping.right[mapping.right >= 0].tolist() == list(range(right.label.size))
    ups, other_ups = parents(left), parents(right)
    pairs = {a: b for a, b in zip(mapping.left, mapping.right, strict=True) if a >= 0 and b >= 0}
    for one, other in pairs.items():
        if one:
            assert pairs[ups[one]] == other_ups[other]
            assert left.label[ups[one]] == right.label[other_ups[other]]


class TestMapTrees:
    @given(trees(), trees())
    def test_costs_what_the_cheapest_mapping_costs(self, left, right):
        assert map_trees(left, right).cost == least_cost(left, right)

    @given(trees(nodes_max=5), trees(nodes_max=5), some_costs)
    def test_costs_may_be_any(self, left, right, costs):
        assert map_trees(left, right, costs=costs).cost == least_cost(left, right, costs)

    @given(st.one_of(variants(), st.tuples(trees(nodes_max=15), trees(nodes_max=15))), some_costs)
    def test_of_the_cheapest_mappings_that_with_most_common_nodes_is_taken(self, pair, costs):
        left, right = pair
        mapping = map_trees(left, right, costs=costs)
        common = int(common_nodes(mapping, left, right).sum())
        assert (mapping.cost, common) == slow_cost(left, right, costs)

    @given(trees(nodes_max=30), trees(nodes_max=30), some_costs)
    def test_the_mapping_written_down_has_the_cost_reported(self, left, right, costs):
        mapping = map_trees(left, right, costs=costs)
        assert_mapping(mapping, left, right)
        assert mapping.cost == cost_of(mapping, left, right, costs)

    @given(trees(nodes_max=30), trees(nodes_max=30), st.integers(0, 6), st.integers(0, 20))
    def test_bounds_on_cells_give_a_mapping_that_is_no_cheaper(self, left, right, cells, total):
        mapping = map_trees(left, right, cells_max=cells, cells_total_max=total)
        assert_mapping(mapping, left, right)
        assert mapping.cost == cost_of(mapping, left, right, Costs())
        assert mapping.cost >= map_trees(left, right).cost

    @given(trees(nodes_max=30))
    def test_equal_trees_cost_nothing(self, one):
        mapping = map_trees(one, one)
        assert mapping.cost == 0
        assert (mapping.left == mapping.right).all()

    def test_an_empty_tree_is_inserted_or_deleted_whole(self):
        assert map_trees(columns([], []), tree("r(a)")).cost == 2
        assert map_trees(tree("r(a)"), columns([], []), costs=Costs(delete=5)).cost == 10

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
        ],
    )
    def test_where_the_printed_costs_err(self, left, right, cost):
        assert least_cost(tree(left), tree(right)) == cost
        assert map_trees(tree(left), tree(right)).cost == cost

    def test_the_first_of_several_cheapest_mappings_is_taken(self):
        mapping = map_trees(tree("r(a a)"), tree("r(a(b) a(b) a(b))"))
        assert mapping.left.tolist() == [0, 1, -1, 2, -1, -1, -1]
        assert mapping.right.tolist() == [0, 1, 2, 3, 4, 5, 6]

    def test_a_table_of_800_rows_is_mapped_row_by_row(self):
        left = tree(f"r({' '.join(f'tr(td(a{row}) td(b{row}))' for row in range(800))})")
        right = tree(f"r({' '.join(f'tr(td(c{row}) td(d{row}))' for row in range(790))})")
        mapping = map_trees(left, right)
        assert_mapping(mapping, left, right)
        assert mapping.cost == 790 * 2 + 10 * 5

    def test_long_lists_are_anchored_at_what_stands_once_in_both(self):
        left = tree(f"r({' '.join(f'li(a{row})' for row in range(200))})")
        right = tree(f"r({' '.join(f'li(a{row})' for row in range(5, 205))})")
        assert map_trees(left, right).cost == 2 * 10

    def test_nested_tables_do_not_multiply(self):
        def nested(letter):
            cell, number = letter, 0
            for _ in range(4):
                cell = " ".join(f"x({cell} {letter}{number + copy})" for copy in range(9))
                number += 9
            return tree(f"r({cell})")

        left, right = nested("a"), nested("b")
        mapping = map_trees(left, right, cells_total_max=10_000)
        assert_mapping(mapping, left, right)
        assert mapping.cost >= least_for_leaves(left, right)

    def test_deep_trees_are_mapped(self):
        depth = 2040
        left = columns(list(range(depth)), ["a"] * (depth - 1) + ["x"])
        right = columns(list(range(depth)), ["a"] * (depth - 1) + ["y"])
        assert map_trees(left, right).cost == 1


def least_for_leaves(left, right):
    return abs(left.label.size - right.label.size)


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
        assert names(extract_subtree(tree(left), tree(right))) == names(tree(common))

    @given(trees(nodes_max=30), trees(nodes_max=30))
    def test_the_parent_of_a_common_node_is_common(self, left, right):
        kept = common_nodes(map_trees(left, right), left, right)
        ups = parents(left)
        assert all(kept[ups[node]] for node in np.flatnonzero(kept) if node)

    @given(trees(nodes_max=30), trees(nodes_max=30))
    def test_it_is_part_of_both(self, left, right):
        common = extract_subtree(left, right)
        assert place_template(common, left) is not None
        assert place_template(common, right) is not None


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
        places = place_template(template, page)
        assert (places is not None) == is_part(template, page)
        if places is not None:
            assert (template.label == page.label[places]).all()
            ups, other_ups = parents(template), parents(page)
            assert all(
                other_ups[places[node]] == places[ups[node]] for node in range(1, places.size)
            )
            assert (np.diff(places) > 0).all()


class TestFindTemplate:
    PAGES = ("r(nav(a b) p(x) foot)", "r(nav(a b) p(y) p(z) foot)", "r(nav(a b) foot ad)")

    def test_what_all_pages_share(self):
        assert names(find_template(map(tree, self.PAGES))) == ["r", "nav", "a", "b", "foot"]

    @given(st.lists(trees(nodes_max=12, labels="abc"), min_size=1, max_size=6), st.randoms())
    def test_order_and_copies_do_not_matter(self, pages, random):
        shuffled = pages + pages[:2]
        random.shuffle(shuffled)
        assert names(find_template(pages)) == names(find_template(shuffled))

    @given(st.lists(trees(nodes_max=12), min_size=1, max_size=6))
    def test_it_is_part_of_every_page(self, pages):
        template = find_template(pages)
        assert all(place_template(template, page) is not None for page in pages)

    def test_without_pages_there_is_none(self):
        assert find_template([]) is None

    def test_its_part_of_a_page_is_what_is_removed(self):
        template = find_template(map(tree, self.PAGES))
        held, other = tree("r(nav(a b) h(n) foot)"), tree("r(nav(a) h(n))")
        assert names(held, ~template_part(template, held)) == ["h", "n"]
        assert names(other, ~template_part(template, other)) == ["h", "n"]
