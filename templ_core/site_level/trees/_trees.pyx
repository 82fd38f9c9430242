"""The columns of labelled trees, and how pages lie on a reference page; see `tree_mapping.py` and `tree_model.py`."""

from libc.math cimport log
from libc.stdint cimport int32_t, int64_t, uint16_t, uint64_t
from libc.stdlib cimport free, malloc

import numpy as np

from templ_core._arrays cimport items
from templ_core.site_level.places._element_types cimport COLUMNS, IS_BLOCK, TAG
from templ_core._hashing cimport finalised

cdef uint64_t FACTOR = 0x9E3779B97F4A7C15
cdef uint64_t LEAF = 0x9E3779B97F4A7C15
"""Labels of leaves are their texts' hashes, changed by this, so that no element has the label of a text."""


def closed_tree(label, depth):
    """Return identity and end of each node of a tree in document order."""
    cdef Py_ssize_t count = len(label)
    identities, ends = np.empty(count, np.uint64), np.empty(count, np.int32)
    if count:
        close_tree(
            <const uint64_t *>items(label, 8), <const int32_t *>items(depth, 4), count,
            <uint64_t *>items(identities, 8, True), <int32_t *>items(ends, 4, True),
        )
    return identities, ends


cdef int close_tree(
    const uint64_t *label, const int32_t *depth, Py_ssize_t count, uint64_t *identity, int32_t *end
) except -1:
    cdef Py_ssize_t node, last = -1
    cdef int *parent = <int *>malloc(count * sizeof(int))
    if parent == NULL:
        raise MemoryError
    for node in range(count):
        while last >= 0 and depth[last] >= depth[node]:
            end[last] = <int>node
            last = parent[last]
        parent[node] = <int>last
        identity[node] = 1
        last = node
    while last >= 0:
        end[last] = <int>count
        last = parent[last]
    for node in range(count - 1, -1, -1):
        identity[node] = finalised(label[node] + finalised(identity[node]))
        if parent[node] >= 0:
            identity[parent[node]] = identity[parent[node]] * FACTOR + identity[node]
    free(parent)
    return 0


def page_blocks(document, element_types):
    """Return tag and depth of each node of a page's tree; the tag of a text is 0."""
    nodes, segments = document.nodes, document.segments
    cdef Py_ssize_t count = len(nodes.element_type), leaves = len(segments.owner), size = leaves
    cdef Py_ssize_t node, leaf, above, filled = 0, next_leaf = 0
    cdef const uint64_t *type_row = <const uint64_t *>items(element_types, 8)
    cdef const uint64_t *row
    cdef const int32_t *type_of = <const int32_t *>items(nodes.element_type, 4)
    cdef const int32_t *parent_of = <const int32_t *>items(nodes.parent, 4)
    cdef const int32_t *owner_of = <const int32_t *>items(segments.owner, 4)
    cdef const int32_t *behind = <const int32_t *>items(segments.inline_to, 4)
    insides, levels = np.zeros(count, np.int32), np.empty(count, np.int32)
    cdef int32_t *inside = <int32_t *>items(insides, 4, True)
    cdef int32_t *level = <int32_t *>items(levels, 4, True)
    for leaf in range(leaves):
        inside[owner_of[leaf]] += 1
    for node in range(count - 1, -1, -1):
        if parent_of[node] >= 0:
            inside[parent_of[node]] += inside[node]
        size += inside[node] > 0 and type_row[type_of[node] * COLUMNS + IS_BLOCK] > 0
    tags, depths = np.empty(size, np.uint16), np.empty(size, np.int32)
    cdef uint16_t *tag = <uint16_t *>items(tags, 2, True)
    cdef int32_t *depth = <int32_t *>items(depths, 4, True)
    for node in range(count + 1):
        while next_leaf < leaves and (node == count or behind[next_leaf] <= node):
            tag[filled], depth[filled] = 0, level[owner_of[next_leaf]] + 1
            filled += 1
            next_leaf += 1
        if node == count:
            break
        row, above = type_row + type_of[node] * COLUMNS, parent_of[node]
        level[node] = (level[above] if above >= 0 else -1) + (row[IS_BLOCK] > 0)
        if row[IS_BLOCK] and inside[node]:
            tag[filled], depth[filled] = <uint16_t>(row[TAG] % 65535 + 1), level[node]
            filled += 1
    return tags, depths


def labelled(tags, depths, texts):
    """Return label, identity, end and segment of each node, and the distinct paths of its elements.

    Args:
        tags: Tag of each node; 0 for a text.
        depths: Depth of each node; no node is more than one below the node before it.
        texts: Hash of each text, in document order.
    """
    cdef Py_ssize_t count = len(tags), node, leaf = 0, found = 0, filled = 0
    cdef const uint16_t *tag = <const uint16_t *>items(tags, 2)
    cdef const int32_t *depth = <const int32_t *>items(depths, 4)
    cdef const uint64_t *text = <const uint64_t *>items(texts, 8)
    labels, identities = np.empty(count, np.uint64), np.empty(count, np.uint64)
    ends, leaves = np.empty(count, np.int32), np.empty(count, np.int32)
    paths, names = np.empty(count, np.uint64), np.empty(count + 1, np.uint64)
    cdef uint64_t *label = <uint64_t *>items(labels, 8, True)
    cdef int32_t *segment = <int32_t *>items(leaves, 4, True)
    cdef uint64_t *path = <uint64_t *>items(paths, 8, True)
    cdef uint64_t *name = <uint64_t *>items(names, 8, True)
    name[0] = 1
    for node in range(count):
        if tag[node]:
            label[node], segment[node] = tag[node], -1
            name[depth[node] + 1] = path[found] = finalised(tag[node] + finalised(name[depth[node]]))
            found += 1
        else:
            label[node], segment[node] = text[leaf] ^ LEAF, <int32_t>leaf
            leaf += 1
    if count:
        close_tree(
            label, depth, count,
            <uint64_t *>items(identities, 8, True), <int32_t *>items(ends, 4, True),
        )
    sorted_paths = paths[:found]
    sorted_paths.sort()
    for node in range(found):
        if not node or path[node] != path[filled - 1]:
            path[filled] = path[node]
            filled += 1
    return labels, identities, ends, leaves, paths[:filled]


def align(mapping, reference, page, Py_ssize_t segment_count):
    """Return where the text and the nodes of a page lie on a reference.

    Returns:
        For each segment the node of the reference at which it stands: a leaf, or the nearest element that
        both have; whether the reference has the same text there. The nodes of the reference that the page
        has.
    """
    cdef Py_ssize_t row, rows = len(mapping.left), count = len(page.label), node
    cdef const int32_t *ones = <const int32_t *>items(mapping.left, 4)
    cdef const int32_t *others = <const int32_t *>items(mapping.right, 4)
    cdef const uint64_t *known_label = <const uint64_t *>items(reference.label, 8)
    cdef const uint64_t *label = <const uint64_t *>items(page.label, 8)
    cdef const int32_t *known_segment = <const int32_t *>items(reference.segment, 4)
    cdef const int32_t *segment_of = <const int32_t *>items(page.segment, 4)
    cdef const int32_t *depth = <const int32_t *>items(page.depth, 4)
    cdef int32_t one, other
    lies, nearest = np.empty(count, np.int32), np.zeros(count + 1, np.int32)
    places, equal = np.zeros(segment_count, np.int32), np.zeros(segment_count, np.bool_)
    cdef int32_t *lie = <int32_t *>items(lies, 4, True)
    cdef int32_t *above = <int32_t *>items(nearest, 4, True)    # by the depth of the element
    cdef int32_t *place = <int32_t *>items(places, 4, True)
    cdef unsigned char *same = <unsigned char *>items(equal, 1, True)
    for node in range(count):
        lie[node] = -1
    for row in range(rows):
        one, other = ones[row], others[row]
        if one >= 0 and other >= 0 and (
            known_label[one] == label[other]
            or (known_segment[one] >= 0 and segment_of[other] >= 0)
        ):
            lie[other] = one
    for node in range(count):
        one = lie[node] if lie[node] >= 0 else above[depth[node]]
        if segment_of[node] >= 0:
            place[segment_of[node]] = one
            same[segment_of[node]] = lie[node] >= 0 and known_label[one] == label[node]
        else:
            above[depth[node] + 1] = one
    return places, equal, lies[lies >= 0]


def pool(cluster, places, equal, words, mass, int64_t unit, double prior_words, double margin):
    """Return the columns of a `TreeEvidence`: pages with the place and with its text, and the log-odds for content.

    Args:
        cluster: The `TreeCluster` that the page belongs to.
        places: Node of the cluster at which each segment stands.
        equal: Whether the reference has the same text there.
        unit: Content mass of a word that is surely content.
        prior_words: Words with which a node starts from what stands around it.
        margin: Probabilities are kept this far from 0 and 1.
    """
    tree, at_words, at_mass = cluster.reference.tree, cluster.words, cluster.mass
    cdef Py_ssize_t node, segment, size = len(at_words), count = len(places)
    cdef const int64_t *words_at = <const int64_t *>items(at_words, 8)
    cdef const int64_t *mass_at = <const int64_t *>items(at_mass, 8)
    cdef const int32_t *depth = <const int32_t *>items(tree.depth, 4)
    cdef const int32_t *end = <const int32_t *>items(tree.end, 4)
    cdef const int32_t *leaf = <const int32_t *>items(tree.segment, 4)
    cdef const int32_t *place = <const int32_t *>items(places, 4)
    cdef const int32_t *length = <const int32_t *>items(words, 4)
    cdef const int64_t *own = <const int64_t *>items(mass, 8)
    cdef const int64_t *support = <const int64_t *>items(cluster.support, 8)
    cdef const int64_t *with_text = <const int64_t *>items(cluster.text_pages, 8)
    cdef const unsigned char *same = <const unsigned char *>items(equal, 1)
    cdef double probability, start, known_words, known_mass
    sums = np.zeros((2, size + 1), np.int64)
    cdef int64_t *word_sum = <int64_t *>items(sums, 8, True)
    cdef int64_t *mass_sum = word_sum + size + 1
    columns, result, pages = np.empty((3, size + 1)), np.empty(count), np.empty((2, count), np.int64)
    cdef int64_t *place_pages = <int64_t *>items(pages, 8, True)
    cdef int64_t *text_pages = place_pages + count
    cdef double *content = <double *>items(columns, 8, True)
    cdef double *around = content + size + 1
    cdef double *above = around + size + 1              # by depth: content of the element that is open
    cdef double *log_odds = <double *>items(result, 8, True)
    for node in range(size):
        word_sum[node + 1] = word_sum[node] + words_at[node]
        mass_sum[node + 1] = mass_sum[node] + mass_at[node]
    above[0] = mass_sum[size] / (unit * <double>max(word_sum[size], 1))
    for node in range(size):
        around[node] = above[depth[node]]
        known_words = word_sum[end[node]] - word_sum[node]
        known_mass = (mass_sum[end[node]] - mass_sum[node]) / <double>unit
        content[node] = (known_mass + prior_words * around[node]) / (known_words + prior_words)
        if leaf[node] < 0:
            above[depth[node] + 1] = content[node]
    for segment in range(count):
        node = place[segment]
        place_pages[segment] = support[node] if leaf[node] >= 0 else 0
        text_pages[segment] = with_text[node] if same[segment] else 0
        start, known_words, known_mass = content[node], 0, 0
        if leaf[node] >= 0:
            start, known_words, known_mass = around[node], words_at[node], mass_at[node]
        probability = ((known_mass + own[segment]) / unit + prior_words * start) / (
            known_words + length[segment] + prior_words
        )
        probability = min(max(probability, margin), 1 - margin)
        log_odds[segment] = log(probability / (1 - probability))
    return pages[0], pages[1], result
