"""The parser's tree to columns, in one walk that only reads fields of its nodes."""

from cpython.bytes cimport PyBytes_AsString, PyBytes_Size
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport uint16_t
from libc.stdlib cimport free
from libc.string cimport memcpy, strcmp, strlen, strncmp, strstr
from lxml.includes.etreepublic cimport _Element
from lxml.includes.tree cimport XML_ELEMENT_NODE, xmlAttr, xmlNode

from templ_core._letters cimport WORD
from templ_core.dom.parse._attribute_table cimport (
    ARIA,
    CLASS,
    HIDES,
    HREF,
    ID,
    ITEM,
    OTHER,
    Place,
    ROLE,
    STYLE,
)
from templ_core._interner cimport Interner, interner_begin, interner_end, interner_number
from templ_core.dom.parse._names cimport Names, slot_of_name
from templ_core.dom.parse._nodes cimport (
    attribute_of,
    is_elsewhere,
    is_plain,
    is_text,
    put_text,
    value_of,
)
from templ_core.dom.parse._runs cimport Run, add_collapsed, add_verbatim, run_begin, run_break
from templ_core._byte_string cimport Text, put, resized

import re

import numpy as np

from templ_core.dom.tags import INLINE, INVISIBLE, SPACE_AFTER
from templ_core.letters import letter_tables

cdef enum:
    IS_INLINE = 1
    IS_INVISIBLE = 2
    SPACES = 4
    IS_LINK = 8
    IS_BREAK = 16
    IS_IMAGE = 32
    IS_VERBATIM = 64
    IS_SCRIPT = 128
    IS_TITLE = 256
    IS_META = 512

cdef struct Node:
    int element_type, depth, parent, end, hidden, images

cdef struct Link:
    int links, chars, external, on_page

cdef struct Said:               # by attributes set aside
    const char *values[ITEM + 1]
    bint hidden
    int leads
    int tag, element_type               # of the last element; -1 = none yet

cdef struct Segment:
    int owner, inline_from, inline_to
    Link link

cdef enum:
    HERE, ELSEWHERE, ON_PAGE    # where a link leads: on the same site, to another, on the page

cdef enum:
    NODE_ROWS = 6
    SEGMENT_ROWS = 7

cdef struct Open:
    int traits
    int node                # -1 = invisible
    int outer_block

cdef dict _TRAITS = {
    "a": IS_LINK, "br": IS_BREAK, "img": IS_IMAGE, "pre": IS_VERBATIM, "script": IS_SCRIPT,
    "title": IS_TITLE, "meta": IS_META,
}
for _tags, _trait in ((INLINE, IS_INLINE), (INVISIBLE, IS_INVISIBLE), (SPACE_AFTER, SPACES)):
    for _tag in _tags:
        _TRAITS[_tag] = _TRAITS.get(_tag, 0) | _trait
cdef dict _READ = {
    "id": ID, "class": CLASS, "role": ROLE, "itemprop": ITEM, "style": STYLE, "hidden": HIDES,
    "aria-hidden": ARIA,
}
cdef object _find_word = re.compile(r"\w").search
cdef object _find_hiding = re.compile(
    r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE
).search


def flatten(_Element root, str host, tuple aside=(b"", b"")):
    """The columns of a parsed page, see `templ_core.dom.document`.

    Args:
        root: The root element of a page.
        host: The page's host in lower case.
        aside: Attributes set aside, as `lean_page` returns them.

    Returns:
        Element types, the columns of nodes as rows, texts, the columns of segments as rows, the number
        of scripts, and the title. None = attributes were set aside on lines where no element of
        this page begins.
    """
    cdef Flattener flattener = Flattener(host, aside)
    flattener.walk(root._c_node)
    if flattener.place != flattener.places_end:
        return None
    return flattener.columns()


cdef class Flattener:
    cdef bytes host
    cdef tuple aside
    cdef const Place *place         # of the next attributes set aside
    cdef const Place *places_end
    cdef Said *said                 # by their numbers
    cdef const uint16_t[::1] classes
    cdef Interner tags, element_types
    cdef Names tag_numbers, attribute_numbers
    cdef list tag_names, texts
    cdef str title
    cdef int *traits                # of each tag
    cdef int *plain                 # element_type of each tag without attributes; -1 = not seen
    cdef Text key
    cdef Run run
    cdef Open *open
    cdef int is_open, most_open, invisible, visible, open_links, open_verbatim
    cdef int block                  # the innermost one; -1 without one
    cdef Node *node
    cdef Segment *segment
    cdef int nodes, most_nodes, segments, most_segments, scripts
    cdef int run_start
    cdef Link link                  # of the segment
    cdef bint after_break

    def __cinit__(self, str host, tuple aside):
        interner_begin(&self.tags)
        interner_begin(&self.element_types)
        self.host = host.encode()
        self.classes = letter_tables()[0]
        self.tag_names, self.texts = [], []
        self.title = ""
        self.block = -1
        self.aside = aside
        self.place = <const Place *>PyBytes_AsString(aside[0])
        self.places_end = self.place + PyBytes_Size(aside[0]) // sizeof(Place)
        self.read_aside(aside[1])

    def __dealloc__(self):
        interner_end(&self.tags)
        interner_end(&self.element_types)
        free(self.said)
        free(self.traits)
        free(self.plain)
        free(self.key.bytes)
        free(self.run.text.bytes)
        free(self.open)
        free(self.node)
        free(self.segment)

    cdef int read_aside(self, bytes sayings) except -1:
        cdef const char *at = PyBytes_AsString(sayings)
        cdef const char *end = at + PyBytes_Size(sayings)
        cdef Said *one
        cdef int count = 0, most = 0, attribute
        while at < end:
            if count == most:
                most = 2 * most + 128
                self.said = <Said *>resized(self.said, most * sizeof(Said))
            one = &self.said[count]
            count += 1
            one.hidden, one.leads, one.tag = False, HERE, -1
            for attribute in range(ID, ITEM + 1):
                one.values[attribute] = ""
            while at[0]:
                attribute = at[0]
                at += 1
                if attribute == STYLE:
                    one.hidden |= _hides(at)
                elif attribute == HIDES:
                    one.hidden = True
                elif attribute == HREF:
                    one.leads = self.where(at)
                else:
                    one.values[attribute] = at
                at += strlen(at) + 1
            at += 1
        return 0

    cdef walk(self, xmlNode *root):
        cdef xmlNode *node = root
        while True:
            if node.type == XML_ELEMENT_NODE:
                self.enter(node)
                if node.children != NULL:
                    node = node.children
                    continue
                self.leave()
            elif is_text(node):
                self.add(<const char *>node.content)
            while node != root and node.next == NULL:
                node = node.parent
                self.leave()
            if node == root:
                break
            node = node.next
        node = root.next
        while node != NULL and is_text(node):
            self.add(<const char *>node.content)
            node = node.next
        self.flush()

    cdef int enter(self, xmlNode *element) except -1:
        cdef int tag = self.tag_number(<const char *>element.name)
        cdef int traits = self.traits[tag]
        if self.is_open == self.most_open:
            self.most_open = 2 * self.most_open + 64
            self.open = <Open *>resized(self.open, self.most_open * sizeof(Open))
        cdef Open *this = &self.open[self.is_open]
        cdef Said *said = NULL
        if self.place != self.places_end and element.line == self.place.line:
            said = &self.said[self.place.number]
            self.place += 1
        self.is_open += 1
        self.scripts += (traits & IS_SCRIPT) != 0
        this.traits, this.node, this.outer_block = traits, -1, self.block
        if traits & (IS_TITLE | IS_META) and not self.title:
            self.read_title(element, traits)
        if self.invisible or traits & IS_INVISIBLE:
            if not self.invisible:
                self.flush()
            self.invisible += 1
            return 0
        if not traits & IS_INLINE:
            self.flush()
        this.node = self.nodes
        if said == NULL:
            self.open_node(element, tag)
        else:
            if said.tag != tag:
                said.tag, said.element_type = tag, self.type_of(tag, said.values)
            self.add_node(said.element_type, said.hidden)
        if not traits & IS_INLINE:
            self.block = this.node
            self.run_start = self.nodes
            self.open_verbatim += (traits & IS_VERBATIM) != 0
        elif traits & IS_LINK:
            self.open_link(said.leads if said != NULL else self.where(attribute_of(element, "href")))
        elif traits & IS_BREAK:
            self.break_line()
        elif traits & IS_IMAGE and self.block >= 0:
            self.node[self.block].images += 1
        return 0

    cdef int open_node(self, xmlNode *element, int tag) except -1:
        cdef const char *values[ITEM + 1]
        cdef int place
        cdef bint hidden = False
        cdef xmlAttr *attribute = element.properties
        for place in range(ID, ITEM + 1):
            values[place] = ""
        while attribute != NULL:
            if attribute.ns == NULL:
                place = self.attribute_number(<const char *>attribute.name)
                if place == STYLE:
                    hidden |= _hides(value_of(attribute))
                elif place == HIDES:
                    hidden = True
                elif place == ARIA:
                    hidden |= strcmp(value_of(attribute), "true") == 0
                elif place != OTHER:
                    values[place] = value_of(attribute)
            attribute = attribute.next
        return self.add_node(self.type_of(tag, values), hidden)

    cdef int add_node(self, int element_type, bint hidden) except -1:
        if self.nodes == self.most_nodes:
            self.most_nodes = 2 * self.most_nodes + 1024
            self.node = <Node *>resized(self.node, self.most_nodes * sizeof(Node))
        self.node[self.nodes] = Node(
            element_type,
            self.visible,
            self.open[self.is_open - 2].node if self.visible else -1,
            0,
            hidden,
            0,
        )
        self.visible += 1
        self.nodes += 1
        return 0

    cdef int type_of(self, int tag, const char **values) except -1:
        cdef int place
        if not (values[ID][0] or values[CLASS][0] or values[ROLE][0] or values[ITEM][0]):
            if self.plain[tag] < 0:
                self.plain[tag] = interner_number(&self.element_types, <const char *>&tag, sizeof(tag))
            return self.plain[tag]
        self.key.size = 0
        put(&self.key, <const char *>&tag, sizeof(tag))
        for place in range(ID, ITEM + 1):
            put(&self.key, values[place], strlen(values[place]))
            put(&self.key, "\n", 1)
        return interner_number(&self.element_types, self.key.bytes, self.key.size)

    cdef int attribute_number(self, const char *name) except -1:
        cdef int slot = slot_of_name(name)
        if self.attribute_numbers.address[slot] != name:
            text = PyUnicode_DecodeUTF8(name, strlen(name), NULL)
            self.attribute_numbers.number[slot] = _READ.get(text, OTHER)
            self.attribute_numbers.address[slot] = name
        return self.attribute_numbers.number[slot]

    cdef int tag_number(self, const char *name) except -1:
        cdef int slot = slot_of_name(name)
        if self.tag_numbers.address[slot] != name:
            self.tag_numbers.number[slot] = self.new_tag_number(name)
            self.tag_numbers.address[slot] = name
        return self.tag_numbers.number[slot]

    cdef int new_tag_number(self, const char *name) except -1:
        cdef int tag = interner_number(&self.tags, name, strlen(name))
        cdef str text
        if tag == len(self.tag_names):
            text = PyUnicode_DecodeUTF8(name, strlen(name), NULL)
            self.tag_names.append(text)
            self.traits = <int *>resized(self.traits, self.tags.most * sizeof(int))
            self.traits[tag] = _TRAITS.get(text, 0)
            self.plain = <int *>resized(self.plain, self.tags.most * sizeof(int))
            self.plain[tag] = -1
        return tag

    cdef read_title(self, xmlNode *element, int traits):
        """Take the text of a `title` or of `og:title` for the title, if it is not blank."""
        cdef Text found = Text(NULL, 0, 0)
        try:
            if traits & IS_TITLE:
                put_text(&found, element)
            elif strcmp(attribute_of(element, "property"), "og:title") == 0:
                put(&found, attribute_of(element, "content"), strlen(attribute_of(element, "content")))
            if found.size:
                text = PyUnicode_DecodeUTF8(found.bytes, found.size, NULL)
                self.title = " ".join(text.split())
        finally:
            free(found.bytes)

    cdef void open_link(self, int leads) noexcept:
        self.open_links += 1
        self.link.links += 1
        self.link.external += leads == ELSEWHERE
        self.link.on_page += leads == ON_PAGE

    cdef int where(self, const char *href) except -1:
        """Where an address leads."""
        if not (strncmp(href, "http:", 5) and strncmp(href, "https:", 6) and strncmp(href, "//", 2)):
            return ELSEWHERE if is_elsewhere(href, self.host) else HERE
        return ON_PAGE if href[0] == c"#" or not strncmp(href, "javascript:", 11) else HERE

    cdef int leave(self) except -1:
        self.is_open -= 1
        cdef Open *this = &self.open[self.is_open]
        if this.node < 0:
            self.invisible -= 1
            return 0
        self.visible -= 1
        self.node[this.node].end = self.nodes
        if not this.traits & IS_INLINE:
            self.flush()
            self.block = this.outer_block
            self.open_verbatim -= (this.traits & IS_VERBATIM) != 0
        elif this.traits & IS_LINK:
            self.open_links -= 1
        elif this.traits & SPACES:
            self.add(" ")
        return 0

    cdef int add(self, const char *text) except -1:
        cdef int solid
        if self.invisible or text == NULL or not text[0]:
            return 0
        if self.open_verbatim:
            solid = add_verbatim(
                &self.run, <const unsigned char *>text, strlen(text), &self.classes[0]
            )
        else:
            solid = add_collapsed(
                &self.run, <const unsigned char *>text, strlen(text), &self.classes[0]
            )
        if solid:
            self.after_break = False
            if self.open_links:
                self.link.chars += solid
        return 0

    cdef int break_line(self) except -1:
        if self.after_break and not self.open_verbatim:
            self.flush()
            return 0
        if self.open_verbatim:
            put(&self.run.text, "\n", 1)
        else:
            run_break(&self.run)
        self.after_break = True
        return 0

    cdef int flush(self) except -1:
        """End the current segment, if it holds a word."""
        text = self.run_text()
        if text is not None:
            if self.segments == self.most_segments:
                self.most_segments = 2 * self.most_segments + 512
                self.segment = <Segment *>resized(
                    self.segment, self.most_segments * sizeof(Segment)
                )
            self.texts.append(text)
            self.segment[self.segments] = Segment(
                max(self.block, 0), self.run_start, self.nodes, self.link
            )
            self.segments += 1
        run_begin(&self.run)
        self.link = Link(self.open_links, 0, 0, 0)
        self.run_start = self.nodes
        self.after_break = False
        return 0

    cdef run_text(self):
        """The text of the current segment; None = it holds no word."""
        cdef Run *run = &self.run
        if not run.text.size or not (self.open_verbatim or run.beyond or run.classes & WORD):
            return None
        text = PyUnicode_DecodeUTF8(run.text.bytes, run.text.size, NULL)
        if self.open_verbatim:
            text = text.strip("\r\n")
        elif run.classes & WORD:
            return text
        return text if _find_word(text) is not None else None

    cdef columns(self):
        cdef int row, place
        cdef int[:, ::1] node, segment
        nodes = np.empty((NODE_ROWS, self.nodes), np.int32)
        segments = np.empty((SEGMENT_ROWS, self.segments), np.int32)
        node, segment = nodes, segments
        for row in range(NODE_ROWS):
            for place in range(self.nodes):
                node[row, place] = (<int *>&self.node[place])[row]
        for row in range(SEGMENT_ROWS):
            for place in range(self.segments):
                segment[row, place] = (<int *>&self.segment[place])[row]
        return self.element_type_names(), nodes, self.texts, segments, self.scripts, self.title

    cdef list element_type_names(self):
        """Tag and attributes of each element_type."""
        cdef list element_types = []
        cdef Py_ssize_t start = 0
        cdef int tag, number
        cdef const char *bytes = self.element_types.text.bytes
        for number in range(self.element_types.count):
            memcpy(&tag, bytes + start, sizeof(tag))
            start += sizeof(tag)
            attributes = PyUnicode_DecodeUTF8(bytes + start, self.element_types.ends[number] - start, NULL)
            element_types.append((self.tag_names[tag], attributes))
            start = self.element_types.ends[number]
        return element_types


cdef bint _hides(const char *style) except -1:
    """Whether a style hides its element; most styles name neither property."""
    if strstr(style, "isp") == NULL and strstr(style, "isi") == NULL and is_plain(style):
        return False
    return _find_hiding(style[: strlen(style)].decode()) is not None
