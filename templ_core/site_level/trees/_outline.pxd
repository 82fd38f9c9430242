# The outline of a tree: the children of each node, and the shape of each subtree.

from libc.stdlib cimport free, malloc

from templ_core.site_level._hashing cimport mixed

ctypedef unsigned long long hash_t

cdef struct Outline:
    hash_t *shape
    int *first
    int *child


cdef inline int draw(Outline *outline, const hash_t *label, const int *end, Py_ssize_t count) except -1:
    """List children and hash shapes; subtrees that differ in childless nodes alone have equal shapes."""
    cdef Py_ssize_t node, drawn = 0
    cdef int child
    cdef hash_t shape
    outline.shape = <hash_t *>malloc(count * sizeof(hash_t))
    outline.first = <int *>malloc((count + 1) * sizeof(int))
    outline.child = <int *>malloc(count * sizeof(int))
    if outline.shape == NULL or outline.first == NULL or outline.child == NULL:
        raise MemoryError
    for node in range(count):
        outline.first[node] = <int>drawn
        child = <int>node + 1
        while child < end[node]:
            outline.child[drawn] = child
            drawn += 1
            child = end[child]
    outline.first[count] = <int>drawn
    for node in range(count - 1, -1, -1):
        shape = 1
        for child in range(outline.first[node], outline.first[node + 1]):
            shape = shape * <hash_t>0x9E3779B97F4A7C15ULL + outline.shape[outline.child[child]]
        outline.shape[node] = mixed(label[node] + mixed(shape)) if end[node] > node + 1 else 1
    return 0


cdef inline void erase(Outline *outline) noexcept:
    free(outline.shape)
    free(outline.first)
    free(outline.child)
