"""The elements that hold a page's content: on the page itself, and usually on its site.

A container is an element that holds text; of elements that hold the same segments, the deepest one.
"""

import msgspec

from templ_core.array_types import Floats, Int32s, Int64s, UInt64s
from templ_core.page_level.page_tree import PageTree
from templ_core.site_level.config import CONTAINERS_CONFIG, ContainersConfig
from templ_core.site_level.containers import _containers
from templ_core.site_level.places.keyed_sums import KeyedSums


class ContentContainers(msgspec.Struct, frozen=True, kw_only=True):
    """The two containers of a page that hold its content, as indexes of its containers."""

    content: int
    """The smallest container with most of the content mass."""
    best: int
    """The container most worth keeping: with the largest sum of (probability - 1/2) * words."""


def container_nodes(tree: PageTree) -> Int64s:
    """Return the node of each container of a page in document order; length n_containers."""
    return _containers.container_nodes(tree.first, tree.last)


def find_containers(
    first: Int32s,
    last: Int32s,
    content: Floats,
    words: Floats,
    config: ContainersConfig = CONTAINERS_CONFIG,
) -> ContentContainers:
    """Return the containers of the content of a page with at least one container.

    A menu of two segments stands beside an article of two; the second container holds the article:

    >>> import numpy as np
    >>> first, last = np.array([[0, 2, 0], [2, 4, 4]], np.int32)
    >>> find_containers(
    ...     first, last, np.array([0.1, 0.1, 0.9, 0.9]), np.array([2.0, 2.0, 30.0, 9.0])
    ... )
    ContentContainers(content=1, best=1)

    Args:
        first: First segment of each container.
        last: Segment after the last one of each container.
        content: Pooled probability of content of each segment, 0 to 1.
        words: Words of each segment.
        config: The tunable numbers.
    """
    smallest, best = _containers.find_containers(first, last, content, words, config.content_share)
    return ContentContainers(content=smallest, best=best)


def steps_from(
    tree: PageTree, parent: Int32s, node: int, config: ContainersConfig = CONTAINERS_CONFIG
) -> Floats:
    """Return the steps from `node` up to the first element that also holds each segment.

    Args:
        tree: The tree of the page.
        parent: Parent of each node; negative for the root.
        node: The node from which the steps are counted.
        config: The tunable numbers.

    Returns:
        A column of length n_segments, 0 inside `node` and at most `config.steps_max`.
    """
    return _containers.steps_from(
        tree.first, tree.last, parent, node, len(tree.owner), config.steps_max
    )


def mean_around(
    content: Floats, tree: PageTree, parent: Int32s, config: ContainersConfig = CONTAINERS_CONFIG
) -> Floats:
    """Return the mean content of the words around each segment, 0 to 1; length n_segments.

    Around a segment is what the element `config.surrounding_levels` above its owner holds.
    """
    return _containers.mean_around(
        content,
        tree.words,
        tree.first,
        tree.last,
        parent,
        tree.owner,
        config.surrounding_levels,
    )


def usual_share(
    votes: KeyedSums,
    cells: UInt64s,
    tree: PageTree,
    pages: int = 0,
    config: ContainersConfig = CONTAINERS_CONFIG,
) -> Floats:
    """Return how usual the most usual container around each segment is on its site.

    Args:
        votes: Of each cell: pages whose container stands there, and, if `pages` is 0, pages that have
            a container there.
        cells: Cell of each element of the page.
        tree: The tree of the page.
        pages: Pages that could have voted for any cell, or 0 if that differs between cells.
        config: The tunable numbers.

    Returns:
        Votes over pages, 0 to 1, which count `config.doubt_pages` more; length n_segments.
    """
    return _containers.usual_share(
        votes.keys,
        votes.sums,
        pages,
        config.doubt_pages,
        cells,
        tree.first,
        tree.last,
        len(tree.owner),
    )
