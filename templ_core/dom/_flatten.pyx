"""The parser's tree to columns, in one walk that only reads fields of its nodes."""

from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport uint16_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, strchr, strcmp, strlen, strncmp, strstr
from lxml.includes.etreepublic cimport _Element
from lxml.includes.tree cimport (
    XML_CDATA_SECTION_NODE,
    XML_ELEMENT_NODE,
    XML_TEXT_NODE,
    xmlAttr,
    xmlNode,
)

from templ_core._letters cimport KNOWN, SPACE, WORD
from templ_core.dom._interner cimport Interner, interner_begin, interner_end, interner_number
from templ_core.dom._text cimport Text, put, reserve, resized
from templ_core.dom._utf8 cimport next_point

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

cdef enum:
    KIND, DEPTH, PARENT, END, HIDDEN, IMAGES, NODE_ROWS

cdef enum:
    OWNER, INLINE_FROM, INLINE_TO, LINKS, LINK_CHARS, EXTERNAL, ON_PAGE, SEGMENT_ROWS

cdef enum:
    LINE_BREAK = 0x0B

cdef struct Open:
    int traits
    int node                # -1 = invisible
    int outer_block

cdef struct Link:
    int links, chars, external, on_page

cdef dict _SPECIAL = {
    "a": IS_LINK, "br": IS_BREAK, "img": IS_IMAGE, "pre": IS_VERBATIM, "script": IS_SCRIPT
}
cdef object _find_word = re.compile(r"\w").search
cdef object _find_hiding = re.compile(
    r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE
).search


def flatten(_Element root, str host):
    """The columns of a parsed page, see `templ_core.dom.document`.

    Args:
        root: The root element of a page.
        host: The page's host in lower case.

    Returns:
        Kinds, the columns of nodes as rows, texts, the columns of segments as rows, and the number
        of scripts.
    """
    cdef Flattener flattener = Flattener(host)
    flattener.make_room(root._c_node)
    flattener.walk(root._c_node)
    return flattener.columns()


cdef class Flattener:
    cdef bytes host
    cdef const uint16_t[::1] classes
    cdef Interner tags, kinds
    cdef list tag_names, texts
    cdef int *traits                # of each tag
    cdef Text key, run, text        # of an element; of a segment, raw and collapsed
    cdef Open *open
    cdef int is_open, invisible, visible, open_links, open_verbatim
    cdef int block                  # the innermost one; -1 without one
    cdef object node_rows, segment_rows
    cdef int[:, ::1] node, segment
    cdef int nodes, segments, scripts
    cdef int run_start
    cdef Link link                  # of the segment
    cdef bint after_break

    def __cinit__(self, str host):
        interner_begin(&self.tags)
        interner_begin(&self.kinds)
        self.host = host.encode()
        self.classes = letter_tables()[0]
        self.tag_names, self.texts = [], []
        self.block = -1

    def __dealloc__(self):
        interner_end(&self.tags)
        interner_end(&self.kinds)
        free(self.traits)
        free(self.key.bytes)
        free(self.run.bytes)
        free(self.text.bytes)
        free(self.open)

    cdef make_room(self, xmlNode *root):
        cdef xmlNode *node = root
        cdef int elements = 0, depth = 1, deepest = 1
        while True:
            if node.type == XML_ELEMENT_NODE:
                elements += 1
                if node.children != NULL:
                    node = node.children
                    depth += 1
                    deepest = max(deepest, depth)
                    continue
            while node != root and node.next == NULL:
                node = node.parent
                depth -= 1
            if node == root:
                break
            node = node.next
        self.open = <Open *>malloc(deepest * sizeof(Open))
        if self.open == NULL:
            raise MemoryError
        self.node_rows = np.empty((NODE_ROWS, elements), np.int32)
        self.segment_rows = np.empty((SEGMENT_ROWS, 2 * elements + 1), np.int32)
        self.node, self.segment = self.node_rows, self.segment_rows

    cdef walk(self, xmlNode *root):
        cdef xmlNode *node = root
        while True:
            if node.type == XML_ELEMENT_NODE:
                self.enter(node)
                if node.children != NULL:
                    node = node.children
                    continue
                self.leave()
            elif _is_text(node):
                self.add(<const char *>node.content)
            while node != root and node.next == NULL:
                node = node.parent
                self.leave()
            if node == root:
                break
            node = node.next
        node = root.next
        while node != NULL and _is_text(node):
            self.add(<const char *>node.content)
            node = node.next
        self.flush()

    cdef int enter(self, xmlNode *element) except -1:
        cdef int tag = self.tag_number(<const char *>element.name)
        cdef int traits = self.traits[tag]
        cdef Open *this = &self.open[self.is_open]
        self.is_open += 1
        self.scripts += (traits & IS_SCRIPT) != 0
        this.traits, this.node, this.outer_block = traits, -1, self.block
        if self.invisible or traits & IS_INVISIBLE:
            if not self.invisible:
                self.flush()
            self.invisible += 1
            return 0
        if not traits & IS_INLINE:
            self.flush()
        this.node = self.nodes
        self.open_node(element, tag)
        if not traits & IS_INLINE:
            self.block = this.node
            self.run_start = self.nodes
            self.open_verbatim += (traits & IS_VERBATIM) != 0
        elif traits & IS_LINK:
            self.open_link(_attribute(element, "href"))
        elif traits & IS_BREAK:
            self.break_line()
        elif traits & IS_IMAGE and self.block >= 0:
            self.node[IMAGES, self.block] += 1
        return 0

    cdef int open_node(self, xmlNode *element, int tag) except -1:
        cdef int node = self.nodes
        cdef const char *id = ""
        cdef const char *classes = ""
        cdef const char *role = ""
        cdef const char *item = ""
        cdef const char *value
        cdef bint hidden = False
        cdef xmlAttr *attribute = element.properties
        while attribute != NULL:
            value = _value(attribute)
            if _is(attribute, "class"):
                classes = value
            elif _is(attribute, "id"):
                id = value
            elif _is(attribute, "role"):
                role = value
            elif _is(attribute, "itemprop"):
                item = value
            elif _is(attribute, "style"):
                hidden |= _hides(value)
            elif _is(attribute, "hidden"):
                hidden = True
            elif _is(attribute, "aria-hidden"):
                hidden |= strcmp(value, "true") == 0
            attribute = attribute.next
        self.key.size = 0
        put(&self.key, <const char *>&tag, sizeof(tag))
        if id[0] or classes[0] or role[0] or item[0]:
            for value in (id, classes, role, item):
                put(&self.key, value, strlen(value))
                put(&self.key, "\n", 1)
        self.node[KIND, node] = interner_number(&self.kinds, self.key.bytes, self.key.size)
        self.node[DEPTH, node] = self.visible
        self.node[PARENT, node] = self.open[self.is_open - 2].node if self.visible else -1
        self.node[HIDDEN, node] = hidden
        self.node[IMAGES, node] = 0
        self.visible += 1
        self.nodes += 1
        return 0

    cdef int tag_number(self, const char *name) except -1:
        cdef int tag = interner_number(&self.tags, name, strlen(name))
        cdef str text
        if tag == len(self.tag_names):
            text = PyUnicode_DecodeUTF8(name, strlen(name), NULL)
            self.tag_names.append(text)
            self.traits = <int *>resized(self.traits, self.tags.most * sizeof(int))
            self.traits[tag] = _SPECIAL.get(text, 0) | (
                (IS_INLINE if text in INLINE else 0)
                | (IS_INVISIBLE if text in INVISIBLE else 0)
                | (SPACES if text in SPACE_AFTER else 0)
            )
        return tag

    cdef int open_link(self, const char *href) except -1:
        self.open_links += 1
        self.link.links += 1
        if not (strncmp(href, "http:", 5) and strncmp(href, "https:", 6) and strncmp(href, "//", 2)):
            self.link.external += self.is_elsewhere(href)
        elif href[0] == c"#" or not strncmp(href, "javascript:", 11):
            self.link.on_page += 1
        return 0

    cdef bint is_elsewhere(self, const char *href) except -1:
        """Whether an address names another host."""
        cdef const char *start = strstr(href, "//")
        cdef const char *host = self.host
        cdef Py_ssize_t size = 0, place
        if start != NULL:
            start += 2
            size = strlen(start) if strchr(start, c"/") == NULL else strchr(start, c"/") - start
        for place in range(size):
            if start[place] & 0x80:
                return start[:size].decode().lower().encode() != self.host
        if size != len(self.host):
            return True
        for place in range(size):
            if _small(start[place]) != host[place]:
                return True
        return False

    cdef int leave(self) except -1:
        self.is_open -= 1
        cdef Open *this = &self.open[self.is_open]
        if this.node < 0:
            self.invisible -= 1
            return 0
        self.visible -= 1
        self.node[END, this.node] = self.nodes
        if not this.traits & IS_INLINE:
            self.flush()
            self.block = this.outer_block
            self.open_verbatim -= (this.traits & IS_VERBATIM) != 0
        elif this.traits & IS_LINK:
            self.open_links -= 1
        elif this.traits & SPACES:
            put(&self.run, " ", 1)
        return 0

    cdef int add(self, const char *text) except -1:
        cdef const unsigned char *at = <const unsigned char *>text
        cdef int solid = 0
        if self.invisible or text == NULL or not text[0]:
            return 0
        put(&self.run, text, strlen(text))
        if self.open_links or self.after_break:
            while at[0]:
                solid += not self.class_of(next_point(&at)) & SPACE
            if self.open_links:
                self.link.chars += solid
            if solid:
                self.after_break = False
        return 0

    cdef inline int class_of(self, unsigned int point) noexcept:
        return self.classes[point] if point < KNOWN else 0

    cdef int break_line(self) except -1:
        cdef char mark = c"\n" if self.open_verbatim else LINE_BREAK
        if self.after_break and not self.open_verbatim:
            self.flush()
        else:
            put(&self.run, &mark, 1)
            self.after_break = True
        return 0

    cdef int flush(self) except -1:
        """End the current segment, if it holds a word."""
        if self.run.size:
            text = self.verbatim() if self.open_verbatim else self.collapsed()
            if text is not None:
                self.texts.append(text)
                self.segment[OWNER, self.segments] = max(self.block, 0)
                self.segment[INLINE_FROM, self.segments] = self.run_start
                self.segment[INLINE_TO, self.segments] = self.nodes
                self.segment[LINKS, self.segments] = self.link.links
                self.segment[LINK_CHARS, self.segments] = self.link.chars
                self.segment[EXTERNAL, self.segments] = self.link.external
                self.segment[ON_PAGE, self.segments] = self.link.on_page
                self.segments += 1
            self.run.size = 0
        self.link = Link(self.open_links, 0, 0, 0)
        self.run_start = self.nodes
        self.after_break = False
        return 0

    cdef collapsed(self):
        """The run with white space as one blank and line breaks as line feeds; None = no word."""
        self.text.size = 0
        reserve(&self.text, self.run.size)
        cdef const unsigned char *at = <const unsigned char *>self.run.bytes
        cdef const unsigned char *end = at + self.run.size
        cdef const unsigned char *start
        cdef char *out = self.text.bytes
        cdef unsigned int point
        cdef int classes, word = 0, beyond = 0
        cdef char blank = 0
        while at < end:
            start = at
            point = next_point(&at)
            classes = self.class_of(point)
            if point == LINE_BREAK:
                blank = c"\n"
            elif classes & SPACE:
                if not blank:
                    blank = c" "
            else:
                if blank and out != self.text.bytes:
                    out[0] = blank
                    out += 1
                blank = 0
                word |= classes & WORD
                beyond |= point >= KNOWN
                out[0] = start[0]
                out += 1
                start += 1
                while start < at:
                    out[0] = start[0]
                    out += 1
                    start += 1
        if not (word or beyond):
            return None
        text = PyUnicode_DecodeUTF8(self.text.bytes, out - self.text.bytes, NULL)
        return text if word else _with_word(text)

    cdef verbatim(self):
        return _with_word(PyUnicode_DecodeUTF8(self.run.bytes, self.run.size, NULL).strip("\r\n"))

    cdef columns(self):
        nodes = self.node_rows[:, : self.nodes].copy()
        segments = self.segment_rows[:, : self.segments].copy()
        return self.kind_names(), nodes, self.texts, segments, self.scripts

    cdef list kind_names(self):
        """Tag and attributes of each kind."""
        cdef list kinds = []
        cdef Py_ssize_t start = 0
        cdef int tag, number
        cdef const char *bytes = self.kinds.text.bytes
        for number in range(self.kinds.count):
            memcpy(&tag, bytes + start, sizeof(tag))
            start += sizeof(tag)
            attributes = PyUnicode_DecodeUTF8(bytes + start, self.kinds.ends[number] - start, NULL)
            kinds.append((self.tag_names[tag], attributes))
            start = self.kinds.ends[number]
        return kinds


cdef inline bint _is_text(xmlNode *node) noexcept:
    return node.type == XML_TEXT_NODE or node.type == XML_CDATA_SECTION_NODE


cdef inline bint _is(xmlAttr *attribute, const char *name) noexcept:
    return attribute.ns == NULL and strcmp(<const char *>attribute.name, name) == 0


cdef inline const char *_value(xmlAttr *attribute) noexcept:
    if attribute.children == NULL or attribute.children.content == NULL:
        return ""
    return <const char *>attribute.children.content


cdef inline const char *_attribute(xmlNode *element, const char *name) noexcept:
    """The value of an attribute, empty without one."""
    cdef xmlAttr *attribute = element.properties
    while attribute != NULL:
        if _is(attribute, name):
            return _value(attribute)
        attribute = attribute.next
    return ""


cdef inline char _small(char letter) noexcept:
    return letter + 32 if c"A" <= letter <= c"Z" else letter


cdef bint _hides(const char *style) except -1:
    """Whether a style hides its element; most styles name neither property."""
    if strstr(style, "isp") == NULL and strstr(style, "isi") == NULL and _is_plain(style):
        return False
    return _find_hiding(style[: strlen(style)].decode()) is not None


cdef bint _is_plain(const char *text) noexcept:
    """Whether the text is ASCII without upper case."""
    while text[0]:
        if text[0] & 0x80 or c"A" <= text[0] <= c"Z":
            return False
        text += 1
    return True


cdef _with_word(str text):
    return text if _find_word(text) is not None else None
