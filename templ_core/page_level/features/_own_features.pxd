# A segment's own text, its links, and its owner (the block it stands in).

from libc.math cimport log1p
from libc.stdint cimport int64_t, uint16_t, uint32_t, uint64_t

from templ_core._letters cimport (
    CLOSER, COLON, COMMA, COPYRIGHT, DATE_MARK, DIGIT, DOT, SENTENCE_END, SEPARATOR, SPACE, UPPER
)
from templ_core.page_level.features._page cimport OWNER_TAGS, Page

cdef enum:
    UNSPACED_MARKS = 0x2FFF     # sentence ends with larger code points need no blank after them
    MARKS = COMMA | COPYRIGHT | DATE_MARK | DIGIT | DOT | SENTENCE_END | SEPARATOR
    ELLIPSIS = 0x2026

# Counts are capped by `FeatureConfig`. A year is one from 1900 to 2099; a date has digits on both
# sides of a mark, as 3.10 has.
cdef struct TextColumns:
    float log_words
    float log_characters
    float word_length
    float sentence_ends
    float words_per_sentence_end
    float commas
    float commas_per_word
    float separators
    float separators_per_word
    float digits_per_character
    float date_or_year
    float upper_case_words
    float ends_a_sentence
    float ends_with_a_colon
    float starts_upper_case
    float different_words
    float copyright
    float ellipses

# Link density is the share of the characters that is link text; links on the page lead to a fragment
# of the page itself, external ones to another site.
cdef struct LinkColumns:
    float link_density
    float links
    float external_links
    float links_on_the_page
    float external_share

cdef struct OwnerColumns:
    float depth
    float compressed_depth
    float hidden
    float images
    float[OWNER_TAGS] tags

cdef struct Marks:
    int64_t sentence_ends, commas, separators, digits, ellipses
    bint copyright, dated

# A hash table of the words of the segment at hand; others' entries are free.
cdef struct SeenWords:
    uint64_t *hashes
    int64_t *segment
    uint64_t mask


cdef inline double link_density(const Page *page, Py_ssize_t segment) noexcept:
    """Return the share of a segment's characters, white space aside, that is link text."""
    cdef Py_ssize_t at
    cdef int64_t solid = 0
    if not page.link_chars[segment]:
        return 0
    for at in range(page.starts[segment], page.starts[segment] + page.lengths[segment]):
        solid += not page.classes[at] & SPACE
    return min(<double>page.link_chars[segment] / max(solid, 1), 1.0)


cdef inline void fill_text(
    const Page *page, Py_ssize_t segment, Py_ssize_t first_word, SeenWords *seen, TextColumns *cell
) noexcept:
    """Fill in the columns of a segment's characters and words."""
    cdef Py_ssize_t word, stop = first_word + page.words[segment]
    cdef Py_ssize_t start = page.starts[segment], last = start + page.lengths[segment] - 1
    cdef Py_ssize_t final = max(last - 1, start) if page.classes[last] & CLOSER else last
    cdef int64_t letters = 0, upper = 0
    cdef double w = max(page.words[segment], 1), size = page.lengths[segment]
    cdef Marks marks = _marks(page, start, last + 1)
    for word in range(first_word, stop):
        letters += page.word_length[word]
        upper += page.classes[page.word_first[word]] & UPPER != 0
        if page.word_length[word] == 4 and not marks.dated:
            marks.dated = _is_year(page, page.word_first[word])
    page.sentence_ends[segment] = marks.sentence_ends
    cell.log_words = <float>log1p(w)
    cell.log_characters = <float>log1p(size)
    cell.word_length = <float>(letters / w)
    cell.sentence_ends = min(marks.sentence_ends, page.limits.sentence_ends_max)
    cell.words_per_sentence_end = <float>min(
        w / (marks.sentence_ends if marks.sentence_ends else 0.5),
        page.limits.words_per_sentence_end_max,
    )
    cell.commas = min(marks.commas, page.limits.commas_max)
    cell.commas_per_word = <float>(marks.commas / w)
    cell.separators = min(marks.separators, page.limits.separators_max)
    cell.separators_per_word = <float>(marks.separators / w)
    cell.digits_per_character = <float>(marks.digits / size)
    cell.date_or_year = marks.dated
    cell.upper_case_words = <float>(upper / w)
    cell.ends_a_sentence = page.classes[final] & SENTENCE_END != 0
    cell.ends_with_a_colon = page.classes[last] & COLON != 0
    cell.starts_upper_case = page.classes[start] & UPPER != 0
    cell.different_words = <float>(_different(page.word_hash, first_word, stop, segment, seen) / w)
    cell.copyright = marks.copyright
    cell.ellipses = min(marks.ellipses, page.limits.ellipses_max)


cdef inline Marks _marks(const Page *page, Py_ssize_t start, Py_ssize_t stop) noexcept:
    """Count the marks of the characters from `start` to `stop`, where a line feed stands.

    A sentence ends with a full stop or the like before white space or a closing mark. In scripts
    without blanks the mark alone is enough.
    """
    cdef const uint16_t *classes = page.classes
    cdef Py_ssize_t at
    cdef int bits
    cdef Marks marks = Marks(0, 0, 0, 0, 0, False, False)
    for at in range(start, stop):
        bits = classes[at]
        if not bits & MARKS:
            continue
        marks.digits += bits & DIGIT != 0
        marks.commas += bits & COMMA != 0
        marks.separators += bits & SEPARATOR != 0
        marks.copyright |= bits & COPYRIGHT != 0
        if bits & DATE_MARK and at > start and classes[at - 1] & classes[at + 1] & DIGIT:
            marks.dated = True
        if bits & SENTENCE_END:
            marks.ellipses += page.lower[at] == ELLIPSIS
            if page.lower[at] > UNSPACED_MARKS or classes[at + 1] & (SPACE | CLOSER):
                marks.sentence_ends += 1
        if bits & DOT and classes[at + 1] & DOT and classes[at + 2] & DOT:
            marks.ellipses += 1
    return marks


cdef inline bint _is_year(const Page *page, Py_ssize_t at) noexcept:
    """Return whether four characters are a year from 1900 to 2099."""
    cdef const uint16_t *classes = page.classes + at
    cdef const uint32_t *lower = page.lower + at
    if not classes[0] & classes[1] & classes[2] & classes[3] & DIGIT:
        return False
    return lower[0] == c"1" and lower[1] == c"9" or lower[0] == c"2" and lower[1] == c"0"


cdef inline int64_t _different(
    const uint64_t *hashes, Py_ssize_t word, Py_ssize_t stop, int64_t segment, SeenWords *seen
) noexcept:
    """Return how many different words a segment has."""
    cdef int64_t different = 0
    cdef uint64_t slot
    for word in range(word, stop):
        slot = hashes[word] & seen.mask
        while seen.segment[slot] == segment and seen.hashes[slot] != hashes[word]:
            slot = (slot + 1) & seen.mask
        if seen.segment[slot] != segment:
            seen.hashes[slot], seen.segment[slot] = hashes[word], segment
            different += 1
    return different


cdef inline void fill_links(const Page *page, Py_ssize_t segment, LinkColumns *cell) noexcept:
    cdef int links_max = page.limits.links_max
    cell.link_density = <float>page.density[segment]
    cell.links = min(page.links[segment], links_max)
    cell.external_links = min(page.external_links[segment], links_max)
    cell.links_on_the_page = min(page.page_links[segment], links_max)
    cell.external_share = <float>(
        <double>page.external_links[segment] / max(page.links[segment], 1)
    )


cdef inline void fill_owner(const Page *page, Py_ssize_t segment, OwnerColumns *cell) noexcept:
    cdef int node = page.owner[segment], place
    cdef int tag = page.types[page.element_type[node]].owner
    cell.depth = page.depth[node]
    cell.compressed_depth = page.tree.compressed_depth[node]
    cell.hidden = page.covered[node]
    cell.images = min(page.images[node], page.limits.images_max)
    for place in range(OWNER_TAGS):
        cell.tags[place] = tag == place
