"""The elements that hold a page's content: on the page itself, and usually on its site."""

import msgspec

from templ_core.array_types import Floats, Int32s, Int64s, UInt64s
from templ_core.page_level.features.page_tree import PageTree
from templ_core.site_level.containers import _containers
from templ_core.site_level.places.counts import (
    Counts,
)

CONTENT_SHARE = 0.85
"""Share of the page's content mass that its content box holds."""
STEPS_MAX = 6
_NEAR = 2
_PAGES_OF_DOUBT = 3
"""Half of the weight of a usual container is reached after so many pages."""
_EVEN = 1e-9


class Containers(msgspec.Struct, frozen=True, kw_only=True):
    """Numbers of the boxes of a page that hold its content."""

    content: int
    """The smallest box with most of the content mass."""
    best: int
    """The box most worth keeping: the largest sum of (probability - 1/2) * words."""


def box_nodes(tree: PageTree) -> Int64s:
    """The deepest element of each range of segments, in document order; length n_boxes."""
    return _containers.box_nodes(tree.first, tree.last)


def find_containers(first: Int32s, last: Int32s, content: Floats, words: Floats) -> Containers:
    """The containers of a page with at least one box.

    Args:
        first: First segment of each box.
        last: Segment after each box's last.
        content: Pooled content probability of each segment.
        words: Words of each segment.
    """
    smallest, best = _containers.find_containers(first, last, content, words, CONTENT_SHARE, _EVEN)
    return Containers(content=smallest, best=best)


def steps_from(tree: PageTree, parent: Int32s, node: int) -> Floats:
    """Steps from `node` up to the first element that also holds each segment; length n_segments.

    At most STEPS_MAX; 0 inside.
    """
    return _containers.steps_from(tree.first, tree.last, parent, node, len(tree.owner), STEPS_MAX)


def mean_around(content: Floats, tree: PageTree, parent: Int32s) -> Floats:
    """Mean content of the words in the element that is _NEAR levels above each segment's owner."""
    return _containers.mean_around(
        content, tree.words, tree.first, tree.last, parent, tree.owner, _NEAR
    )


def usual(votes: Counts, cells: UInt64s, tree: PageTree, pages: int = 0) -> Floats:
    """How usual the most usual container around each segment is, 0 to 1; length n_segments.

    Args:
        votes: Pages whose container stands at each cell; then, without `pages`, those that have a
            box there.
        cells: Cell of each element of the page.
        tree: The page's tree.
        pages: Pages that could have voted for any cell.
    """
    return _containers.usual_share(
        votes.keys,
        votes.sums,
        pages,
        _PAGES_OF_DOUBT,
        cells,
        tree.first,
        tree.last,
        len(tree.owner),
    )
