"""The parser's tree as columns, made in one walk that reads fields of its nodes only."""

from cpython.bytes cimport PyBytes_AsString, PyBytes_Size
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport uint16_t
from libc.stdlib cimport free
from libc.string cimport strcmp, strlen, strstr
from lxml.includes.etreepublic cimport _Element
from lxml.includes.tree cimport XML_ELEMENT_NODE, xmlAttr, xmlNode

from templ_core._arrays cimport items
from templ_core._byte_string cimport Text, put, resized
from templ_core._interner cimport Interner, interner_begin, interner_end, interner_number
from templ_core._letters cimport WORD, letters_agree
from templ_core.dom.parse._addresses cimport OTHER_SITE, SAME_PAGE, link_target
from templ_core.dom.parse._attribute_table cimport (
    ARIA_HIDDEN, CLASS, HIDDEN, HREF, ID, ITEMPROP, OTHER, ROLE, Row, STYLE,
)
from templ_core.dom.parse._columns cimport (
    Node, NodeRows, Segment, SegmentRows, add_node, add_segment, named_columns,
)
from templ_core.dom.parse._element_attributes cimport (
    ElementAttributes, Entries, no_attributes, read_entries,
)
from templ_core.dom.parse._element_types cimport (
    ElementTypes, element_type_names, element_type_of, element_types_begin, element_types_end,
)
from templ_core.dom.parse._marks cimport Mark, Marks, close_mark, end_marks, marks_end, open_mark
from templ_core.dom.parse._nodes cimport (
    NameNumbers, is_ascii_lower, is_text, slot_of_name, title_of, value_of,
)
from templ_core.dom.parse._runs cimport Run, add_collapsed, add_verbatim, run_begin, run_break

import re

import numpy as np

from templ_core import letters
from templ_core.dom.parse.page_columns import AttributeTableMismatch, PageColumns
from templ_core.dom.references import without_references
from templ_core.dom.tags import INLINE, INVISIBLE, MARKED, SPACE_AFTER

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
    IS_MARKED = 1024

cdef struct Open:               # an element whose end has not been reached
    int traits
    int node                    # its row; -1 = invisible
    int outer_block             # row of the block around it; -1 = none

cdef dict _TRAITS = {
    "a": IS_LINK, "br": IS_BREAK, "img": IS_IMAGE, "pre": IS_VERBATIM, "script": IS_SCRIPT,
    "title": IS_TITLE, "meta": IS_META,
}
for _tags, _trait in (
    (INLINE, IS_INLINE), (INVISIBLE, IS_INVISIBLE), (SPACE_AFTER, SPACES), (MARKED, IS_MARKED),
):
    _TRAITS.update({_tag: _TRAITS.get(_tag, 0) | _trait for _tag in _tags})
cdef dict _ATTRIBUTES = {
    "id": ID, "class": CLASS, "role": ROLE, "itemprop": ITEMPROP, "style": STYLE, "href": HREF,
    "hidden": HIDDEN, "aria-hidden": ARIA_HIDDEN,
}
cdef object _find_word = re.compile(r"\w").search
cdef object _find_hiding = re.compile(r"(?i:display\s*:\s*none|visibility\s*:\s*hidden)").search


cdef Node _any_node
cdef Segment _any_segment
cdef Mark _any_mark
_NODE_COLUMNS = tuple(<dict>_any_node)
_SEGMENT_COLUMNS = tuple(<dict>_any_segment)
_MARK_COLUMNS = tuple(<dict>_any_mark)
assert letters_agree(vars(letters))
assert sizeof(Node) == len(_NODE_COLUMNS) * sizeof(int)
assert sizeof(Segment) == len(_SEGMENT_COLUMNS) * sizeof(int)
assert sizeof(Mark) == len(_MARK_COLUMNS) * sizeof(int)


def flatten(_Element root, str host, tuple attribute_table=(b"", b""), bint with_marks=False):
    """Return the columns of a parsed page.

    Args:
        root: The root element of the page; None for a page without any.
        host: The page's host in lower case; empty if it is not known.
        attribute_table: The table that `strip_markup` returned with the markup.
        with_marks: Whether links, images and emphasis are marked, which needs their attributes.

    Returns:
        A `PageColumns`.

    Raises:
        AttributeTableMismatch: The parser counted other lines than the table.
    """
    cdef Flattener flattener = Flattener(host, attribute_table)
    flattener.unmarked = 0 if with_marks else IS_MARKED
    if root is not None:
        flattener.walk(root._c_node)
    if flattener.row != flattener.rows_end:
        raise AttributeTableMismatch
    return flattener.columns()


cdef class Flattener:
    cdef bytes host
    cdef tuple attribute_table      # owns the bytes that `row` and `entries` point into
    cdef const Row *row             # of the next element whose attributes are in the table
    cdef const Row *rows_end
    cdef Entries entries
    cdef ElementAttributes none     # of elements without attributes
    cdef ElementAttributes own      # of the element being entered, as the parser read them
    cdef const uint16_t *classes
    cdef Interner tags
    cdef ElementTypes element_types
    cdef NameNumbers tag_numbers, attribute_numbers
    cdef list tag_names, texts, values
    cdef Marks marks
    cdef int unmarked               # IS_MARKED if nothing is to be marked
    cdef str title
    cdef int *traits                # of each tag
    cdef Run run
    cdef Open *open
    cdef int is_open, most_open, invisible, visible, open_links, open_verbatim
    cdef int block                  # row of the innermost open block; -1 = none
    cdef NodeRows nodes
    cdef SegmentRows segments
    cdef Segment segment            # the one whose text `run` holds
    cdef int scripts
    cdef bint after_break

    def __cinit__(self, str host, tuple attribute_table):
        interner_begin(&self.tags)
        element_types_begin(&self.element_types)
        self.host = host.encode()
        self.classes = <const uint16_t *>items(letters.letter_tables()[0], 2)
        self.tag_names, self.texts, self.values = [], [], []
        self.title = ""
        self.block = -1
        no_attributes(&self.none)
        self.attribute_table = attribute_table
        self.row = <const Row *>PyBytes_AsString(attribute_table[0])
        self.rows_end = self.row + PyBytes_Size(attribute_table[0]) // sizeof(Row)
        cdef bytes entries = attribute_table[1]
        read_entries(&self.entries, PyBytes_AsString(entries), PyBytes_Size(entries))
        cdef int number
        for number in range(self.entries.count):
            self.interpret(&self.entries.items[number])

    def __dealloc__(self):
        interner_end(&self.tags)
        element_types_end(&self.element_types)
        free(self.entries.items)
        free(self.traits)
        free(self.run.text.bytes)
        free(self.open)
        free(self.nodes.rows)
        free(self.segments.rows)
        marks_end(&self.marks)

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
        cdef int traits = self.traits[tag] & ~self.unmarked
        if self.is_open == self.most_open:
            self.most_open = 2 * self.most_open + 64
            self.open = <Open *>resized(self.open, self.most_open * sizeof(Open))
        cdef Open *this = &self.open[self.is_open]
        cdef ElementAttributes *attributes = NULL
        if self.row != self.rows_end and element.line == self.row.line:
            attributes = &self.entries.items[self.row.entry]
            self.row += 1
        self.is_open += 1
        self.scripts += (traits & IS_SCRIPT) != 0
        this.traits, this.node, this.outer_block = traits, -1, self.block
        if traits & (IS_TITLE | IS_META) and not self.title:
            self.title = title_of(element, traits & IS_TITLE)
        if self.invisible or traits & IS_INVISIBLE:
            if not self.invisible:
                self.flush()
            self.invisible += 1
            return 0
        if not traits & IS_INLINE:
            self.flush()
        if attributes == NULL and element.properties == NULL:
            attributes = &self.none
        elif attributes == NULL:
            attributes = &self.own
            self.read_attributes(element)
        if attributes.tag != tag:
            attributes.tag = tag
            attributes.element_type = element_type_of(&self.element_types, tag, attributes.values)
        cdef int parent = self.open[self.is_open - 2].node if self.visible else -1
        this.node = add_node(
            &self.nodes,
            Node(attributes.element_type, self.visible, parent, 0, attributes.hidden, 0),
        )
        self.visible += 1
        if not traits & IS_INLINE:
            self.block = this.node
            self.segment.inline_from = self.nodes.count
            self.open_verbatim += (traits & IS_VERBATIM) != 0
        elif traits & IS_LINK:
            self.open_links += 1
            self.segment.links += 1
            self.segment.external_links += attributes.link_target == OTHER_SITE
            self.segment.page_links += attributes.link_target == SAME_PAGE
        elif traits & IS_BREAK:
            self.break_line()
        elif traits & IS_IMAGE and self.block >= 0:
            self.nodes.rows[self.block].images += 1
        if traits & IS_MARKED:
            open_mark(
                &self.marks, self.values, element, attributes.values, this.node,
                self.run.text.size, traits & IS_IMAGE, without_references,
            )
        return 0

    cdef int read_attributes(self, xmlNode *element) except -1:
        """Read the attributes that the parser read of an element into `own`."""
        cdef xmlAttr *attribute = element.properties
        no_attributes(&self.own)
        while attribute != NULL:
            if attribute.ns == NULL:
                self.own.values[self.attribute_number(<const char *>attribute.name)] = (
                    value_of(attribute)
                )
            attribute = attribute.next
        return self.interpret(&self.own)

    cdef int interpret(self, ElementAttributes *attributes) except -1:
        """Find out whether the attributes hide their element, and where they lead."""
        cdef const char **values = attributes.values
        attributes.hidden = (
            values[HIDDEN] != NULL
            or (values[ARIA_HIDDEN] != NULL and strcmp(values[ARIA_HIDDEN], "true") == 0)
            or (values[STYLE] != NULL and _hides(values[STYLE]))
        )
        if values[HREF] != NULL:
            attributes.link_target = link_target(values[HREF], self.host)
        return 0

    cdef int attribute_number(self, const char *name) except -1:
        cdef int slot = slot_of_name(name)
        if self.attribute_numbers.address[slot] != name:
            text = PyUnicode_DecodeUTF8(name, strlen(name), NULL)
            self.attribute_numbers.number[slot] = _ATTRIBUTES.get(text, OTHER)
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
        return tag

    cdef int leave(self) except -1:
        self.is_open -= 1
        cdef Open *this = &self.open[self.is_open]
        if this.node < 0:
            self.invisible -= 1
            return 0
        self.visible -= 1
        self.nodes.rows[this.node].end = self.nodes.count
        if this.traits & IS_MARKED:
            close_mark(&self.marks, self.run.text.size)
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
        cdef const unsigned char *bytes = <const unsigned char *>text
        cdef int solid
        if self.invisible or text == NULL or not text[0]:
            return 0
        if self.open_verbatim:
            solid = add_verbatim(&self.run, bytes, strlen(text), self.classes)
        else:
            solid = add_collapsed(&self.run, bytes, strlen(text), self.classes)
        if solid:
            self.after_break = False
            if self.open_links:
                self.segment.link_chars += solid
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
        """End the current segment; keep it if it holds a word."""
        text = self.run_text()
        if text is not None:
            self.texts.append(text)
            self.segment.owner = max(self.block, 0)
            self.segment.inline_to = self.nodes.count
            add_segment(&self.segments, self.segment)
        if self.marks.count > self.marks.first or self.marks.open_count:
            self.end_marks(text)
        run_begin(&self.run)
        self.segment = Segment(0, self.nodes.count, 0, self.open_links, 0, 0, 0)
        self.after_break = False
        return 0

    cdef int end_marks(self, text) except -1:
        cdef int shift = 0
        cdef Text *run = &self.run.text
        if text is None:
            return end_marks(&self.marks, self.segments.count, 0, -1)
        while self.open_verbatim and shift < run.size and run.bytes[shift] in b"\r\n":
            shift += 1
        return end_marks(&self.marks, self.segments.count - 1, shift, run.size - shift)

    cdef run_text(self):
        """Return the text of the current segment; None if it holds no word."""
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
        return PageColumns(
            element_type_names(&self.element_types, self.tag_names),
            _columns(<const int *>self.nodes.rows, self.nodes.count, _NODE_COLUMNS),
            self.texts,
            _columns(<const int *>self.segments.rows, self.segments.count, _SEGMENT_COLUMNS),
            self.scripts,
            self.title,
            _columns(<const int *>self.marks.rows, self.marks.count, _MARK_COLUMNS),
            self.values,
        )


cdef dict _columns(const int *rows, int count, tuple names):
    return named_columns(rows, count, names, np.empty((len(names), count), np.int32))


cdef bint _hides(const char *style) except -1:
    """Return whether a style hides its element; most styles name neither property."""
    if strstr(style, "isp") == NULL and strstr(style, "isi") == NULL and is_ascii_lower(style):
        return False
    return _find_hiding(style[: strlen(style)].decode()) is not None
