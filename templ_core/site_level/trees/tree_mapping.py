"""RTDM-TD: the restricted top-down mapping of two pages, and the template that pages share.

Vieira, da Silva, Pinto, de Moura, Cavalcanti, Freire, *A Fast and Robust Method for Web Page Template
Detection and Removal*, CIKM 2006. The costs are those of Definition 2 over the mappings of Definition 4;
where the printed pseudo-code of figures 3 and 4 departs from them, the definitions are followed:

* deleting and inserting cost the whole subtree, the child itself and the border rows included;
* replacing an inner node pays for the descendants of both sides (figure 3, lines 30 to 35);
* children with equal labels and other subtrees are mapped, never matched for free (line 22);
* a deletion moves on in the first tree, an insertion in the second (figure 4, lines 8 to 11), and every
  choice has a branch of its own: matches first, then deletions, then insertions.
"""

from collections.abc import Iterable

import msgspec
import numpy as np

from templ_core.array_types import Bools, Int32s
from templ_core.site_level.trees._inclusion import place_nodes
from templ_core.site_level.trees._mapping import map_nodes
from templ_core.site_level.trees.labelled_tree import LabelledTree, build_tree

CELLS_MAX = 1024
"""Longer runs of siblings are mapped through anchors and by label, in linear time."""
CELLS_TOTAL_MAX = 1 << 22
"""Cells of all alignments of two trees; after them every run is mapped in linear time."""


class Costs(msgspec.Struct, frozen=True, kw_only=True):
    """Cost of each operation (Definition 2); not negative."""

    replace: int = 1
    insert: int = 1
    delete: int = 1


class Mapping(msgspec.Struct, frozen=True, kw_only=True):
    """A restricted top-down mapping; the nodes of both trees in document order, pairs once."""

    cost: int
    left: Int32s
    """Node of the first tree; -1 = inserted."""
    right: Int32s
    """Node of the second tree; -1 = deleted."""


def map_trees(
    left: LabelledTree,
    right: LabelledTree,
    *,
    costs: Costs = Costs(),  # noqa: B008 - frozen
    cells_max: int = CELLS_MAX,
    cells_total_max: int = CELLS_TOTAL_MAX,
) -> Mapping:
    """The mapping of least cost whose roots are a pair; figure 3.

    Args:
        left: The first tree.
        right: The second tree.
        costs: Of the three operations.
        cells_max: Runs of siblings with more pairs are not aligned but anchored at the subtrees
            that stand once on both sides; the mapping is then valid, but perhaps not the cheapest.
        cells_total_max: Bound of the pairs of siblings looked at.
    """
    cost, ones, others = map_nodes(
        left.label,
        left.identity,
        left.end,
        right.label,
        right.identity,
        right.end,
        costs.replace,
        costs.insert,
        costs.delete,
        cells_max,
        cells_total_max,
    )
    return Mapping(cost=cost, left=ones, right=others)


def common_nodes(mapping: Mapping, left: LabelledTree, right: LabelledTree) -> Bools:
    """Nodes of the first tree that no operation touched; `retrieveTemplate`, figure 4.

    The parent of such a node is one too: together they are a tree.
    """
    paired = (mapping.left >= 0) & (mapping.right >= 0)
    ones, others = mapping.left[paired], mapping.right[paired]
    common = np.zeros(left.label.size, np.bool_)
    common[ones] = left.label[ones] == right.label[others]
    return common


def extract_subtree(left: LabelledTree, right: LabelledTree) -> LabelledTree:
    """The part of the first tree that both share, root included; figure 6."""
    return tree_part(left, common_nodes(map_trees(left, right), left, right))


def tree_part(tree: LabelledTree, kept: Bools) -> LabelledTree:
    """The tree of the nodes kept; with a node its parent must be kept."""
    return build_tree(label=tree.label[kept], depth=tree.depth[kept], segment=tree.segment[kept])


def place_template(template: LabelledTree, page: LabelledTree) -> Int32s | None:
    """Node of the page for each node of the template; None when the page does not hold it all.

    `Match` of figure 5, in time linear in the page.
    """
    return place_nodes(
        template.label, template.identity, template.end, page.label, page.identity, page.end
    )


def find_template(pages: Iterable[LabelledTree]) -> LabelledTree | None:
    """The tree that all pages share; figure 5. None without pages.

    Equal pages count once, and pages are taken in order of their identities, so that the result
    depends on the set of pages alone.
    """
    distinct = {page_identity(page): page for page in pages}
    template: LabelledTree | None = None
    for identity in sorted(distinct):
        if template is None:
            template = distinct[identity]
        elif place_template(template, distinct[identity]) is None:
            template = extract_subtree(template, distinct[identity])
    return template


def page_identity(page: LabelledTree) -> int:
    """A number that equal pages share."""
    return int(page.identity[0]) if page.identity.size else 0


def template_part(template: LabelledTree, page: LabelledTree) -> Bools:
    """Nodes of the page that belong to the template: what is removed from it.

    In linear time where the page holds the whole template; else what the mapping of both shares.
    """
    found = np.zeros(page.label.size, np.bool_)
    places = place_template(template, page)
    if places is None:
        return common_nodes(map_trees(page, template), page, template)
    found[places] = True
    return found
