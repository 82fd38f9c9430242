"""Which parts of a page are about the page itself, and which about something else: menus, teasers, comments, footers.

A date, a name or a price in the second kind is that of another page, of a reader or of the site.
"""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free

from templ_core._arrays cimport items
from templ_core.metadata._scans cimport letters_of

from templ_core.dom.tags import HEADING_LEVELS, WHOLE_PAGE
from templ_core.metadata._scans import segments_within, types_with_tags
from templ_core.metadata.part_names import ABOUT, ELSEWHERE, OWN, names_say

cdef enum:
    BEFORE_MAX = 8          # segments before the headline and the content in which a byline may stand
    BEHIND_MAX = 8          # the same, behind the content
    ABOUT_MAX = 2           # elements of one type that are about the page; more of them are teasers
    BEFORE_HEADLINE = 3     # texts before the headline among which bylines and dates stand
    BEHIND_HEADLINE = 4
    BESIDE_CHARS_MAX = 120
    PART_CHARS_MIN = 5
    HEADINGS_MAX = 3
    HEADING_TEXTS_MAX = 4
    HEADING_CHARS_MAX = 360

cdef frozenset TAGS = frozenset(("nav", "menu", "dialog"))
cdef frozenset EDGES = frozenset(("header", "footer", "aside"))
"""Tags of elements that belong to the site, unless they are those of an article."""
cdef frozenset HEADINGS = frozenset(HEADING_LEVELS)
cdef int ABOUT_PAGE = ABOUT, OF_OTHER = ELSEWHERE, OWN_NAME = OWN


cdef class PageParts:
    """The parts of a page, as its metadata is read from them.

    Few texts of a page are asked for, so the elements around each are looked at when it is.

    Args:
        document: The page.
        headline: Number of the segment that is its headline; None = no segment is.
        kept: Whether each segment is content by the decision of the page; length n_segments.
        placed: Numbers of the segments that stand once on each page of the site.
    """

    cdef object document, held
    cdef list texts, element_types, beside
    cdef frozenset placed
    cdef const int32_t *parent
    cdef const int32_t *end
    cdef const int32_t *type_of
    cdef const int32_t *owner
    cdef const unsigned char *kept
    cdef Py_ssize_t node_count, first, last, heading_node
    cdef readonly Py_ssize_t anchor
    cdef int *times
    cdef int64_t *chars_before

    def __cinit__(self, document, headline, kept, placed=()):
        nodes, segments = document.nodes, document.segments
        cdef Py_ssize_t count = len(segments.texts), at
        self.document, self.held, self.placed = document, kept, frozenset(placed)
        self.texts, self.element_types = segments.texts, nodes.element_types
        self.parent = <const int32_t *>items(nodes.parent, 4)
        self.end = <const int32_t *>items(nodes.end, 4)
        self.type_of = <const int32_t *>items(nodes.element_type, 4)
        self.owner = <const int32_t *>items(segments.owner, 4)
        self.node_count = len(nodes.end)
        self.kept = NULL
        self.first, self.last = 0, count
        if kept is not None and len(kept) == count:
            self.kept = <const unsigned char *>items(kept, 1)
            at = 0
            while at < count and not self.kept[at]:
                at += 1
            if at == count:
                self.kept = NULL
            else:
                self.first, self.last = at, count - 1
                while not self.kept[self.last]:
                    self.last -= 1
        self.anchor = self.first if headline is None else headline
        self.first, self.last = min(self.first, self.anchor), max(self.last, self.anchor)
        self.heading_node = -1 if headline is None else self.owner[self.anchor]

    def __dealloc__(self):
        free(self.times)
        free(self.chars_before)

    cpdef bint is_elsewhere(self, Py_ssize_t segment) except -1:
        """Return whether a segment is in a part about something else, or far from the content."""
        if not self.first - BEFORE_MAX <= segment <= self.last + BEHIND_MAX:
            return True
        return self.is_node_elsewhere(self.owner[segment])

    cpdef bint is_node_elsewhere(self, Py_ssize_t node) except -1:
        """Return whether an element is in a part about something else.

        A part that holds the headline or most of the content is about the page, and so are all elements around it.
        """
        cdef bint is_elsewhere = False, is_other
        cdef int names
        while node >= 0 and not self._holds_headline(node):
            tag, attributes = <tuple>self.element_types[self.type_of[node]]
            names = 0 if tag in WHOLE_PAGE else names_say(attributes)
            if names & ABOUT_PAGE and self._times_of(self.type_of[node]) <= ABOUT_MAX:
                return False
            is_other = names & OF_OTHER or tag in TAGS
            if is_other or (tag in EDGES and not self._is_of_article(node)):
                if self._holds_content(node):
                    break
                is_elsewhere = True
            node = self.parent[node]
        return is_elsewhere

    cpdef tuple nearness(self, Py_ssize_t segment):
        """Return a key that sorts segments by how near they are to the headline; those behind it come first."""
        return segment < self.anchor, abs(segment - self.anchor)

    @property
    def near(self):
        """The segments beside the headline, and those that were given as placed, the nearest first."""
        if self.beside is None:
            self.beside = sorted({*self._beside_headline(), *self.placed}, key=self.nearness)
        return self.beside

    cdef list _beside_headline(self):
        """Return the numbers of the short texts beside the headline, without headings.

        Items of lists before the headline are left out, too, since they are those of menus.
        """
        cdef Py_ssize_t at = self.anchor, one
        cdef Py_ssize_t end = min(at + 1 + BEHIND_HEADLINE, <Py_ssize_t>len(self.texts))
        cdef list found = []
        if self.heading_node < 0:
            return found
        for one in range(max(at - BEFORE_HEADLINE, 0), end):
            tag = (<tuple>self.element_types[self.type_of[self.owner[one]]])[0]
            is_wanted = one != at and tag not in HEADINGS and (one > at or tag != "li")
            if is_wanted and len(<str>self.texts[one]) <= BESIDE_CHARS_MAX:
                found.append(one)
        return found

    def of_page(self, list names):
        """Return those of some names that the page does not only show in parts about something else."""
        cdef list found = []
        cdef str name
        cdef Py_ssize_t at
        cdef bint is_shown
        for name in names:
            is_shown = False
            for at in range(len(self.texts)):
                if name in <str>self.texts[at]:
                    is_shown = True
                    if not self.is_elsewhere(at):
                        break
            else:
                if is_shown:
                    continue
            found.append(name)
        return found

    cdef bint _holds_headline(self, Py_ssize_t node) noexcept:
        return node <= self.heading_node < self.end[node]

    cdef bint _holds_content(self, Py_ssize_t node) except -1:
        """Return whether an element has at least half of the content of the page."""
        if self.kept == NULL:
            return False
        cdef Py_ssize_t at
        if self.chars_before == NULL:
            self.chars_before = <int64_t *>calloc(self.node_count + 1, sizeof(int64_t))
            if self.chars_before == NULL:
                raise MemoryError
            for at in range(len(self.texts)):
                if self.kept[at]:
                    self.chars_before[self.owner[at] + 1] += len(<str>self.texts[at])
            for at in range(self.node_count):
                self.chars_before[at + 1] += self.chars_before[at]
        cdef int64_t whole = self.chars_before[self.node_count]
        return whole > 0 and 2 * (self.chars_before[self.end[node]] - self.chars_before[node]) >= whole

    cdef int _times_of(self, int number) except -1:
        """Return the number of elements of a type."""
        cdef Py_ssize_t node
        if self.times == NULL:
            self.times = <int *>calloc(len(self.element_types) + 1, sizeof(int))
            if self.times == NULL:
                raise MemoryError
            for node in range(self.node_count):
                self.times[self.type_of[node]] += 1
        return self.times[number]

    cdef bint _is_of_article(self, Py_ssize_t node) except -1:
        """Return whether a head, a foot or an aside is that of the article with the headline, or of any if there is none."""
        if names_say((<tuple>self.element_types[self.type_of[node]])[1]) & OWN_NAME:
            return True
        while node >= 0:
            if (<tuple>self.element_types[self.type_of[node]])[0] == "article":
                return self.heading_node < 0 or self._holds_headline(node)
            node = self.parent[node]
        return False


def top_headings(document, str tag="h1"):
    """Return the texts of the headings of the first or another level, at most three."""
    cdef list types = types_with_tags(document.nodes.element_types, frozenset((tag,)))
    if not types:
        return []
    cdef list texts = document.segments.texts, within, found = []
    for within in segments_within(document, types, HEADINGS_MAX, HEADING_TEXTS_MAX):
        text = " ".join([" ".join((<str>texts[one]).split()) for one in within if texts[one]])
        if 0 < len(text) <= HEADING_CHARS_MAX and text not in found:
            found.append(text)
    return found


def heading_at(document, str title):
    """Return the number of the first heading that is a title, or else of the first that is a part of it; None = there is none."""
    cdef list texts = document.segments.texts
    cdef Py_ssize_t at, partly = -1
    cdef set types = set(types_with_tags(document.nodes.element_types, HEADINGS))
    if not types:
        return None
    cdef const int32_t *owner = <const int32_t *>items(document.segments.owner, 4)
    cdef const int32_t *type_of = <const int32_t *>items(document.nodes.element_type, 4)
    cdef str own = letters_of(title), letters, text
    for at in range(len(texts)):
        if type_of[owner[at]] not in types:
            continue
        text = texts[at]
        if text == title:
            return at
        if partly < 0:
            letters = letters_of(text)
            if len(letters) > PART_CHARS_MIN and (letters in own or own in letters):
                partly = at
    return None if partly < 0 else partly
