# The tree of a page as pointers; see `templ_core.page_level.page_tree.PageTree`.

from libc.stdint cimport int64_t

from templ_core._arrays cimport items


cdef struct Tree:
    Py_ssize_t nodes, segments
    const int64_t *first
    const int64_t *last
    const int64_t *up
    const int64_t *above            # the levels one after the other, n_segments numbers each
    const int64_t *compressed_depth
    const double *words


cdef inline Tree tree_of(columns) except *:
    """Return the tree whose columns are those of a `PageTree`, which must live as long as it is used."""
    cdef Tree tree
    tree.nodes, tree.segments = len(columns.first), len(columns.words)
    tree.first = <const int64_t *>items(columns.first, 8)
    tree.last = <const int64_t *>items(columns.last, 8)
    tree.up = <const int64_t *>items(columns.up, 8)
    tree.above = <const int64_t *>items(columns.above, 8)
    tree.compressed_depth = <const int64_t *>items(columns.compressed_depth, 8)
    tree.words = <const double *>items(columns.words, 8)
    return tree
