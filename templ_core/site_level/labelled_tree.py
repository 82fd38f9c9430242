"""A page as a labelled ordered tree: its block elements, with the text segments as leaves.

Inline elements belong to their segment, and elements without text to nothing. The label of an
element is its tag, that of a leaf is its text. Subtrees with equal identities are equal, text included.
"""

import hashlib
import re
from functools import lru_cache

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.distinct import distinct
from templ_core.dom.document import Document
from templ_core.dom.tags import INLINE
from templ_core.dom.tree import Int32s, sums_above, sums_below, tree_of_depths
from templ_core.site_level._mapping import path_hashes, subtree_hashes
from templ_core.site_level.frequency import UInt64s, node_hashes

Bools = npt.NDArray[np.bool_]

_DIGITS = re.compile(r"[\d_-]*\d[\d_-]*")
_LEAF_LABELS = np.uint64(0x9E3779B97F4A7C15)


class LabelledTree(msgspec.Struct, frozen=True, kw_only=True):
    """Columns in document order, all of the same length; the first node is the root."""

    label: UInt64s
    """Equal for nodes that may stand for each other."""
    identity: UInt64s
    """Equal for equal subtrees."""
    depth: Int32s
    end: Int32s
    """The subtree of node i is i .. end[i] - 1."""
    segment: Int32s
    """Number of the leaf's segment; -1 for elements."""

    @property
    def is_text(self) -> Bools:
        """Whether each node is a leaf of text."""
        return self.segment >= 0


class PageTree(msgspec.Struct, frozen=True, kw_only=True):
    """The tree of a page, and what tells its kind."""

    tree: LabelledTree
    paths: UInt64s
    """Distinct paths of elements, by tag and first class, ascending."""


def tree_of(document: Document, texts: UInt64s | None = None) -> PageTree:
    """The tree of a page.

    Args:
        document: The page; decoded from its compact form it gives the same tree.
        texts: `node_hashes` of its segments, where they are known already.
    """
    nodes, segments = document.nodes, document.segments
    if texts is None:
        texts = node_hashes(segments.texts)
    kinds = [_kind(tag, text) for tag, text in nodes.kinds]
    of_kind = np.array(kinds, np.uint64).reshape(-1, 3).T
    is_block = of_kind[2][nodes.kind] > 0
    holds_text = sums_below(nodes.end, np.bincount(segments.owner, minlength=nodes.kind.size)) > 0
    kept = np.flatnonzero(is_block & holds_text)
    kind, depth = nodes.kind[kept], (sums_above(nodes.end, is_block) - 1).astype(np.int32)
    labels, styles = of_kind[0][kind], of_kind[1][kind]
    # A segment comes before the first node opened after it.
    order = np.argsort(
        np.concatenate([2 * kept + 1, 2 * segments.inline_to.astype(np.int64)]), kind="stable"
    )
    parent, _ = tree_of_depths(depth[kept])
    return PageTree(
        tree=build_tree(
            label=np.concatenate([labels, texts ^ _LEAF_LABELS])[order],
            depth=np.concatenate([depth[kept], depth[segments.owner] + 1])[order],
            segment=np.concatenate([np.full(len(kept), -1), np.arange(len(segments.owner))])[order],
        ),
        paths=distinct(path_hashes(styles, parent)),
    )


def build_tree(
    *, label: UInt64s, depth: npt.NDArray[np.integer], segment: npt.NDArray[np.integer]
) -> LabelledTree:
    """The tree of nodes in document order, from what cannot be derived."""
    parent, end = tree_of_depths(depth)
    return LabelledTree(
        label=label,
        identity=subtree_hashes(label, parent),
        depth=depth.astype(np.int32),
        end=end,
        segment=segment.astype(np.int32),
    )


@lru_cache(maxsize=1 << 14)
def _hash(name: str) -> int:
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "little")


@lru_cache(maxsize=1 << 16)
def _kind(tag: str, attributes: str) -> tuple[int, int, int]:
    """Label and style of a kind of element, and whether it is a block."""
    return _hash(tag), _style(tag, attributes), tag not in INLINE


def _style(tag: str, attributes: str) -> int:
    """Hash of a tag and its first class, digits aside."""
    classes = attributes.split("\n")[1].split(None, 1) if attributes and tag != "html" else []
    return _hash(f"{tag}.{_DIGITS.sub('', classes[0])}" if classes else tag)
