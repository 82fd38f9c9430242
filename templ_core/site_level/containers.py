"""The elements that hold a page's content: on the page itself, and usually on its site."""

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.page_level.page_tree import PageTree

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Int32s = npt.NDArray[np.int32]

CONTENT_SHARE = 0.85
"""Share of the page's content mass that its content box holds."""
STEPS_MAX = 6
_PAGES_OF_DOUBT = 3
"""Half of the weight of a usual container is reached after so many pages."""
_EVEN = 1e-9


class Containers(msgspec.Struct, frozen=True, kw_only=True):
    """Numbers of the boxes of a page that hold its content."""

    content: int
    """The smallest box with most of the content mass."""
    best: int
    """The box most worth keeping: the largest sum of (probability - 1/2) * words."""


def find_containers(first: Int32s, last: Int32s, content: Floats, words: Floats) -> Containers:
    """The containers of a page with at least one box.

    Args:
        first: First segment of each box.
        last: Segment after each box's last.
        content: Pooled content probability of each segment.
        words: Words of each segment.
    """
    mass = np.concatenate([[0.0], np.cumsum(content * words)])
    inside = mass[last] - mass[first]
    gain = np.concatenate([[0.0], np.cumsum((content - 0.5) * words)])
    gains = gain[last] - gain[first]
    return Containers(
        content=_smallest(first, last, inside >= CONTENT_SHARE * mass[-1] - _EVEN),
        best=_smallest(first, last, gains >= gains.max() - _EVEN),
    )


def steps_from(tree: PageTree, parent: Int32s, node: int) -> Floats:
    """Steps from `node` up to the first element that also holds each segment; length n_segments.

    At most STEPS_MAX; 0 inside.
    """
    steps = np.full(len(tree.owner), float(STEPS_MAX))
    low = high = int(tree.first[node])
    for step in range(STEPS_MAX):
        steps[tree.first[node] : low] = step
        steps[high : tree.last[node]] = step
        low, high = int(tree.first[node]), int(tree.last[node])
        if parent[node] < 0:
            break
        node = int(parent[node])
    return steps


def usual(votes: Ints, pages: Ints | int, tree: PageTree) -> Floats:
    """How usual the most usual container around each segment is, 0 to 1; length n_segments.

    Args:
        votes: Pages whose container stands where each element of the page does.
        pages: Pages that could have voted.
        tree: The page's tree.
    """
    share = np.zeros(len(tree.owner))
    known = votes / (pages + _PAGES_OF_DOUBT)
    for node in np.flatnonzero(known):
        inside = slice(tree.first[node], tree.last[node])
        share[inside] = np.maximum(share[inside], known[node])
    return share


def _smallest(first: Int32s, last: Int32s, among: npt.NDArray[np.bool_]) -> int:
    boxes = np.flatnonzero(among)
    return int(boxes[np.argmin((last - first)[boxes])])
