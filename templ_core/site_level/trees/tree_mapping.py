"""RTDM-TD: the restricted top-down mapping of the trees of two pages.

Vieira, da Silva, Pinto, de Moura, Cavalcanti, Freire, *A Fast and Robust Method for Web Page Template
Detection and Removal*, CIKM 2006. The costs are those of Definition 2 over the mappings of Definition 4, and each
operation costs 1, as in the paper's experiments; where the printed pseudo-code of figures 3 and 4 departs from them,
the definitions are followed:

* deleting and inserting cost the whole subtree, the child itself and the border rows included;
* replacing an inner node pays for the descendants of both sides (figure 3, lines 30 to 35);
* children with equal labels and other subtrees are mapped, never matched for free (line 22);
* a deletion moves on in the first tree, an insertion in the second (figure 4, lines 8 to 11), and every
  choice has a branch of its own: matches first, then deletions, then insertions.
"""

import msgspec

from templ_core.array_types import Int32s
from templ_core.site_level.trees._mapping import map_nodes
from templ_core.site_level.trees.labelled_tree import LabelledTree

# Bounds on the time of a mapping. On five corpora no text changes by them to four places of word F1.
RUN_CELLS_MAX = 1024
"""Pairs of siblings in a run that is aligned exactly; a longer run is paired by label in linear time."""
CELLS_MAX = 1 << 22
"""Pairs of siblings that are aligned exactly in two trees; after them every run is mapped in linear time, so that no
page takes more than some tenths of a second."""
NODES_MAX = 4000
"""Nodes of a page that are mapped, another bound on time: what stands behind them counts at the root."""


class TreeMapping(msgspec.Struct, frozen=True):
    """A restricted top-down mapping: a row for each pair of nodes, and for each node without one.

    The nodes of both trees are in document order.
    """

    cost: int
    left: Int32s
    """Node of the first tree in each row; -1 = the second tree's node is inserted."""
    right: Int32s
    """Node of the second tree in each row; -1 = the first tree's node is deleted."""


def map_trees(
    left: LabelledTree,
    right: LabelledTree,
    run_cells_max: int = RUN_CELLS_MAX,
    cells_max: int = CELLS_MAX,
) -> TreeMapping:
    """Return the mapping of least cost whose roots are a pair (figure 3).

    Of several it is the one with most common nodes. Runs of siblings beyond the bounds
    are not aligned but paired in order by their labels; the mapping is then valid, but perhaps not the cheapest.

    >>> from templ_core.dom.document import parse_document
    >>> from templ_core.site_level.trees.labelled_tree import label_page
    >>> one, other = (
    ...     label_page(parse_document(markup, "http://a.example/")).tree
    ...     for markup in ("<h1>Shop</h1><p>Tea", "<h1>Shop</h1><hr><p>Milk<p>Sugar")
    ... )
    >>> mapping = map_trees(one, other)
    >>> mapping.cost  # one text replaced, a paragraph and its text inserted
    3
    >>> mapping.left.tolist()
    [0, 1, 2, 3, 4, 5, -1, -1]
    >>> mapping.right.tolist()
    [0, 1, 2, 3, 4, 5, 6, 7]
    """
    return TreeMapping(*map_nodes(left, right, run_cells_max, cells_max))
