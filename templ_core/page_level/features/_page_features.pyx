"""The rows of a page's features, filled in few passes; see `templ_core.page_level.features.page_features`."""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t, uintptr_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

import msgspec
import numpy as np

from templ_core._arrays cimport items
from templ_core.page_level._page_tree cimport tree_of
from templ_core.page_level.features._declared_features cimport (
    DeclaredColumns, HEADING, Headline, INSIDE_BODY, OUTSIDE_BODY, TITLE_WORDS_MAX, count_title_words,
    different_words, fill_declared, find_headline,
)
from templ_core.page_level.features._own_features cimport (
    LinkColumns, OwnerColumns, SeenWords, TextColumns, fill_links, fill_owner, fill_text, link_density,
)
from templ_core.page_level.features._page cimport (
    ElementType, Limits, MAIN_SHARES, OWNER_TAGS, Page, SEMANTIC_TAGS,
)
from templ_core.page_level.features._place_features cimport (
    CopyColumns, GroupColumns, MainColumns, MainNodes, TagColumns, fill_position, fill_tags, main_nodes,
    number_groups, sum_groups,
)

from templ_core.dom.parse import declared_body
from templ_core.page_level.config import FEATURE_CONFIG
from templ_core.page_level.features import surroundings

cdef enum:
    SLOTS = 128                 # for the tags of a page; a power of two

# All features of a segment side by side; `page_features` reads their names off this struct.
cdef struct Row:
    TextColumns text
    LinkColumns links
    OwnerColumns owner
    GroupColumns path           # of the segments whose owners have equal tags and attributes up to the root
    GroupColumns tags           # of the segments whose owners have equal tags up to the root
    CopyColumns copies
    MainColumns[MAIN_SHARES] main
    float among_long            # 0 before, 1 among and 2 after the long segments
    TagColumns nearest
    DeclaredColumns declared

# Room for what is needed while the rows of a page are filled.
cdef struct Room:
    char *block
    char *next

cdef uint64_t PATH_FACTOR = 0x100000001B3
cdef Limits LIMITS = msgspec.structs.asdict(FEATURE_CONFIG)
assert (HEADING, OUTSIDE_BODY, INSIDE_BODY) == (
    surroundings.HEADING, declared_body.OUTSIDE_BODY, declared_body.INSIDE_BODY
)


def row_names():
    """Return the names of the columns of a row, by the names of their parts."""
    cdef Row row
    memset(&row, 0, sizeof(row))
    return <dict>row


def fill_rows(document, dict characters, dict columns, tuple numbers):
    """Return the columns of a page that follow from its text and its tree, by name.

    Args:
        document: The page, with at least one segment.
        characters: The columns of the `Characters` of its segments, and of what may follow them.
        columns: Its words, tree, text hashes, title hashes and surroundings.
        numbers: Numbers from 0 of the tags of owners that have a column each, and of the tags above a segment.
    """
    cdef dict owner_tags = numbers[0], semantic_tags = numbers[1]
    cdef Page page
    cdef Room room
    cdef Py_ssize_t segments = len(document.segments.owner)
    group, density = np.empty(segments, np.int64), np.empty(segments)
    rows = np.empty((segments, sizeof(Row) // sizeof(float)), np.float32)
    cdef Row *row = <Row *>items(rows, 4, True)
    page.limits = &LIMITS
    page.density = <double *>items(density, 8, True)
    _point_to_document(&page, document)
    _point_to_text(&page, characters, columns)
    cdef Py_ssize_t slots = _slots(&page), types = len(document.nodes.element_types)
    room.block = room.next = <char *>calloc(
        1,
        page.tree.nodes * (2 * sizeof(uint64_t) + sizeof(int) + 1)
        + (page.tree.segments + 1) * (5 * sizeof(int64_t) + sizeof(GroupColumns))
        + types * sizeof(ElementType) + slots * 2 * sizeof(int64_t)
        + TITLE_WORDS_MAX * sizeof(uint64_t) + 16 * sizeof(int64_t),
    )
    if room.block == NULL:
        raise MemoryError
    try:
        page.types = <ElementType *>_take(&room, types * sizeof(ElementType))
        _read_types(&page, document.nodes.element_types, owner_tags, semantic_tags)
        _fill_text(&page, &room, slots, row)
        _fill_groups(&page, &room, row, <int64_t *>items(group, 8, True))
        _fill_main(&page, &room, row)
        _fill_rest(&page, &room, row, semantic_tags["main"], semantic_tags["article"], columns["title"])
    finally:
        free(room.block)
    return dict(group=group, link_density=density, rows=rows)


cdef int _point_to_document(Page *page, document) except -1:
    nodes, segments = document.nodes, document.segments
    page.element_type = <const int *>items(nodes.element_type, 4)
    page.parent = <const int *>items(nodes.parent, 4)
    page.depth = <const int *>items(nodes.depth, 4)
    page.images = <const int *>items(nodes.images, 4)
    page.hidden = <const uint8_t *>items(nodes.hidden, 1)
    page.owner = <const int *>items(segments.owner, 4)
    page.links = <const int *>items(segments.links, 4)
    page.external_links = <const int *>items(segments.external_links, 4)
    page.page_links = <const int *>items(segments.page_links, 4)
    page.link_chars = <const int *>items(segments.link_chars, 4)
    page.declared = <const int *>items(segments.declared, 4)
    return 0


cdef int _point_to_text(Page *page, dict characters, dict columns) except -1:
    words = columns["words"]
    page.classes = <const uint16_t *>items(characters["classes"], 2)
    page.lower = <const uint32_t *>items(characters["lower"], 4)
    page.starts = <const int64_t *>items(characters["starts"], 8)
    page.lengths = <const int64_t *>items(characters["lengths"], 8)
    page.all_words = len(words.first)
    page.word_first = <const int64_t *>items(words.first, 8)
    page.word_length = <const int64_t *>items(words.length, 8)
    page.word_segment = <const int64_t *>items(words.segment, 8)
    page.word_hash = <const uint64_t *>items(words.hashes, 8)
    page.words = <const int64_t *>items(words.per_segment, 8)
    page.text = <const uint64_t *>items(columns["text"], 8)
    page.surroundings = <const int *>items(columns["surroundings"], 4)
    page.tree = tree_of(columns["tree"])
    return 0


cdef void *_take(Room *room, Py_ssize_t size) noexcept:
    """Return zeroed memory of this size in bytes."""
    cdef void *taken = room.next
    room.next += (size + 7) // 8 * 8
    return taken


cdef Py_ssize_t _slots(const Page *page) noexcept:
    """Return the slots of a hash table for the words of the longest segment."""
    cdef Py_ssize_t segment, slots = 4
    for segment in range(page.tree.segments):
        while slots < 2 * page.words[segment]:
            slots *= 2
    return slots


cdef int _read_types(
    Page *page, list element_types, dict owner_tags, dict semantic_tags
) except -1:
    """Number the tags of the element types; equal tags are mostly one object, which is looked up once."""
    cdef const void *seen[SLOTS]
    cdef ElementType[SLOTS] known
    cdef dict numbers = {}
    cdef Py_ssize_t number, slot
    memset(seen, 0, sizeof(seen))
    for number in range(len(element_types)):
        tag = (<tuple>element_types[number])[0]
        slot = (<uintptr_t><void *>tag >> 4 ^ <uintptr_t><void *>tag >> 11) & (SLOTS - 1)
        if seen[slot] != <void *>tag:
            seen[slot] = <void *>tag
            known[slot] = ElementType(
                numbers.setdefault(tag, len(numbers)), owner_tags.get(tag, -1), semantic_tags.get(tag, -1)
            )
        page.types[number] = known[slot]
    return 0


cdef void _fill_text(Page *page, Room *room, Py_ssize_t slots, Row *row) noexcept:
    """Fill in the columns of text and links."""
    cdef Py_ssize_t segment, word = 0
    cdef SeenWords seen
    seen.hashes = <uint64_t *>_take(room, slots * sizeof(uint64_t))
    seen.segment = <int64_t *>_take(room, slots * sizeof(int64_t))
    seen.mask = slots - 1
    memset(seen.segment, 0xFF, slots * sizeof(int64_t))         # -1: of no segment
    page.sentence_ends = <int64_t *>_take(room, page.tree.segments * sizeof(int64_t))
    for segment in range(page.tree.segments):
        page.density[segment] = link_density(page, segment)
        fill_text(page, segment, word, &seen, &row[segment].text)
        fill_links(page, segment, &row[segment].links)
        word += page.words[segment]


cdef int _fill_groups(Page *page, Room *room, Row *row, int64_t *path_group) except -1:
    """Fill in the columns of equal paths and equal texts, and the number of each segment's path."""
    cdef Py_ssize_t nodes = page.tree.nodes, segments = page.tree.segments, segment, node, groups
    cdef uint64_t *styled = <uint64_t *>_take(room, nodes * sizeof(uint64_t))
    cdef uint64_t *plain = <uint64_t *>_take(room, nodes * sizeof(uint64_t))
    cdef uint64_t *path = <uint64_t *>_take(room, segments * sizeof(uint64_t))
    cdef int64_t *group = <int64_t *>_take(room, segments * sizeof(int64_t))
    cdef GroupColumns *columns = <GroupColumns *>_take(room, segments * sizeof(GroupColumns))
    cdef int *copies
    cdef uint64_t styled_above, plain_above
    for node in range(nodes):
        styled_above = styled[page.parent[node]] if page.parent[node] >= 0 else 0
        plain_above = plain[page.parent[node]] if page.parent[node] >= 0 else 0
        styled[node] = page.element_type[node] + 1 + styled_above * PATH_FACTOR
        plain[node] = page.types[page.element_type[node]].tag + 1 + plain_above * PATH_FACTOR
    for segment in range(segments):
        path[segment] = styled[page.owner[segment]]
    sum_groups(page, path_group, number_groups(path, segments, path_group), columns)
    for segment in range(segments):
        row[segment].path = columns[path_group[segment]]
        path[segment] = plain[page.owner[segment]]
    sum_groups(page, group, number_groups(path, segments, group), columns)
    for segment in range(segments):
        row[segment].tags = columns[group[segment]]
    number_groups(page.text, segments, group)
    copies = <int *>columns
    memset(copies, 0, segments * sizeof(int))
    for segment in range(segments):
        row[segment].copies.later_copy = copies[group[segment]] > 0
        copies[group[segment]] += 1
    for segment in range(segments):
        row[segment].copies.copies = min(copies[group[segment]], page.limits.copies_max)
    return 0


cdef void _fill_main(Page *page, Room *room, Row *row) noexcept:
    """Fill in the columns around the main nodes."""
    cdef double *good = <double *>_take(room, (page.tree.segments + 1) * sizeof(double))
    cdef MainNodes main = main_nodes(page, good)
    cdef Py_ssize_t number, node, segment
    cdef double all_words = 0, words
    for segment in range(page.tree.segments):
        row[segment].among_long = (segment >= main.first_long) + (segment > main.last_long)
        all_words += page.tree.words[segment]
    for number in range(MAIN_SHARES):
        node, words = main.node[number], 0
        fill_position(&page.tree, node, &row.main[number].position, sizeof(Row) // sizeof(float))
        for segment in range(page.tree.first[node], page.tree.last[node]):
            words += page.tree.words[segment]
        for segment in range(page.tree.segments):
            row[segment].main[number].share = <float>(words / all_words)


cdef int _fill_rest(
    Page *page, Room *room, Row *row, int main, int article, title_column
) except -1:
    """Fill in the columns of owners, of tags above segments, and of what the page declares."""
    cdef Py_ssize_t node, segment, title_size
    cdef int place
    cdef int64_t words_before = 0
    cdef uint64_t *title = <uint64_t *>_take(room, TITLE_WORDS_MAX * sizeof(uint64_t))
    cdef Headline headline
    page.inside = <unsigned int *>_take(room, page.tree.nodes * sizeof(int))
    page.covered = <uint8_t *>_take(room, page.tree.nodes)
    page.title_words = <int64_t *>_take(room, page.tree.segments * sizeof(int64_t))
    page.on_page = 0
    for node in range(page.tree.nodes):
        place = page.types[page.element_type[node]].semantic
        page.inside[node] = <unsigned int>1 << place if place >= 0 else 0
        page.covered[node] = page.hidden[node]
        if page.parent[node] >= 0:
            page.inside[node] |= page.inside[page.parent[node]]
            page.covered[node] |= page.covered[page.parent[node]]
        page.on_page |= page.inside[node]
    title_size = different_words(<const uint64_t *>items(title_column, 8), len(title_column), title)
    count_title_words(page, title, title_size)
    headline = find_headline(page, title_size)
    for segment in range(page.tree.segments):
        fill_owner(page, segment, &row[segment].owner)
        fill_tags(page, segment, main, article, &row[segment].nearest)
        fill_declared(page, segment, words_before, &headline, &row[segment].declared)
        words_before += page.words[segment]
    return 0
