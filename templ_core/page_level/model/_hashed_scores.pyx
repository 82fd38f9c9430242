"""Compiled sums over the tokens of attributes and of words; see `templ_core.page_level.model.hashed_scores`."""

from libc.math cimport NAN
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, qsort
from libc.string cimport memcmp, memset

from templ_core._byte_string cimport resized
from templ_core._hashing cimport mix

import numpy as np

from templ_core._arrays cimport items
from templ_core.page_level.config import MODEL_CONFIG
from templ_core.page_level.model import hashed_scores
from templ_core.page_level.model.hashed_scores import NAMES_SIZE, NODE_ROLES

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL

cdef double LIMIT = MODEL_CONFIG.score_log_odds_max

cdef enum:
    TABLE_SIZE = 32768

assert hashed_scores.TABLE_SIZE == TABLE_SIZE


cdef inline int place_of(uint64_t token) noexcept nogil:
    """Return where the weight of a token stands in a table."""
    return <int>(mix(token) % TABLE_SIZE)


# --- tags and attributes --------------------------------------------------------------------

cdef enum:
    OWNER, INLINE, ABOVE1, ABOVE2, ABOVE3, FAR, ROLES
    LEVELS = 3
    INSERTION_MAX = 24      # most stems that are sorted by insertion; more are sorted by qsort

cdef int[ROLES] LEVEL = [0, 0, 1, 1, 1, 2]      # stems of roles with one level share their weights
cdef uint32_t[256] CRC
cdef uint64_t TAG = <uint64_t>1 << 32            # separates tags from stems of the same letters


cdef void _fill_crc() noexcept:
    cdef uint32_t value
    cdef int byte, bit
    for byte in range(256):
        value = byte
        for bit in range(8):
            value = value >> 1 ^ (0xEDB88320 if value & 1 else 0)
        CRC[byte] = value


_fill_crc()


def read_attributes(document, table):
    """Return what the tags, class names, ids and roles of a page say.

    Args:
        document: The page.
        table: A `HashedTable`.

    Returns:
        The log-odds for content of each segment, and the places of the different tags and stems, as `name_places`
        returns them.
    """
    nodes_of, segments_of = document.nodes, document.segments
    cdef list element_types = nodes_of.element_types
    cdef double bias = table.bias
    cdef Py_ssize_t node, nodes = len(nodes_of.element_type)
    cdef Py_ssize_t segment, segments = len(segments_of.owner)
    cdef const int *element_type = <const int *>items(nodes_of.element_type, 4)
    cdef const int *parent = <const int *>items(nodes_of.parent, 4)
    cdef const int *end = <const int *>items(nodes_of.end, 4)
    cdef const int *owner = <const int *>items(segments_of.owner, 4)
    cdef const int *inline_from = <const int *>items(segments_of.inline_from, 4)
    cdef const int *inline_to = <const int *>items(segments_of.inline_to, 4)
    cdef const signed char *weights = <const signed char *>items(table.weights, 1)
    is_there, type_scores = np.zeros(NAMES_SIZE, np.bool_), np.zeros((len(element_types), ROLES))
    _read_types(element_types, weights, table.unit, <double *>items(type_scores, 8, True), is_there)
    cdef const double *score = <const double *>items(type_scores, 8)
    inline_column, closed_column = np.zeros(nodes + 1), np.zeros(nodes + 1)
    far_column, result = np.empty(nodes), np.empty(segments)
    cdef double *inline = <double *>items(inline_column, 8, True)
    cdef double *far = <double *>items(far_column, 8, True)
    cdef double *closed = <double *>items(closed_column, 8, True)
    cdef double *sums = <double *>items(result, 8, True)
    cdef double total = 0
    cdef int one, step
    for node in range(nodes):
        inline[node + 1] = inline[node] + score[element_type[node] * ROLES + INLINE]
        closed[end[node]] += score[element_type[node] * ROLES + FAR]
    for node in range(nodes):
        total += score[element_type[node] * ROLES + FAR] - closed[node]
        far[node] = total
    for segment in range(segments):
        one = owner[segment]
        total = (inline[inline_to[segment]] - inline[inline_from[segment]]) / max(
            inline_to[segment] - inline_from[segment], 1
        )
        total = score[element_type[one] * ROLES + OWNER] + total
        for step in range(ABOVE1, FAR):
            one = parent[one]
            if one < 0:
                break
            total += score[element_type[one] * ROLES + step]
        if one >= 0 and parent[one] >= 0:
            total += far[parent[one]]
        sums[segment] = min(max(bias + total, -LIMIT), LIMIT)
    return result, is_there.nonzero()[0]


def name_places(list element_types):
    """Return the places of the different tags and stems among pairs of tag and attributes, ascending.

    Ids, roles and item properties count like class names. Each place is below NAMES_SIZE.
    """
    is_there = np.zeros(NAMES_SIZE, np.bool_)
    _read_types(element_types, NULL, 0, NULL, is_there)
    return is_there.nonzero()[0]


def type_tokens(list element_types, str role):
    """Return the place of each token of some element types in a role, one of NODE_ROLES, and its element type."""
    cdef int number = NODE_ROLES.index(role)
    cdef uint64_t of_stems = <uint64_t>(LEVEL[number] + 1) << 32, of_tags = <uint64_t>(number + 9) << 32
    cdef uint32_t *stems = NULL
    cdef Py_ssize_t element_type, size, place
    cdef const char *bytes
    cdef list places = [], types = []
    try:
        for element_type in range(len(element_types)):
            tag, attributes = element_types[element_type]
            is_root = tag == "html" or tag == "body"
            bytes = PyUnicode_AsUTF8AndSize(attributes, &size)
            stems = <uint32_t *>resized(stems, (size + 1) * sizeof(uint32_t))
            for place in range(0 if is_root else _distinct_stems(bytes, size, stems)):
                places.append(place_of(stems[place] ^ of_stems))
            if not is_root or number == OWNER:
                bytes = PyUnicode_AsUTF8AndSize(tag, &size)
                places.append(place_of(_crc(bytes, size) ^ of_tags))
            types += [element_type] * (len(places) - len(types))
    finally:
        free(stems)
    return np.array(places, np.int64), np.array(types, np.int64)


cdef int _read_types(
    list element_types, const signed char *weights, double unit, double *score, is_there
) except -1:
    """Mark the places of the tags and stems of element types, and sum their weights in each role.

    Args:
        element_types: Pairs of tag and attributes.
        weights: The weights of the tokens; NULL = no sums are wanted.
        unit: Log-odds of a weight of 1.
        score: (n_element_types, ROLES): zeros, to which the log-odds are written.
        is_there: Zeros; those of the tags and stems become 1.
    """
    cdef uint32_t *stems = NULL
    cdef unsigned char *there = <unsigned char *>items(is_there, 1, True)
    cdef uint64_t names_size = len(is_there)
    cdef Py_ssize_t number, count, place, size
    cdef int role, level
    cdef int[LEVELS] of_level
    cdef uint32_t tag
    cdef bint is_root
    cdef const char *bytes
    try:
        for number in range(len(element_types)):
            pair = <tuple>element_types[number]
            bytes = PyUnicode_AsUTF8AndSize(pair[0], &size)
            tag = _crc(bytes, size)
            there[place_of(tag ^ TAG) % names_size] = True
            is_root = size == 4 and (not memcmp(bytes, b"html", 4) or not memcmp(bytes, b"body", 4))
            of_level[0] = of_level[1] = of_level[2] = 0
            bytes = PyUnicode_AsUTF8AndSize(pair[1], &size)
            if size:
                stems = <uint32_t *>resized(stems, size * sizeof(uint32_t))
            count = _distinct_stems(bytes, size, stems)
            for place in range(count):
                there[place_of(stems[place]) % names_size] = True
                if weights == NULL or is_root:
                    continue
                for level in range(LEVELS):
                    of_level[level] += weights[
                        place_of(stems[place] ^ <uint64_t>(level + 1) << 32)
                    ]
            if weights == NULL:
                continue
            for role in range(ROLES):
                if is_root and role != OWNER:
                    continue
                score[number * ROLES + role] = unit * (
                    of_level[LEVEL[role]] + weights[place_of(tag ^ <uint64_t>(role + 9) << 32)]
                )
    finally:
        free(stems)
    return 0


cdef uint32_t _crc(const char *bytes, Py_ssize_t size) noexcept:
    cdef uint32_t value = 0xFFFFFFFF
    cdef Py_ssize_t place
    for place in range(size):
        value = CRC[(value ^ <unsigned char>bytes[place]) & 0xFF] ^ value >> 8
    return ~value


cdef Py_ssize_t _distinct_stems(const char *text, Py_ssize_t size, uint32_t *stems) noexcept:
    """Fill in the hashes of the different stems of a text, and return how many there are.

    Stems are runs of ASCII letters, split where lower case turns into upper case; hashes are of lower case.
    """
    cdef Py_ssize_t at = 0, start, count = 0, kept = 0, place
    cdef uint32_t value
    while at < size:
        if not (_is_upper(text[at]) or _is_lower(text[at])):
            at += 1
            continue
        start = at
        while at < size and _is_upper(text[at]):
            at += 1
        if at < size and _is_lower(text[at]) and at - start > 1:
            at -= 1  # the last capital begins the next stem
        elif at - start <= 1:
            while at < size and _is_lower(text[at]):
                at += 1
        value = 0xFFFFFFFF
        for place in range(start, at):
            value = CRC[(value ^ <unsigned char>(text[place] | 32)) & 0xFF] ^ value >> 8
        stems[count] = ~value
        count += 1
    _sort(stems, count)
    for place in range(count):
        if not place or stems[place] != stems[place - 1]:
            stems[kept] = stems[place]
            kept += 1
    return kept


cdef inline bint _is_upper(char letter) noexcept:
    return c"A" <= letter <= c"Z"


cdef inline bint _is_lower(char letter) noexcept:
    return c"a" <= letter <= c"z"


cdef void _sort(uint32_t *stems, Py_ssize_t count) noexcept:
    """Sort in place: by insertion where there are few, which is quicker than qsort."""
    cdef Py_ssize_t place, at
    cdef uint32_t stem
    if count > INSERTION_MAX:
        qsort(stems, count, sizeof(uint32_t), _compare)
        return
    for place in range(1, count):
        stem, at = stems[place], place
        while at and stems[at - 1] > stem:
            stems[at] = stems[at - 1]
            at -= 1
        stems[at] = stem


cdef int _compare(const void *one, const void *other) noexcept nogil:
    cdef uint32_t a = (<const uint32_t *>one)[0], b = (<const uint32_t *>other)[0]
    return (a > b) - (a < b)


# --- words ----------------------------------------------------------------------------------

# Which tokens a segment has: a model holds for the numbers that it was trained with.
cdef enum:
    LEADING_WORDS = 30      # the first words of a segment are a token each
    STARTING_WORDS = 3      # first words that together are one more token
    SHORT_WORDS = 6         # most words of a text that is a token as a whole
    TOKENS_MAX = LEADING_WORDS + 2
    SLOTS = 64

cdef uint64_t WORD = 0x51ED27, START = 0xA24BAED, WHOLE = 0x9FB21C65
cdef uint64_t HEADING = 0xC13FA9A902A6328F, TURN = 0xFF51AFD7ED558CCD


def text_scores(page_words, heading_column, table):
    """Return the log-odds for content of each segment, by its tokens and those of its last heading.

    Args:
        page_words: The page's `Words`.
        heading_column: Number of the last heading before each segment; -1 = none.
        table: A `HashedTable`.
    """
    cdef Py_ssize_t segment, count = len(page_words.per_segment)
    cdef const uint64_t *hashes = <const uint64_t *>items(page_words.hashes, 8)
    cdef const int64_t *words = <const int64_t *>items(page_words.per_segment, 8)
    cdef const int64_t *heading = <const int64_t *>items(heading_column, 8)
    cdef const signed char *weights = <const signed char *>items(table.weights, 1)
    cdef double unit = table.unit, bias = table.bias
    start_column, below_column, result = np.empty(count, np.int64), np.empty(count), np.empty(count)
    cdef int64_t *starts = <int64_t *>items(start_column, 8, True)
    cdef double *below = <double *>items(below_column, 8, True)
    cdef double *sums = <double *>items(result, 8, True)
    cdef int[TOKENS_MAX] places
    cdef int tokens
    cdef double total
    cdef int64_t word = 0
    for segment in range(count):
        starts[segment], below[segment] = word, NAN
        word += words[segment]
    for segment in range(count):
        tokens = _places(hashes, starts[segment], words[segment], 0, places)
        sums[segment] = _sum(weights, places, tokens)
        if heading[segment] >= 0:
            total = below[heading[segment]]
            if total != total:
                tokens = _places(
                    hashes, starts[heading[segment]], words[heading[segment]], HEADING, places
                )
                total = below[heading[segment]] = _sum(weights, places, tokens)
            sums[segment] += total
        sums[segment] = min(max(bias + unit * sums[segment], -LIMIT), LIMIT)
    return result


def text_tokens(page_words, bint as_heading=False):
    """Return the place of each token of the text of segments, or of headings, and its segment; no token twice.

    Tokens are the first words, the first three words as one, and a short text as a whole.
    """
    cdef Py_ssize_t segment, word = 0, segments = len(page_words.per_segment)
    cdef const uint64_t *hashes = <const uint64_t *>items(page_words.hashes, 8)
    cdef const int64_t *words = <const int64_t *>items(page_words.per_segment, 8)
    cdef int[TOKENS_MAX] places
    cdef int token, tokens
    cdef list found = [], of_segment = []
    for segment in range(segments):
        tokens = _places(hashes, word, words[segment], HEADING if as_heading else 0, places)
        found += [places[token] for token in range(tokens)]
        of_segment += [segment] * tokens
        word += words[segment]
    return np.array(found, np.int64), np.array(of_segment, np.int64)


cdef int _places(
    const uint64_t *hashes, int64_t first, int64_t words, uint64_t salt, int *places
) noexcept:
    """Fill in the places of a segment's different tokens, and return how many there are."""
    cdef int tokens = 0, word
    cdef uint64_t whole = 0, power = 1
    cdef int[SLOTS] seen
    memset(seen, 0xFF, sizeof(seen))
    for word in range(<int>min(words, LEADING_WORDS)):
        tokens = _add(places, tokens, place_of(hashes[first + word] ^ WORD ^ salt), seen)
    if words >= STARTING_WORDS:
        whole = (hashes[first] * TURN + hashes[first + 1]) * TURN + hashes[first + 2]
        tokens = _add(places, tokens, place_of(whole ^ START ^ salt), seen)
    if words <= SHORT_WORDS:
        whole = 0
        for word in range(<int>words):
            power *= <uint64_t>0x9E3779B97F4A7C15
            whole += hashes[first + word] * power
        tokens = _add(places, tokens, place_of(mix(whole) ^ WHOLE ^ salt), seen)
    return tokens


cdef inline int _add(int *places, int tokens, int place, int *seen) noexcept:
    """Append a place unless it is among those seen, and return how many places there are."""
    cdef int slot = place % SLOTS
    while seen[slot] >= 0 and seen[slot] != place:
        slot = (slot + 1) % SLOTS
    if seen[slot] < 0:
        seen[slot] = places[tokens] = place
        tokens += 1
    return tokens


cdef inline double _sum(const signed char *weights, const int *places, int tokens) noexcept:
    cdef int token, total = 0
    for token in range(tokens):
        total += weights[places[token]]
    return total
