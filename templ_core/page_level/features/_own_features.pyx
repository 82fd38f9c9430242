"""Features of a segment's own text, links and owner, see `templ_core.page_level.features.own_features`."""

from libc.math cimport log1p
from libc.stdint cimport int64_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from templ_core._letters cimport (
    CLOSER,
    COLON,
    COMMA,
    COPYRIGHT,
    DATE_MARK,
    DIGIT,
    DOT,
    SENTENCE_END,
    SEPARATOR,
    SPACE,
    UPPER,
)
from templ_core._tag_numbers cimport number_tags

import numpy as np

from templ_core._arrays cimport items

cdef enum:
    UNSPACED_MARKS = 0x2FFF     # sentence ends beyond need no blank after them
    MARKS = COMMA | COPYRIGHT | DATE_MARK | DIGIT | DOT | SEPARATOR
    ELLIPSIS = 0x2026
    LINKS_MAX = 20
    IMAGES_MAX = 5

cdef struct Marks:
    int64_t commas, separators, digits, ellipses
    bint copyright, dated


def sentence_ends(characters):
    """Sentence ends of each segment."""
    cdef const uint16_t *classes = <const uint16_t *>items(characters.classes, 2)
    cdef const uint32_t *lower = <const uint32_t *>items(characters.lower, 4)
    cdef const int64_t *starts = <const int64_t *>items(characters.starts, 8)
    cdef const int64_t *lengths = <const int64_t *>items(characters.lengths, 8)
    cdef Py_ssize_t segment, at
    cdef int64_t count
    result = np.empty(len(characters.starts), np.int64)
    cdef int64_t *ends = <int64_t *>items(result, 8, True)
    for segment in range(len(characters.starts)):
        count = 0
        for at in range(starts[segment], starts[segment] + lengths[segment]):
            if classes[at] & SENTENCE_END:
                count += lower[at] > UNSPACED_MARKS or classes[at + 1] & (SPACE | CLOSER) != 0
        ends[segment] = count
    return result


def link_density(characters, link_chars_column):
    """Share of each segment's characters, white space aside, that is link text."""
    cdef const int *link_chars = <const int *>items(link_chars_column, 4)
    cdef const uint16_t *classes = <const uint16_t *>items(characters.classes, 2)
    cdef const int64_t *starts = <const int64_t *>items(characters.starts, 8)
    cdef const int64_t *lengths = <const int64_t *>items(characters.lengths, 8)
    cdef Py_ssize_t segment, at
    cdef int64_t solid
    result = np.empty(len(characters.starts))
    cdef double *density = <double *>items(result, 8, True)
    for segment in range(len(characters.starts)):
        if not link_chars[segment]:
            density[segment] = 0
            continue
        solid = 0
        for at in range(starts[segment], starts[segment] + lengths[segment]):
            solid += not classes[at] & SPACE
        density[segment] = min(<double>link_chars[segment] / max(solid, 1), 1.0)
    return result


def fill_text(characters, words, ends_column, rows, int column):
    """Columns of TEXT_FEATURES; the next column."""
    cdef const int64_t *ends = <const int64_t *>items(ends_column, 8)
    cdef const uint16_t *classes = <const uint16_t *>items(characters.classes, 2)
    cdef const uint32_t *lower = <const uint32_t *>items(characters.lower, 4)
    cdef const int64_t *starts = <const int64_t *>items(characters.starts, 8)
    cdef const int64_t *lengths = <const int64_t *>items(characters.lengths, 8)
    cdef const int64_t *first = <const int64_t *>items(words.first, 8)
    cdef const int64_t *length = <const int64_t *>items(words.length, 8)
    cdef const int64_t *number = <const int64_t *>items(words.per_segment, 8)
    cdef const uint64_t *hashes = <const uint64_t *>items(words.hashes, 8)
    cdef float *cells = <float *>items(rows, 4, True) + column
    cdef int64_t most = 0, slots = 4
    cdef Py_ssize_t segment, count = len(characters.starts), width = rows.shape[1]
    cdef Py_ssize_t word = 0, start, last, final, stop, begin
    cdef int64_t letters, upper
    cdef double w, size
    cdef Marks marks
    cdef float *cell
    for segment in range(count):
        most = max(most, number[segment])
    while slots < 2 * most:
        slots *= 2
    seen_column, seen_by_column = np.empty(slots, np.uint64), np.empty(slots, np.int64)
    cdef uint64_t *seen = <uint64_t *>items(seen_column, 8, True)
    cdef int64_t *seen_by = <int64_t *>items(seen_by_column, 8, True)
    memset(seen_by, 0xFF, slots * sizeof(int64_t))          # -1: by none yet
    for segment in range(count):
        start, last = starts[segment], starts[segment] + lengths[segment] - 1
        final = max(last - 1, start) if classes[last] & CLOSER else last
        w, size = max(number[segment], 1), lengths[segment]
        marks = _marks(classes, lower, start, last + 1)
        letters = upper = 0
        begin, stop = word, word + number[segment]
        while word < stop:
            letters += length[word]
            upper += classes[first[word]] & UPPER != 0
            if length[word] == 4 and not marks.dated:
                marks.dated = _is_year(&classes[first[word]], &lower[first[word]])
            word += 1
        cell = cells + segment * width
        cell[0] = <float>log1p(w)
        cell[1] = <float>log1p(size)
        cell[2] = <float>(letters / w)
        cell[3] = min(ends[segment], 20)
        cell[4] = <float>min(w / (ends[segment] if ends[segment] else 0.5), 60.0)
        cell[5] = min(marks.commas, 20)
        cell[6] = <float>(marks.commas / w)
        cell[7] = min(marks.separators, 10)
        cell[8] = <float>(marks.separators / w)
        cell[9] = <float>(marks.digits / size)
        cell[10] = marks.dated
        cell[11] = <float>(upper / w)
        cell[12] = classes[final] & SENTENCE_END != 0
        cell[13] = classes[last] & COLON != 0
        cell[14] = classes[start] & UPPER != 0
        cell[15] = <float>(_different(hashes, begin, stop, segment, seen, seen_by, slots - 1) / w)
        cell[16] = marks.copyright
        cell[17] = min(marks.ellipses, 3)
    return column + 18


cdef Marks _marks(const uint16_t *classes, const uint32_t *lower, Py_ssize_t at, Py_ssize_t stop) noexcept:
    """Marks of the characters up to `stop`, behind which a line feed stands."""
    cdef Py_ssize_t start = at
    cdef int bits
    cdef Marks marks = Marks(0, 0, 0, 0, False, False)
    for at in range(start, stop):
        bits = classes[at]
        if not bits & MARKS:
            marks.ellipses += lower[at] == ELLIPSIS
            continue
        marks.digits += bits & DIGIT != 0
        marks.commas += bits & COMMA != 0
        marks.separators += bits & SEPARATOR != 0
        marks.copyright |= bits & COPYRIGHT != 0
        if bits & DATE_MARK and at > start and classes[at - 1] & classes[at + 1] & DIGIT:
            marks.dated = True
        if bits & DOT and classes[at + 1] & DOT and classes[at + 2] & DOT:
            marks.ellipses += 1
    return marks


cdef inline bint _is_year(const uint16_t *classes, const uint32_t *lower) noexcept:
    """Whether four characters are a year from 1900 to 2099."""
    if not classes[0] & classes[1] & classes[2] & classes[3] & DIGIT:
        return False
    return lower[0] == c"1" and lower[1] == c"9" or lower[0] == c"2" and lower[1] == c"0"


cdef int64_t _different(
    const uint64_t *hashes,
    Py_ssize_t word,
    Py_ssize_t stop,
    int64_t segment,
    uint64_t *seen,
    int64_t *seen_by,
    uint64_t mask,
) noexcept:
    """Number of different words, by a table of those that the segment has had."""
    cdef int64_t different = 0
    cdef uint64_t slot
    for word in range(word, stop):
        slot = hashes[word] & mask
        while seen_by[slot] == segment and seen[slot] != hashes[word]:
            slot = (slot + 1) & mask
        if seen_by[slot] != segment:
            seen[slot], seen_by[slot] = hashes[word], segment
            different += 1
    return different


def fill_links(segments, density_column, rows, int column):
    """Columns of LINK_FEATURES; the next column."""
    cdef const double *density = <const double *>items(density_column, 8)
    cdef const int *links = <const int *>items(segments.links, 4)
    cdef const int *external = <const int *>items(segments.external_links, 4)
    cdef const int *on_page = <const int *>items(segments.page_links, 4)
    cdef float *cells = <float *>items(rows, 4, True) + column
    cdef Py_ssize_t segment, count = len(segments.links), width = rows.shape[1]
    cdef float *cell
    for segment in range(count):
        cell = cells + segment * width
        cell[0] = <float>density[segment]
        cell[1] = min(links[segment], LINKS_MAX)
        cell[2] = min(external[segment], LINKS_MAX)
        cell[3] = min(on_page[segment], LINKS_MAX)
        cell[4] = <float>(<double>external[segment] / max(links[segment], 1))
    return column + 5


def fill_owners(document, compressed_depth_column, dict tags, rows, int column):
    """Columns of OWNER_FEATURES; the next column."""
    cdef const int64_t *compressed_depth = <const int64_t *>items(compressed_depth_column, 8)
    nodes = document.nodes
    cdef const int *element_type = <const int *>items(nodes.element_type, 4)
    cdef const int *depth = <const int *>items(nodes.depth, 4)
    cdef const int *parent = <const int *>items(nodes.parent, 4)
    cdef const int *images = <const int *>items(nodes.images, 4)
    cdef const int *owner = <const int *>items(document.segments.owner, 4)
    cdef const unsigned char *hidden = <const unsigned char *>items(nodes.hidden, 1)
    covered_column = np.empty(len(nodes.element_type), np.uint8)
    cdef unsigned char *covered = <unsigned char *>items(covered_column, 1, True)
    tag_column = np.empty(len(nodes.element_types), np.int32)
    cdef int *tag = <int *>items(tag_column, 4, True)
    cdef float *cells = <float *>items(rows, 4, True) + column
    cdef Py_ssize_t node, segment, width = rows.shape[1]
    cdef int place, count = len(tags)
    cdef float *cell
    number_tags(nodes.element_types, tags, tag)
    for node in range(len(nodes.element_type)):
        covered[node] = hidden[node] or (parent[node] >= 0 and covered[parent[node]])
    for segment in range(len(document.segments.owner)):
        node = owner[segment]
        cell = cells + segment * width
        cell[0] = depth[node]
        cell[1] = compressed_depth[node]
        cell[2] = covered[node]
        cell[3] = min(images[node], IMAGES_MAX)
        for place in range(count):
            cell[4 + place] = tag[element_type[node]] == place
    return column + 4 + count
