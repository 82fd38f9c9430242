# What a page declares about its text: the article body, and the title.

from libc.math cimport log1p
from libc.stdint cimport int64_t, uint64_t

from templ_core.page_level.features._page cimport Page

cdef enum:
    OUTSIDE_BODY = 1            # as in `templ_core.dom.parse.parse_page`
    INSIDE_BODY = 2
    HEADING = 8                 # as in `surroundings.py`
    TITLE_WORDS_MAX = 64

# Whether a segment is inside (1) or outside (-1) the declared article body, or that there is none (0); the
# share of the page's words that is inside; the share of the segment's words that the title has; and the
# logarithm of the words between the headline and the segment, below 0 before the headline.
cdef struct DeclaredColumns:
    float inside
    float body_share
    float title_share
    float from_headline

# The headline is the segment most like the title, a heading if there is one.
cdef struct Headline:
    Py_ssize_t segment          # -1 = none
    int64_t words_before        # it
    int64_t words_inside        # the declared body
    int64_t words               # of the page


cdef inline Py_ssize_t different_words(
    const uint64_t *hashes, Py_ssize_t size, uint64_t *different
) noexcept:
    """Fill in the different ones of the first hashes of a title, and return how many there are."""
    cdef Py_ssize_t word, place, count = 0
    for word in range(min(size, TITLE_WORDS_MAX)):
        place = 0
        while place < count and different[place] != hashes[word]:
            place += 1
        if place == count:
            different[count] = hashes[word]
            count += 1
    return count


cdef inline void count_title_words(
    const Page *page, const uint64_t *title, Py_ssize_t size
) noexcept:
    """Fill in how many words of each segment are among the `size` different ones of the title."""
    cdef Py_ssize_t word, place
    cdef uint64_t low_bits = 0          # a bit for each value of six low bits in the title
    for place in range(size):
        low_bits |= <uint64_t>1 << (title[place] & 63)
    for word in range(page.all_words):
        if not low_bits >> (page.word_hash[word] & 63) & 1:
            continue
        for place in range(size):
            if title[place] == page.word_hash[word]:
                page.title_words[page.word_segment[word]] += 1
                break


cdef inline Headline find_headline(
    const Page *page, int64_t title_words
) noexcept:
    """Return the headline, for a title with this number of different words."""
    cdef Headline found = Headline(-1, 0, 0, 0)
    cdef Py_ssize_t segment
    cdef int64_t matches
    cdef double share, most = 0
    for segment in range(page.tree.segments):
        matches = page.title_words[segment]
        if matches and page.words[segment] <= page.limits.headline_words_max:
            share = <double>matches / max(page.words[segment], title_words)
            if share >= page.limits.headline_title_ratio_min:
                share += 1 if page.surroundings[segment] & HEADING else 0
                if share > most:
                    most, found.segment, found.words_before = share, segment, found.words
        found.words += page.words[segment]
        if page.declared[segment] == INSIDE_BODY:
            found.words_inside += page.words[segment]
    return found


cdef inline void fill_declared(
    const Page *page, Py_ssize_t segment, int64_t words_before, const Headline *headline,
    DeclaredColumns *cell,
) noexcept:
    cell.inside = (page.declared[segment] == INSIDE_BODY) - (page.declared[segment] == OUTSIDE_BODY)
    cell.body_share = <float>(<double>headline.words_inside / max(headline.words, 1))
    cell.title_share = <float>(<double>page.title_words[segment] / max(page.words[segment], 1))
    cell.from_headline = 0
    if headline.segment >= 0 and segment != headline.segment:
        cell.from_headline = <float>log1p(abs(words_before - headline.words_before))
        if segment < headline.segment:
            cell.from_headline = -cell.from_headline
