"""The tokens of the hashed scores as sparse matrices: one row for each segment of a page."""

import msgspec
import numpy as np
from scipy import sparse

from templ_core.array_types import Float32s, Int32s, Int64s, UInt16s
from templ_core.dom.document import Document
from templ_core.page_level.features.characters import Words
from templ_core.page_level.model.hashed_scores import (
    NODE_ROLES,
    TABLE_SIZE,
    heading_places,
    read_element_types,
    text_places,
)


class SparseRows(msgspec.Struct, frozen=True, kw_only=True):
    """A matrix of n_segments x TABLE_SIZE in compressed sparse rows."""

    place: UInt16s
    """Column of each entry; length n_entries."""
    count: Float32s
    """Value of each entry; length n_entries."""
    row_ends: Int32s
    """Number of the entry after the last one of each row, with a 0 before; length n_segments + 1."""


def attribute_rows(document: Document) -> SparseRows:
    """Return the tokens of tags and attributes of each segment, weighted as in `read_attributes`."""
    element_types = read_element_types(document)
    total = None
    for role, (segment, node, share) in _places_by_role(document).items():
        place, element_type = element_types.places(role)
        tokens = sparse.csr_matrix(
            (np.ones(len(place), np.float32), (element_type, place)),
            (element_types.number, TABLE_SIZE),
        )
        chosen = sparse.csr_matrix(
            (share, (segment, element_types.of_node[node])),
            (len(document.segments.texts), element_types.number),
        )
        part = chosen @ tokens
        total = part if total is None else total + part
    return _rows(total)


_Entries = tuple[Int64s, Int64s, Float32s]


def _places_by_role(document: Document) -> dict[str, _Entries]:
    """Return, for each role, the segments, the nodes that have this role for them, and their shares."""
    parent, segments = document.nodes.parent.tolist(), document.segments
    found: dict[str, list[tuple[int, int, float]]] = {role: [] for role in NODE_ROLES}
    for segment, owner in enumerate(segments.owner.tolist()):
        node, step = owner, 0
        while node >= 0:
            role = ("owner", "above1", "above2", "above3")[step] if step < 4 else "far"
            found[role].append((segment, node, 1.0))
            node, step = parent[node], step + 1
        inline = range(int(segments.inline_from[segment]), int(segments.inline_to[segment]))
        found["inline"].extend((segment, node, 1 / len(inline)) for node in inline)
    return {role: _entries(triples) for role, triples in found.items()}


def _entries(triples: list[tuple[int, int, float]]) -> _Entries:
    segment, node, share = zip(*triples, strict=True) if triples else ((), (), ())
    return np.array(segment, np.int64), np.array(node, np.int64), np.array(share, np.float32)


def text_rows(words: Words, heading: Int64s) -> SparseRows:
    """Return the tokens of the words of each segment, counted as in `text_scores`.

    Args:
        words: The words of the page.
        heading: Number of the last heading before each segment, or -1; length n_segments.
    """
    count = len(words.per_segment)
    own, below = text_places(words), heading_places(words, heading)
    matrices = [
        sparse.csr_matrix(
            (np.ones(len(places.place), np.float32), (places.group, places.place)),
            (count, TABLE_SIZE),
        )
        for places in (own, below)
    ]
    segment = np.flatnonzero(heading >= 0)
    take = sparse.csr_matrix(
        (np.ones(len(segment), np.float32), (segment, heading[segment])), (count, count)
    )
    return _rows(matrices[0] + take @ matrices[1])


def stack(rows: list[SparseRows]) -> sparse.csr_matrix:
    """Return the rows of many pages as one matrix, in the order of the pages."""
    ends = np.concatenate(
        [[0], *(np.diff(some.row_ends) for some in rows)], dtype=np.int64, casting="unsafe"
    ).cumsum()
    place = np.concatenate([some.place for some in rows]).astype(np.int32)
    count = np.concatenate([some.count for some in rows])
    return sparse.csr_matrix((count, place, ends), (len(ends) - 1, TABLE_SIZE))


def _rows(matrix: sparse.csr_matrix) -> SparseRows:
    return SparseRows(
        place=matrix.indices.astype(np.uint16),
        count=matrix.data.astype(np.float32),
        row_ends=matrix.indptr.astype(np.int32),
    )
