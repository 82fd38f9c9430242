"""The best container and the headline of a page, and what is around each segment."""

from libc.math cimport fmax, fmin
from libc.stdint cimport int32_t, int64_t, uint64_t

import numpy as np

from templ_core._arrays cimport items
from templ_core.site_level.places._element_types cimport COLUMNS, HEADING
from templ_core._hashing cimport find

cdef enum:
    TITLE_WORDS_MAX = 60    # different words of a title that are looked for; longer titles are lists of keywords

cdef double TOLERANCE = 1e-9    # words by which a container may miss a bound, so that rounding decides nothing


def best_container(first, last, content, words):
    """Return the container most worth keeping: with the largest sum of (content - 1/2) * words, as an index.

    Args:
        first: First segment of each container; there is at least one.
        last: Segment after the last one of each container.
        content: Pooled probability of content of each segment, 0 to 1.
    """
    cdef Py_ssize_t segment, one, containers = len(first), count = len(words), best = -1
    cdef const int32_t *start = <const int32_t *>items(first, 4)
    cdef const int32_t *end = <const int32_t *>items(last, 4)
    cdef const double *probability = <const double *>items(content, 8)
    cdef const double *weight = <const double *>items(words, 8)
    cdef double most = -1e300
    sums = np.zeros(count + 1)
    cdef double *gain = <double *>items(sums, 8, True)
    for segment in range(count):
        gain[segment + 1] = gain[segment] + (probability[segment] - 0.5) * weight[segment]
    for one in range(containers):
        most = max(most, gain[end[one]] - gain[start[one]])
    most -= TOLERANCE
    for one in range(containers):
        if gain[end[one]] - gain[start[one]] >= most and (
            best < 0 or end[one] - start[one] < end[best] - start[best]
        ):
            best = one
    return best


def usual_share(votes, cells, tree):
    """Return how usual the most usual container around each segment is on its site; length n_segments.

    That is votes over pages, 0 to 1.

    Args:
        votes: Of each cell: pages whose best container stands there, and pages that have a container there.
    """
    keys, first, last = votes.keys, tree.first, tree.last
    cdef Py_ssize_t node, count = len(cells), known = len(keys), place, segment
    cdef const uint64_t *key = <const uint64_t *>items(keys, 8)
    cdef const int64_t *voted = <const int64_t *>items(votes.sums, 8)
    cdef const uint64_t *cell = <const uint64_t *>items(cells, 8)
    cdef const int64_t *start = <const int64_t *>items(first, 8)
    cdef const int64_t *end = <const int64_t *>items(last, 8)
    cdef uint64_t bits = 0
    cdef double share
    shares = np.zeros(len(tree.owner))
    cdef double *highest = <double *>items(shares, 8, True)
    for place in range(known):
        bits |= <uint64_t>1 << (key[place] & 63)
    for node in range(count):
        if not bits >> (cell[node] & 63) & 1:
            continue
        place = find(key, known, cell[node])
        if place < known and key[place] == cell[node]:
            share = voted[place] / <double>max(voted[known + place], 1)
            for segment in range(start[node], end[node]):
                highest[segment] = max(highest[segment], share)
    return shares


def mean_around(content, tree, parent, int levels):
    """Return the mean content of the words around each segment, 0 to 1; length n_segments.

    Around a segment is what the element `levels` above its owner holds.

    Args:
        content: Content of each segment, 0 to 1.
    """
    words, first, last, owner = tree.words, tree.first, tree.last, tree.owner
    cdef Py_ssize_t node, segment, count = len(words)
    cdef const double *value = <const double *>items(content, 8)
    cdef const double *weight = <const double *>items(words, 8)
    cdef const int64_t *start = <const int64_t *>items(first, 8)
    cdef const int64_t *end = <const int64_t *>items(last, 8)
    cdef const int32_t *parent_of = <const int32_t *>items(parent, 4)
    cdef const int32_t *owner_of = <const int32_t *>items(owner, 4)
    cdef int level
    sums, means = np.zeros((2, count + 1)), np.empty(count)
    cdef double *mass = <double *>items(sums, 8, True)
    cdef double *size = mass + count + 1
    cdef double *mean = <double *>items(means, 8, True)
    for segment in range(count):
        mass[segment + 1] = mass[segment] + value[segment] * weight[segment]
        size[segment + 1] = size[segment] + weight[segment]
    for segment in range(count):
        node = owner_of[segment]
        for level in range(levels):
            if parent_of[node] >= 0:
                node = parent_of[node]
        mean[segment] = (mass[end[node]] - mass[start[node]]) / (size[end[node]] - size[start[node]])
    return means


cdef struct Elements:
    const int32_t *parent
    const int32_t *element_type
    const uint64_t *element_types       # rows of COLUMNS values


def find_headline(document, features, element_types, config):
    """Return the segment that repeats the page's title best as its headline; -1 if none does.

    One in a heading goes before others, one in `h1` before that, and then the one that covers more of the title.
    """
    nodes, words, title = document.nodes, features.words, features.title.copy()
    title.sort()
    cdef Py_ssize_t segment, place, word = 0, best = -1, title_words = 0, looked_for
    cdef const uint64_t *hash = <const uint64_t *>items(words.hashes, 8)
    cdef const int64_t *length = <const int64_t *>items(words.per_segment, 8)
    cdef uint64_t *wanted = <uint64_t *>items(title, 8, True)
    cdef const int32_t *owner_of = <const int32_t *>items(document.segments.owner, 4)
    cdef Elements elements = Elements(
        <const int32_t *>items(nodes.parent, 4),
        <const int32_t *>items(nodes.element_type, 4),
        <const uint64_t *>items(element_types, 8),
    )
    cdef double title_share_min = config.title_share_min
    cdef double title_coverage_min = config.title_coverage_min
    cdef double covered, value, best_value = 0
    cdef int64_t said
    cdef uint64_t some_bits = 0
    for place in range(len(title)):
        if not title_words or wanted[place] != wanted[title_words - 1]:
            wanted[title_words] = wanted[place]
            title_words += 1
    if not title_words:
        return -1
    looked_for = min(title_words, TITLE_WORDS_MAX)
    for place in range(looked_for):
        some_bits |= <uint64_t>1 << (wanted[place] & 63)
    for segment in range(len(words.per_segment)):
        said = 0
        for place in range(length[segment]):
            if some_bits >> (hash[word] & 63) & 1:
                said += _is_among(hash[word], wanted, looked_for)
            word += 1
        covered = fmin(said / <double>title_words, 1)
        if said < title_share_min * fmax(length[segment], 1) or covered < title_coverage_min:
            continue
        value = covered + _level_around(owner_of[segment], &elements)
        if best < 0 or value > best_value:
            best, best_value = segment, value
    return best


def named_share(words, Py_ssize_t first, Py_ssize_t behind):
    """Return the share of the pairs of neighbouring words in some segments that each segment of the page has, 0 to 1.

    Single words are no names: those that bind others stand everywhere. The result has length n_segments.

    Args:
        words: The `Words` of the page.
        first: The first of these segments, such as those of the headline.
        behind: The segment behind their last; with `first` they are none, and every share is 0.
    """
    cdef Py_ssize_t count = len(words.per_segment), segment, word, place, start = 0, end = 0, wanted = 0
    cdef const uint64_t *hash = <const uint64_t *>items(words.hashes, 8)
    cdef const int64_t *length = <const int64_t *>items(words.per_segment, 8)
    cdef const int64_t *of_segment = <const int64_t *>items(words.segment, 8)
    shares = np.zeros(count)
    cdef double *share = <double *>items(shares, 8, True)
    for segment in range(behind):
        start += length[segment] if segment < first else 0
        end += length[segment]
    end = min(end, start + TITLE_WORDS_MAX) if behind > first else start
    last_in = np.full(TITLE_WORDS_MAX, -1, np.int64)
    cdef int64_t *last = <int64_t *>items(last_in, 8, True)     # the last segment that has each pair
    cdef uint64_t some_bits = 0
    wanted = end - start - 1
    for word in range(start, end - 1):
        some_bits |= <uint64_t>1 << (hash[word] & 63)
    for word in range(len(words.hashes) - 1 if wanted > 0 else 0):
        segment = of_segment[word]
        if not some_bits >> (hash[word] & 63) & 1 or of_segment[word + 1] != segment:
            continue
        for place in range(wanted):
            if hash[start + place] != hash[word] or hash[start + place + 1] != hash[word + 1]:
                continue
            if last[place] != segment:
                last[place] = segment
                share[segment] += 1.0 / wanted
    return shares


cdef bint _is_among(uint64_t word, const uint64_t *title, Py_ssize_t looked_for) noexcept:
    """Return whether a word is among those of the title that are looked for."""
    cdef Py_ssize_t place
    for place in range(looked_for):
        if title[place] == word:
            return True
    return False


cdef int _level_around(int32_t node, const Elements *elements) noexcept:
    """Return 2 for a node inside `h1`, 1 inside another heading, else 0."""
    cdef int level = 0
    while node >= 0 and level < 2:
        level = max(level, <int>elements.element_types[elements.element_type[node] * COLUMNS + HEADING])
        node = elements.parent[node]
    return level
