# The rows that `flatten` fills: one for each element, one for each segment. Their fields have the
# names and meanings of the columns of `templ_core.dom.document.Nodes` and `Segments`.

from templ_core._arrays cimport items as items_of
from templ_core._byte_string cimport resized


cdef struct Node:
    int element_type, depth, parent, end, hidden, images


cdef struct Segment:
    int owner, inline_from, inline_to, links, link_chars, external_links, page_links


cdef struct NodeRows:
    Node *rows
    int count, room


cdef struct SegmentRows:
    Segment *rows
    int count, room


cdef inline int add_node(NodeRows *nodes, Node node) except -1:
    """Add a row; return its number."""
    if nodes.count == nodes.room:
        nodes.room = 2 * nodes.room + 1024
        nodes.rows = <Node *>resized(nodes.rows, nodes.room * sizeof(Node))
    nodes.rows[nodes.count] = node
    nodes.count += 1
    return nodes.count - 1


cdef inline int add_segment(SegmentRows *segments, Segment segment) except -1:
    """Add a row; return its number."""
    if segments.count == segments.room:
        segments.room = 2 * segments.room + 512
        segments.rows = <Segment *>resized(segments.rows, segments.room * sizeof(Segment))
    segments.rows[segments.count] = segment
    segments.count += 1
    return segments.count - 1


cdef inline dict named_columns(const int *rows, int count, tuple names, columns):
    """Return the columns of rows of integers by their names.

    Args:
        rows: The rows, one after another.
        count: Number of rows.
        names: Names of the columns.
        columns: Array of integers to write them to, of shape (names, rows).
    """
    cdef int width = len(names), row, column
    cdef int *items = <int *>items_of(columns, 4, True)
    for column in range(width):
        for row in range(count):
            items[column * count + row] = rows[row * width + column]
    return dict(zip(names, columns))
