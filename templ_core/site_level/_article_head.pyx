"""The segment that says a page's title, see `templ_core.site_level.article_head`."""

from libc.math cimport fabs, fmax, fmin
from libc.stdint cimport int32_t, int64_t, uint64_t

from templ_core.site_level._element_kinds cimport HEADING


def find_headline(
    const uint64_t[::1] words,
    const int64_t[::1] words_of_segment,
    const uint64_t[::1] title,
    Py_ssize_t looked_for,
    const int32_t[::1] owner,
    const int32_t[::1] parent,
    const int32_t[::1] kind,
    const uint64_t[:, ::1] kinds,
    Py_ssize_t text_start,
    *,
    double title_share,
    double covered_share,
    Py_ssize_t words_max,
    double per_level,
    double per_segment,
):
    """The segment that is most of a headline; -1 = none.

    Args:
        words: Hashes of the page's words.
        words_of_segment: Words of each segment.
        title: Hashes of the title's different words, at least one.
        looked_for: How many of them are looked for.
        owner: Node of each segment.
        parent: Of each node; negative = none.
        kind: Of each node.
        kinds: `element_kinds` of the page.
        text_start: First segment of the text.
        title_share: This share of a headline's words is in the title.
        covered_share: This share of the title's words is in a headline.
        words_max: Words of a headline.
        per_level: What it is worth to stand in a heading, and again in one of the highest level.
        per_segment: What each segment between headline and text costs.
    """
    cdef Py_ssize_t segment, place, word = 0, best = -1
    cdef double covered, value, best_value = 0
    cdef int64_t said
    cdef uint64_t some_bits = 0
    for place in range(looked_for):
        some_bits |= <uint64_t>1 << (title[place] & 63)
    for segment in range(words_of_segment.shape[0]):
        said = 0
        for place in range(words_of_segment[segment]):
            if some_bits >> (words[word] & 63) & 1:
                said += _is_among(words[word], title, looked_for)
            word += 1
        covered = fmin(<double>said / title.shape[0], 1)
        if (
            said < title_share * fmax(words_of_segment[segment], 1)
            or covered < covered_share
            or words_of_segment[segment] > words_max
        ):
            continue
        value = (
            covered
            + _level_around(owner[segment], parent, kind, kinds) * per_level
            - per_segment * fabs(<double>(segment - text_start))
        )
        if best < 0 or value > best_value:
            best, best_value = segment, value
    return best


cdef bint _is_among(uint64_t word, const uint64_t[::1] title, Py_ssize_t looked_for) noexcept:
    cdef Py_ssize_t place
    for place in range(looked_for):
        if title[place] == word:
            return True
    return False


cdef int _level_around(
    int32_t node,
    const int32_t[::1] parent,
    const int32_t[::1] kind,
    const uint64_t[:, ::1] kinds,
) noexcept:
    """1 inside a heading, 2 inside one of the highest level."""
    cdef int level = 0
    while node >= 0 and level < 2:
        level = max(level, <int>kinds[kind[node], HEADING])
        node = parent[node]
    return level
