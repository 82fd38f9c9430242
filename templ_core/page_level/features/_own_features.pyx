"""Compiled loops of a segment's own features; see `templ_core.page_level.features.own_features`."""

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
    UNSPACED_MARKS = 0x2FFF     # sentence ends with larger code points need no blank after them
    MARKS = COMMA | COPYRIGHT | DATE_MARK | DIGIT | DOT | SEPARATOR
    ELLIPSIS = 0x2026

# The columns of the features side by side; `own_features` reads their names off these lists.
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

cdef struct LinkColumns:
    float link_density
    float links
    float external_links
    float links_on_the_page
    float external_share

# One column for each tag follows.
cdef struct OwnerColumns:
    float depth
    float compressed_depth
    float hidden
    float images

cdef struct Marks:
    int64_t commas, separators, digits, ellipses
    bint copyright, dated

# A hash table of the words of the segment at hand; others' entries are free.
cdef struct SeenWords:
    uint64_t *hashes
    int64_t *segment
    uint64_t mask


def text_columns():
    """Return the names of the columns that `fill_text` fills, in their order."""
    cdef TextColumns columns
    memset(&columns, 0, sizeof(columns))
    return list(columns)


def link_columns():
    """Return the names of the columns that `fill_links` fills, in their order."""
    cdef LinkColumns columns
    memset(&columns, 0, sizeof(columns))
    return list(columns)


def owner_columns():
    """Return the names of the first columns that `fill_owners` fills, in their order."""
    cdef OwnerColumns columns
    memset(&columns, 0, sizeof(columns))
    return list(columns)


def sentence_ends(characters):
    """Return the number of sentence ends of each segment."""
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
    """Return the share of each segment's characters, white space aside, that is link text."""
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


def fill_text(characters, words, ends_column, config, rows, int column):
    """Fill the columns of TextColumns from `column` on, and return the next column."""
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
    cdef int64_t ends_max = config.sentence_ends_max, commas_max = config.commas_max
    cdef int64_t separators_max = config.separators_max, ellipses_max = config.ellipses_max
    cdef double words_per_end_max = config.words_per_sentence_end_max
    cdef double w, size
    cdef Marks marks
    cdef SeenWords seen
    cdef TextColumns *cell
    for segment in range(count):
        most = max(most, number[segment])
    while slots < 2 * most:
        slots *= 2
    seen_hashes, seen_segments = np.empty(slots, np.uint64), np.empty(slots, np.int64)
    seen.hashes = <uint64_t *>items(seen_hashes, 8, True)
    seen.segment = <int64_t *>items(seen_segments, 8, True)
    seen.mask = slots - 1
    memset(seen.segment, 0xFF, slots * sizeof(int64_t))         # -1: of no segment
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
        cell = <TextColumns *>(cells + segment * width)
        cell.log_words = <float>log1p(w)
        cell.log_characters = <float>log1p(size)
        cell.word_length = <float>(letters / w)
        cell.sentence_ends = min(ends[segment], ends_max)
        cell.words_per_sentence_end = <float>min(
            w / (ends[segment] if ends[segment] else 0.5), words_per_end_max
        )
        cell.commas = min(marks.commas, commas_max)
        cell.commas_per_word = <float>(marks.commas / w)
        cell.separators = min(marks.separators, separators_max)
        cell.separators_per_word = <float>(marks.separators / w)
        cell.digits_per_character = <float>(marks.digits / size)
        cell.date_or_year = marks.dated
        cell.upper_case_words = <float>(upper / w)
        cell.ends_a_sentence = classes[final] & SENTENCE_END != 0
        cell.ends_with_a_colon = classes[last] & COLON != 0
        cell.starts_upper_case = classes[start] & UPPER != 0
        cell.different_words = <float>(_different(hashes, begin, stop, segment, &seen) / w)
        cell.copyright = marks.copyright
        cell.ellipses = min(marks.ellipses, ellipses_max)
    return column + <int>(sizeof(TextColumns) // sizeof(float))


cdef Marks _marks(const uint16_t *classes, const uint32_t *lower, Py_ssize_t at, Py_ssize_t stop) noexcept:
    """Count the marks of the characters from `at` to `stop`, where a line feed stands."""
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
    """Return whether four characters are a year from 1900 to 2099."""
    if not classes[0] & classes[1] & classes[2] & classes[3] & DIGIT:
        return False
    return lower[0] == c"1" and lower[1] == c"9" or lower[0] == c"2" and lower[1] == c"0"


cdef int64_t _different(
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


def fill_links(segments, density_column, config, rows, int column):
    """Fill the columns of LinkColumns from `column` on, and return the next column."""
    cdef const double *density = <const double *>items(density_column, 8)
    cdef const int *links = <const int *>items(segments.links, 4)
    cdef const int *external = <const int *>items(segments.external_links, 4)
    cdef const int *on_page = <const int *>items(segments.page_links, 4)
    cdef float *cells = <float *>items(rows, 4, True) + column
    cdef Py_ssize_t segment, count = len(segments.links), width = rows.shape[1]
    cdef int links_max = config.links_max
    cdef LinkColumns *cell
    for segment in range(count):
        cell = <LinkColumns *>(cells + segment * width)
        cell.link_density = <float>density[segment]
        cell.links = min(links[segment], links_max)
        cell.external_links = min(external[segment], links_max)
        cell.links_on_the_page = min(on_page[segment], links_max)
        cell.external_share = <float>(<double>external[segment] / max(links[segment], 1))
    return column + <int>(sizeof(LinkColumns) // sizeof(float))


def fill_owners(document, compressed_depth_column, dict tags, config, rows, int column):
    """Fill the columns of OwnerColumns, then one for each tag, and return the next column.

    Args:
        document: The page.
        compressed_depth_column: Compressed depth of each node.
        tags: Tags that have a column each, with their numbers from 0.
        config: Says how many images count.
        rows: The feature matrix.
        column: First column to fill.
    """
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
    cdef int place, count = len(tags), images_max = config.images_max
    cdef OwnerColumns *cell
    cdef float *is_tag
    number_tags(nodes.element_types, tags, tag)
    for node in range(len(nodes.element_type)):
        covered[node] = hidden[node] or (parent[node] >= 0 and covered[parent[node]])
    for segment in range(len(document.segments.owner)):
        node = owner[segment]
        cell = <OwnerColumns *>(cells + segment * width)
        cell.depth = depth[node]
        cell.compressed_depth = compressed_depth[node]
        cell.hidden = covered[node]
        cell.images = min(images[node], images_max)
        is_tag = <float *>(cell + 1)
        for place in range(count):
            is_tag[place] = tag[element_type[node]] == place
    return column + <int>(sizeof(OwnerColumns) // sizeof(float)) + count
