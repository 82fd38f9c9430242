import pytest
from hypothesis import given
from hypothesis import strategies as st

from templ_core.site_level.trees.tree_mapping import Costs, MappingBounds, map_trees
from tests.templ_core.site_level.trees.build_trees import (
    columns,
    least_cost,
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
    """Return the cost (Definition 2) of the mapping that was written down."""
    paired = (mapping.left >= 0) & (mapping.right >= 0)
    replaced = left.label[mapping.left[paired]] != right.label[mapping.right[paired]]
    return (
        replaced.sum() * costs.replace
        + (mapping.left < 0).sum() * costs.insert
        + (mapping.right < 0).sum() * costs.delete
    )


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


class TestMapTrees:
    @given(trees(), trees())
    def test_costs_what_the_cheapest_mapping_costs(self, left, right):
        assert map_trees(left, right).cost == least_cost(left, right)

    @given(trees(nodes_max=5), trees(nodes_max=5), some_costs)
    def test_any_costs_are_minimised(self, left, right, costs):
        assert map_trees(left, right, costs=costs).cost == least_cost(left, right, costs)

    @given(st.one_of(variants(), st.tuples(trees(nodes_max=15), trees(nodes_max=15))), some_costs)
    def test_of_the_cheapest_mappings_the_one_with_most_common_nodes_is_taken(self, pair, costs):
        left, right = pair
        mapping = map_trees(left, right, costs=costs)
        paired = (mapping.left >= 0) & (mapping.right >= 0)
        common = int((left.label[mapping.left[paired]] == right.label[mapping.right[paired]]).sum())
        assert (mapping.cost, common) == slow_cost(left, right, costs)

    @given(trees(nodes_max=30), trees(nodes_max=30), some_costs)
    def test_the_mapping_written_down_has_the_cost_reported(self, left, right, costs):
        mapping = map_trees(left, right, costs=costs)
        assert_mapping(mapping, left, right)
        assert mapping.cost == cost_of(mapping, left, right, costs)

    @given(trees(nodes_max=30), trees(nodes_max=30), st.integers(0, 6), st.integers(0, 20))
    def test_bounds_on_cells_give_a_mapping_that_is_no_cheaper(self, left, right, cells, total):
        mapping = map_trees(left, right, bounds=MappingBounds(run_cells_max=cells, cells_max=total))
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
    def test_the_definitions_hold_where_the_printed_algorithm_errs(self, left, right, cost):
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

    def test_long_lists_are_paired_by_label_and_what_one_has_more_of_is_left_over(self):
        left = tree(f"r({' '.join(f'p(a{row})' for row in range(200))} ul(l) p(end))")
        right = tree(f"r({' '.join(f'p(b{row})' for row in range(230))} ul(m) p(End))")
        assert map_trees(left, right).cost == 200 + 30 * 2 + 2

    def test_nested_tables_are_mapped_within_the_bound_on_cells(self):
        def nested(letter):
            cell, number = letter, 0
            for _ in range(4):
                cell = " ".join(f"x({cell} {letter}{number + copy})" for copy in range(9))
                number += 9
            return tree(f"r({cell})")

        left, right = nested("a"), nested("b")
        mapping = map_trees(left, right, bounds=MappingBounds(cells_max=10_000))
        assert_mapping(mapping, left, right)
        assert mapping.cost >= least_for_leaves(left, right)

    def test_deep_trees_are_mapped(self):
        depth = 2040
        left = columns(list(range(depth)), ["a"] * (depth - 1) + ["x"])
        right = columns(list(range(depth)), ["a"] * (depth - 1) + ["y"])
        assert map_trees(left, right).cost == 1


def least_for_leaves(left, right):
    return abs(left.label.size - right.label.size)
