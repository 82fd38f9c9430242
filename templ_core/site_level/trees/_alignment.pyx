"""How the pages of a cluster lie on its reference page; see `tree_learner.py` and `tree_evidence.py`."""

from libc.math cimport log
from libc.stdint cimport int32_t, int64_t, uint64_t

import numpy as np

from templ_core._arrays cimport items


def align(mapping, reference, page, Py_ssize_t segment_count):
    """Return where the text and the nodes of a page lie on a reference.

    Args:
        mapping: The `TreeMapping` of the reference and the page.
        reference: The tree of the reference.
        page: The tree of the page.
        segment_count: Number of the page's segments.

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
    lies, nearest = np.full(count, -1, np.int32), np.zeros(count + 1, np.int32)
    places, equal = np.zeros(segment_count, np.int32), np.zeros(segment_count, np.bool_)
    cdef int32_t *lie = <int32_t *>items(lies, 4, True)
    cdef int32_t *above = <int32_t *>items(nearest, 4, True)    # by the depth of the element
    cdef int32_t *place = <int32_t *>items(places, 4, True)
    cdef unsigned char *same = <unsigned char *>items(equal, 1, True)
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
        words: Words of each segment; int32.
        mass: Content mass of each segment; int64.
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
