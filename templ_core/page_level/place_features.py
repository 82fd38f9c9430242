"""Features of where a segment stands: among its like, around the main text, under which tags."""

import numpy as np
import numpy.typing as npt

from templ_core.dom.document import Document
from templ_core.page_level.characters import UInt64s
from templ_core.page_level.own_features import Columns
from templ_core.page_level.page_tree import PageTree

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

SEMANTIC_TAGS = (
    "nav", "aside", "header", "footer", "main", "article", "section", "form", "table", "ul", "ol",
    "li", "dl", "blockquote", "pre", "figure", "button", "select", "details", "td", "p", "noscript",
)  # fmt: skip
FARTHEST, NO_SUCH_TAG = 12, 14
MAIN_SHARES = (0.4, 0.6, 0.8)
_PATH_FACTOR = np.uint64(0x100000001B3)


def nearest_tags(document: Document) -> tuple[Columns, UInt64s]:
    """Distances to the nearest semantic tags, and the hashes of tag paths.

    Returns:
        Columns of length n_segments: levels up to the nearest element of each tag, at most
        FARTHEST, NO_SUCH_TAG without one; whether in main and in article, -1 when the page has
        none. Then the hash of each node's path of tags, length n_nodes.
    """
    nodes, owner = document.nodes, document.segments.owner
    number = {tag: place for place, tag in enumerate(SEMANTIC_TAGS)}
    kinds = {tag: place for place, tag in enumerate(dict.fromkeys(nodes.tags))}
    nearest = np.full((len(nodes.tags), len(number)), -1000, np.int32)
    for node, tag in enumerate(nodes.tags):
        if tag in number:
            nearest[node, number[tag]] = nodes.depth[node]
    path = np.array([kinds[tag] + 1 for tag in nodes.tags], np.uint64)
    for level in tree_levels(document):
        parent = nodes.parent[level]
        nearest[level] = np.maximum(nearest[level], nearest[parent])
        path[level] += path[parent] * _PATH_FACTOR
    distance = nodes.depth[owner][:, None] - nearest[owner]
    distance = np.where(distance > 900, NO_SUCH_TAG, np.minimum(distance, FARTHEST))
    columns: Columns = {f"up to {tag}": distance[:, place] for tag, place in number.items()}
    for tag in ("main", "article"):
        inside = distance[:, number[tag]] < NO_SUCH_TAG
        columns[f"inside {tag}"] = np.where(tag in kinds, inside, -1)
    return columns, path


def tree_levels(document: Document) -> list[Ints]:
    """Nodes by depth, without the root."""
    depth = document.nodes.depth
    order = np.argsort(depth, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(depth[order])) + 1)[1:]


def styled_paths(document: Document) -> UInt64s:
    """Hash of each node's path of tags with attributes; length n_nodes."""
    nodes = document.nodes
    pairs = list(zip(nodes.tags, nodes.attributes, strict=True))
    kinds = {pair: number for number, pair in enumerate(dict.fromkeys(pairs))}
    path = np.array([kinds[pair] + 1 for pair in pairs], np.uint64)
    for level in tree_levels(document):
        path[level] += path[nodes.parent[level]] * _PATH_FACTOR
    return path


def path_groups(paths: UInt64s, owner: npt.NDArray[np.int32]) -> Ints:
    """Number of each segment's group of equal owner paths; length n_segments."""
    groups: Ints = np.unique(paths[owner], return_inverse=True)[1]
    return groups


def group_columns(group: Ints, words: Floats, links: Floats, ends: Floats, name: str) -> Columns:
    """Sums over path groups, for each segment its group's; columns of length n_segments.

    Args:
        group: Group of each segment.
        words: Words of each segment, at least 1.
        links: Link density of each segment.
        ends: Sentence ends of each segment.
        name: What the groups are called.
    """
    size = np.bincount(group)
    total = np.bincount(group, words)
    squares = np.bincount(group, words * words)
    mean = total / size
    deviation = np.sqrt(np.maximum(squares / size - mean * mean, 0))
    columns = {
        "number": np.log1p(size),
        "share": total / words.sum(),
        "link density": np.bincount(group, links * words) / total,
        "log mean words": np.log1p(mean),
        "sentence ends": np.bincount(group, ends) / total,
        "log deviation": np.log1p(deviation),
    }
    return {f"{name}: {key}": column[group] for key, column in columns.items()}


def copy_columns(text: UInt64s) -> Columns:
    """How often each text stands on the page, and whether it stood before; by text hash."""
    _, first, group, count = np.unique(
        text, return_index=True, return_inverse=True, return_counts=True
    )
    return {
        "copies": np.minimum(count[group], 10),
        "later copy": np.arange(len(text)) != first[group],
    }


def main_columns(tree: PageTree, good: Bools, long: Bools) -> Columns:
    """Position relative to the nodes that hold most of the good text; columns of n_segments.

    Args:
        tree: The page's tree.
        good: Segments that read like sentences.
        long: Segments of many words, few of them links.
    """
    columns: Columns = {}
    number = np.arange(len(good))
    mass = np.where(good, tree.words, 0.0)
    nodes = np.arange(len(tree.up))
    inside = tree.sums(mass, nodes)
    for share in MAIN_SHARES:
        enough = np.flatnonzero(inside >= share * mass.sum())
        main = int(enough[np.argmax(tree.compressed_depth[enough])])
        columns.update(position_columns(tree, main, f"main {share}"))
        part = tree.sums(tree.words, np.array([main]))[0] / tree.words.sum()
        columns[f"main {share}: share"] = np.full(len(number), part)
    first, last = np.flatnonzero(long)[[0, -1]] if long.any() else (0, len(long))
    columns["among long"] = (number >= first) * 1 + (number > last)
    return columns


def position_columns(tree: PageTree, node: int, name: str) -> Columns:
    """Position of each segment relative to `node`.

    Inside it or not, compressed levels from it up to the common ancestor, and before (-1), inside
    (0) or after it (1).
    """
    number = np.arange(len(tree.owner))
    before, after = number < tree.first[node], number >= tree.last[node]
    levels = np.zeros(len(number))
    at = node
    while tree.last[at] - tree.first[at] < len(number):
        levels += (number < tree.first[at]) | (number >= tree.last[at])
        if tree.up[at] == at:
            break
        at = int(tree.up[at])
    return {
        f"{name}: inside": ~(before | after),
        f"{name}: levels": levels,
        f"{name}: side": after * 1 - before * 1,
    }
