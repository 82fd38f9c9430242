"""The columns of a page, made while libxml2 parses it.

The parser reports start tags, end tags and text; the columns hold what a tree would, so none is made.
That takes three quarters of the time of a tree and a walk over it.
"""

from cpython.bytes cimport PyBytes_AsString, PyBytes_Size
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport uint16_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset, strchr, strcmp, strlen, strncmp, strstr

from templ_core._arrays cimport items
from templ_core._byte_string cimport Text, put, resized
from templ_core._interner cimport Interner, interner_begin, interner_end, interner_number
from templ_core._letters cimport letters_agree
from templ_core.dom.parse._attribute_table cimport (
    ARIA_HIDDEN, ATTRIBUTE_COUNT, CLASS, HIDDEN, HREF, ID, ITEMPROP, OTHER, ROLE, Row, STYLE,
)
from templ_core.dom.parse._libxml2 cimport (
    HTML_PARSE_NODEFDTD, HTML_PARSE_NOERROR, HTML_PARSE_NOWARNING, NameNumbers, NewParser, RTLD_LAZY, ReadMemory,
    WithParser, XML_ERR_NO_MEMORY, XML_PARSE_HUGE, attribute_of, charactersSAXFunc, dlopen, dlsym,
    endElementSAXFunc, htmlParserCtxt, htmlSAXHandler, place_of_attribute, slot_of_name, startElementSAXFunc, value_at,
)
from templ_core.dom.parse._hiding cimport (
    AS_BLOCK, AS_CELL, FADES, IN_LINE, SHRINKS_FONT, STAYS, names_dialog, names_hide, style_display, style_fading, style_hides,
    style_makes_row,
)
from templ_core.dom.parse._segment_text cimport Mark, add_mark, close_mark, open_mark, read_shown
from templ_core.dom.parse._shown_values cimport (
    IS_SHOWN, NUMBERS, NUMBERS_ITEM, NUMBERS_LIST, SHOWS_IMAGE, SHOWS_SOURCE, SPANS,
)
from templ_core.dom.parse._text_reader cimport (
    ADDS_BRACKET, HOLDS_PHRASES, IS_BREAK, IS_HEADING, IS_IMAGE, IS_INLINE, IS_INVISIBLE, IS_LINK, IS_MARKED, IS_META,
    IS_DIALOG, IS_ITEM, IS_NOSCRIPT, IS_OF_ROW, IS_PART, IS_POWER, IS_READING, IS_SCRIPT, IS_TITLE, IS_UNKNOWN, IS_VERBATIM, NOT_A_BREAK,
    BREAKS_LINE, HIDDEN_FONT, STAYS_KNOWN, Open, SPACES, Segment, TextReader,
)

from collections import namedtuple

import numpy as np
from lxml import etree

from templ_core import letters
from templ_core.dom._references import without_references
from templ_core.dom.config import ScanConfig
from templ_core.dom.tags import (
    BLOCKS, CELLS, EMPTY, HEADING_LEVELS, IMAGES, INLINE, INVISIBLE, MARKED, PHRASES, SPACE_AFTER, STANDS_ALONE,
    WHOLE_PAGE,
)
from templ_core.errors import ParserMismatch

cdef enum:
    NOT_LOOKED_AT = -1
    TOOLTIP_BYTES = 7       # of "tooltip"

cdef enum:
    SAME_SITE, OTHER_SITE, SAME_PAGE    # where the address of a link leads

cdef struct Node:               # fields have the names and meanings of the columns of `Nodes`
    int element_type, depth, parent, end, hidden, images

cdef struct ElementAttributes:  # whether the parser read them or the attribute table carries them
    const char *values[ATTRIBUTE_COUNT]     # by number; NULL = the element has no such attribute
    bint hidden                 # whether they hide the element, or keep it from screen readers
    bint unseen                 # whether they hide it from everybody
    int fading                  # how its style does it, if it does
    int display                 # of an element in a line: whether its style begins a line there, or a cell
    int is_for_screen_readers   # whether only those have its text, or NOT_LOOKED_AT
    bint is_note                # whether it is a note that appears beside its word
    int is_closed_dialog        # whether it is a dialog that nobody has opened, or NOT_LOOKED_AT
    int link_target
    int tag, element_type       # of the last element that had them; -1 = none yet

cdef dict _TRAITS = {
    "a": IS_LINK, "br": IS_BREAK, "img": IS_IMAGE, "pre": IS_VERBATIM, "script": IS_SCRIPT,
    "title": IS_TITLE, "meta": IS_META, "source": SHOWS_SOURCE, "ol": NUMBERS_LIST, "li": NUMBERS_ITEM,
}
for _tags, _trait in (
    (BLOCKS, 0), (INLINE | EMPTY, IS_INLINE), (STANDS_ALONE, IS_PART), (INVISIBLE, IS_INVISIBLE),
    (SPACE_AFTER, SPACES), (MARKED, IS_MARKED), (PHRASES, HOLDS_PHRASES), (HEADING_LEVELS, IS_HEADING),
    (("rt",), IS_READING), (("sup",), IS_POWER), (("noscript",), IS_NOSCRIPT), (("dialog",), IS_DIALOG),
    (IMAGES, SHOWS_IMAGE), (CELLS, SPANS), (CELLS | {"dt"}, IS_OF_ROW), (("li",), IS_ITEM), (WHOLE_PAGE | {"tr", "li"}, STAYS_KNOWN),
):
    _TRAITS.update({_tag: _TRAITS.get(_tag, 0) | _trait for _tag in _tags})
cdef dict _ATTRIBUTES = {
    "id": ID, "class": CLASS, "role": ROLE, "itemprop": ITEMPROP, "style": STYLE, "href": HREF,
    "hidden": HIDDEN, "popover": HIDDEN, "aria-hidden": ARIA_HIDDEN,
}


cdef Node _any_node
cdef Segment _any_segment
cdef Mark _any_mark
_NODE_COLUMNS = tuple(<dict>_any_node)
_SEGMENT_COLUMNS = tuple(<dict>_any_segment)
_MARK_COLUMNS = tuple(<dict>_any_mark)
_SIGN_COLUMNS = ("owner", "inline_from", "before")
PageColumns = namedtuple(
    "PageColumns",
    "element_types nodes texts segments sign_texts signs scripts title language marks mark_values "
    "has_another_root",
)
assert letters_agree(vars(letters))
assert sizeof(Node) == len(_NODE_COLUMNS) * sizeof(int)
assert sizeof(Segment) == len(_SEGMENT_COLUMNS) * sizeof(int)
assert sizeof(Mark) == len(_MARK_COLUMNS) * sizeof(int)


class AttributeTableMismatch(Exception):
    """The attribute table has a row for a line on which no element of the page begins."""


class TooDeep(Exception):
    """More elements are open at once than the parser takes."""


cdef int _DEPTH_MAX = ScanConfig().parser_depth
cdef int _OPTIONS = HTML_PARSE_NODEFDTD | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | XML_PARSE_HUGE
cdef void *_LXML = dlopen(etree.__file__.encode(), RTLD_LAZY)
cdef NewParser new_parser = <NewParser>dlsym(_LXML, "htmlNewSAXParserCtxt")
cdef ReadMemory read_memory = <ReadMemory>dlsym(_LXML, "htmlCtxtReadMemory")
cdef WithParser stop_parser = <WithParser>dlsym(_LXML, "xmlStopParser")
cdef WithParser free_parser = <WithParser>dlsym(_LXML, "htmlFreeParserCtxt")

cdef htmlSAXHandler HANDLER
memset(&HANDLER, 0, sizeof(HANDLER))
HANDLER.startElement = <startElementSAXFunc><void *>begin_element
HANDLER.endElement = <endElementSAXFunc><void *>end_element
HANDLER.characters = HANDLER.cdataBlock = <charactersSAXFunc><void *>add_text


def page_columns(bytes markup, str host, tuple attribute_table=(b"", b""), bint with_marks=False):
    """Parse markup and return its columns.

    Args:
        markup: Markup in UTF-8.
        host: The page's host in lower case; empty if it is not known.
        attribute_table: The table that `strip_markup` returned with the markup.
        with_marks: Whether links, images, emphasis and numbers are marked, which needs their attributes.

    Returns:
        A `PageColumns`. If another document follows the first root element, they are those of the first.

    Raises:
        AttributeTableMismatch: The parser counted other lines than the table.
        ParserMismatch: The installed lxml does not offer its parser.
        TooDeep: More elements are open at once than the parser takes.
    """
    cdef PageReader reader = PageReader(host, attribute_table)
    reader.unmarked = 0 if with_marks else IS_MARKED | IS_SHOWN
    reader.read(markup)
    if reader.row != reader.rows_end and not reader.has_another_root:
        raise AttributeTableMismatch
    return reader.columns()


# What the parser calls. It does not know of errors in Python: after one, `is_stopped` stays set.

cdef int begin_element(PageReader reader, const char *name, const char **attributes) except -1:
    if reader.is_stopped:
        return reader.stop()
    reader.is_stopped = True
    if reader.is_open == _DEPTH_MAX:
        raise TooDeep
    if not reader.is_open and reader.has_root:
        reader.has_another_root = True
        return reader.stop()
    reader.enter(name, attributes)
    reader.is_stopped = False
    return 0


cdef int end_element(PageReader reader, const char *name) except -1:
    if reader.is_stopped or not reader.is_open:
        return 0
    reader.is_stopped = True
    reader.leave()
    reader.is_stopped = False
    return 0


cdef int add_text(PageReader reader, const char *text, int size) except -1:
    if reader.is_stopped or not reader.is_open:
        return 0
    reader.is_stopped = True
    reader.add(text, size)
    reader.is_stopped = False
    return 0


cdef int _pending_error() except? -1:
    """Let an error be raised that occurred while the parser ran."""
    return -1


cdef class PageReader(TextReader):
    cdef bytes host
    cdef tuple attribute_table      # owns the bytes that `row` and `entries` point into
    cdef const Row *row             # of the next element whose attributes are in the table
    cdef const Row *rows_end
    cdef Text entries               # an `ElementAttributes` for each entry of the table
    cdef ElementAttributes none     # of elements without attributes
    cdef ElementAttributes own      # of the element being entered, as the parser read them
    cdef Interner tags
    cdef Interner element_types     # of the tag's number, and the attributes, each ended by a line feed
    cdef Text type_key
    cdef NameNumbers tag_numbers, attribute_numbers
    cdef list tag_names, values
    cdef int source                 # number of the address in the last `source`; -1 = none
    cdef int picture, picture_node  # where the element around it is open, and its row
    cdef int unmarked               # traits that do not count if nothing is to be marked
    cdef str title, language
    cdef int *traits                # of each tag
    cdef Text nodes                 # their rows
    cdef int visible                # open elements that have rows
    cdef int scripts
    cdef htmlParserCtxt *parser
    cdef bint is_stopped            # while an event is handled, and after an error or the end of the root
    cdef bint has_root, has_another_root

    def __cinit__(self, str host, tuple attribute_table):
        interner_begin(&self.tags)
        interner_begin(&self.element_types)
        self.host = host.encode()
        self.tag_names, self.values = [], []
        self.title = self.language = ""
        self.source = -1
        no_attributes(&self.none)
        self.attribute_table = attribute_table
        self.row = <const Row *>PyBytes_AsString(attribute_table[0])
        self.rows_end = self.row + PyBytes_Size(attribute_table[0]) // sizeof(Row)
        self.read_entries(attribute_table[1])

    def __dealloc__(self):
        interner_end(&self.tags)
        interner_end(&self.element_types)
        free(self.type_key.bytes)
        free(self.entries.bytes)
        free(self.traits)
        free(self.nodes.bytes)

    cdef int read(self, bytes markup) except -1:
        """Let the parser read markup, and end what it left open."""
        if new_parser == NULL or read_memory == NULL or stop_parser == NULL or free_parser == NULL:
            raise ParserMismatch(
                f"lxml {etree.__version__} does not offer the parser of its libxml2: install its wheel"
            )
        self.parser = new_parser(&HANDLER, <void *>self)
        if self.parser == NULL:
            raise MemoryError
        read_memory(
            self.parser, PyBytes_AsString(markup), <int>PyBytes_Size(markup), NULL, "utf-8", _OPTIONS
        )
        cdef bint lacked_memory = self.parser.errNo == XML_ERR_NO_MEMORY
        free_parser(self.parser)
        if self.is_stopped:
            _pending_error()
        if lacked_memory:
            raise MemoryError
        while self.is_open:
            self.leave()
        return self.flush()

    cdef int stop(self) noexcept:
        stop_parser(self.parser)
        return 0

    cdef int enter(self, const char *name, const char **own) except -1:
        """Begin an element; `own` are names and values of the attributes that the parser read of it."""
        cdef int tag = self.tag_number(name)
        cdef int traits = self.traits[tag] & ~self.unmarked
        if self.is_open == self.most_open:
            self.most_open = 2 * self.most_open + 64
            self.open = <Open *>resized(self.open, self.most_open * sizeof(Open))
        cdef Open *this = &self.open[self.is_open]
        cdef ElementAttributes *attributes = NULL
        cdef Mark mark
        if self.row != self.rows_end and self.parser.input.line == self.row.line:
            attributes = &(<ElementAttributes *>self.entries.bytes)[self.row.entry]
            self.row += 1
        self.is_open += 1
        self.scripts += (traits & IS_SCRIPT) != 0
        if traits & SHOWS_SOURCE and not self.in_picture():
            mark = Mark(0, 0, -1, -1, -1, -1)
            read_shown(
                &mark, self.values, own, (&self.none if attributes == NULL else attributes).values, traits,
                without_references,
            )
            self.source, self.picture = mark.target, self.is_open - 2
            self.picture_node = self.open[self.picture].node
        this.traits, this.node, this.outer_block = traits, -1, self.block
        if not self.has_root:
            self.has_root = True
            self.language = attribute_of(own, "lang").decode()
            self.language = self.language or attribute_of(own, "xml:lang").decode()
        if traits & (IS_TITLE | IS_META) and self.title_depth < 0 and not self.title:
            if traits & IS_TITLE:
                self.title_depth, self.title_text.size = self.is_open, 0
            elif strcmp(attribute_of(own, "property"), "og:title") == 0:
                self.title = _title(attribute_of(own, "content").decode())
        if self.invisible or traits & IS_INVISIBLE:
            self.invisible += 1
            return 0
        if traits & IS_UNKNOWN and self.holder >= 0 and self.open[self.holder].traits & HOLDS_PHRASES:
            traits = this.traits = IS_INLINE
        if not traits & NOT_A_BREAK:
            self.flush()
        if attributes == NULL and own == NULL:
            attributes = &self.none
        elif attributes == NULL:
            attributes = &self.own
            self.read_attributes(own)
        if (traits & IS_DIALOG and place_of_attribute(own, "open") < 0) or (
            attributes.unseen and not traits & IS_INLINE and is_closed_dialog(attributes)
        ):
            self.invisible += 1
            return 0
        if attributes.tag != tag:
            attributes.tag = tag
            attributes.element_type = self.element_type_of(tag, attributes.values)
        cdef int parent = self.open[self.is_open - 2].node if self.visible else -1
        cdef Node node = Node(attributes.element_type, self.visible, parent, 0, attributes.hidden, 0)
        put(&self.nodes, <const char *>&node, sizeof(Node))
        this.node = self.node_count
        self.node_count += 1
        self.visible += 1
        this.outer_unseen, this.start = self.unseen, self.run.text.size
        this.run, this.piece = self.run_number, self.border_count
        if not traits & IS_INLINE:
            self.enter_block(this)
            # In a sentence nobody sees what only a browser without scripts would show.
            self.unseen = traits & IS_PART and (
                is_unseen(attributes) or attributes.fading == FADES or (traits & IS_NOSCRIPT and self.run.text.size > 0)
            )
            this.hides = (attributes.unseen or attributes.fading) and not traits & (IS_PART | STAYS_KNOWN) and is_nameless(attributes)
            this.needs_no_elements = attributes.fading == SHRINKS_FONT and not attributes.unseen
        elif traits & IS_LINK:
            self.open_links += 1
            self.segment.links += 1
            self.segment.external_links += attributes.link_target == OTHER_SITE
            self.segment.page_links += attributes.link_target == SAME_PAGE
            if attributes.link_target != SAME_PAGE:
                this.start = -1
        elif traits & IS_BREAK:
            self.break_line()
        elif traits & IS_IMAGE and self.block >= 0:
            (<Node *>self.nodes.bytes)[self.block].images += 1
        elif attributes.is_note:
            this.traits |= SPACES
            self.keep_apart()
        elif traits & IS_READING:
            self.open_bracket(this)
        if attributes.display and not (attributes.unseen or attributes.fading) and traits & IS_INLINE and (
            not traits & (IS_IMAGE | IS_BREAK)
        ):
            if attributes.display == AS_CELL:
                this.traits |= SPACES
                self.keep_apart()
            else:
                this.traits |= BREAKS_LINE
                self.begin_line()
        if traits & IS_INLINE and not traits & IS_IMAGE:
            if self.unseen & HIDDEN_FONT and sets_font(attributes):
                self.unseen -= HIDDEN_FONT
            if is_unseen(attributes) or attributes.fading == FADES:
                self.unseen += 1
            elif attributes.fading == SHRINKS_FONT:
                self.unseen |= HIDDEN_FONT
        self.images += traits & IS_IMAGE != 0
        self.in_power |= traits & IS_POWER != 0
        if traits & IS_MARKED:
            mark = Mark(this.node, 0, self.run.text.size, self.run.text.size, -1, -1)
            read_shown(&mark, self.values, own, attributes.values, traits, without_references)
            if traits & SHOWS_IMAGE and mark.target < 0 and self.in_picture():
                mark.target = self.source
            open_mark(&self.marks, mark)
        elif traits & NUMBERS and attributes != &self.none:
            mark = Mark(this.node, self.segment_count + <int>len(self.sign_texts), -1, -1, -1, -1)
            read_shown(&mark, self.values, own, attributes.values, traits, without_references)
            if mark.label >= 0:
                add_mark(&self.marks, mark)
        return 0

    cdef bint in_picture(self) noexcept:
        """Return whether the element that begins stands in a `picture` whose `source` names an image."""
        return self.source >= 0 and self.picture < self.is_open - 1 and (
            self.open[self.picture].node == self.picture_node
        )

    cdef int read_entries(self, bytes table) except -1:
        """Read the entries of the attribute table; their values stay where they are."""
        cdef const char *at = PyBytes_AsString(table)
        cdef const char *end = at + PyBytes_Size(table)
        cdef ElementAttributes one
        while at < end:
            no_attributes(&one)
            while at[0]:
                one.values[<int>at[0]] = at + 1
                at += strlen(at + 1) + 2
            at += 1
            self.interpret(&one)
            put(&self.entries, <const char *>&one, sizeof(one))
        return 0

    cdef int read_attributes(self, const char **own) except -1:
        """Read the attributes that the parser read of an element into `own`."""
        cdef int place = 0
        no_attributes(&self.own)
        while own[place] != NULL:
            self.own.values[self.attribute_number(own[place])] = value_at(own, place)
            place += 2
        return self.interpret(&self.own)

    cdef int interpret(self, ElementAttributes *attributes) except -1:
        """Find out whether the attributes hide their element, and where they lead."""
        cdef const char **values = attributes.values
        cdef const char *names = values[CLASS]
        attributes.unseen = (values[HIDDEN] != NULL and strcmp(values[HIDDEN], "until-found") != 0) or (
            values[STYLE] != NULL and style_hides(values[STYLE])
        )
        if values[STYLE] != NULL:
            attributes.fading = style_fading(values[STYLE])
            attributes.display = style_display(values[STYLE])
            if (values[ROLE] == NULL or not values[ROLE][0]) and style_makes_row(values[STYLE]):
                values[ROLE] = "row"
        attributes.hidden = attributes.unseen or (
            values[ARIA_HIDDEN] != NULL and strcmp(values[ARIA_HIDDEN], "true") == 0
        )
        attributes.is_closed_dialog = NOT_LOOKED_AT
        attributes.is_for_screen_readers = NOT_LOOKED_AT if names != NULL else 0
        attributes.is_note = (values[ROLE] != NULL and strcmp(values[ROLE], "tooltip") == 0) or (
            names != NULL and _names_note(strstr(names, "tooltip"))
        )
        if values[HREF] != NULL:
            attributes.link_target = link_target(values[HREF], self.host)
        return 0

    cdef int element_type_of(self, int tag, const char **values) except -1:
        """Return the number of the type of an element with these attributes."""
        cdef Text *key = &self.type_key
        cdef int number
        for number in range(ID, ITEMPROP + 1):
            if values[number] != NULL and values[number][0]:
                break
        else:
            return interner_number(&self.element_types, <const char *>&tag, sizeof(tag))
        key.size = 0
        put(key, <const char *>&tag, sizeof(tag))
        for number in range(ID, ITEMPROP + 1):
            if values[number] != NULL:
                put(key, values[number], strlen(values[number]))
            put(key, "\n", 1)
        return interner_number(&self.element_types, key.bytes, key.size)

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
            if text in _TRAITS:
                self.traits[tag] = _TRAITS[text]
            else:
                # A name with a colon comes from an office program, whose elements all stand in lines.
                self.traits[tag] = IS_INLINE if ":" in text else IS_PART | IS_UNKNOWN
        return tag

    cdef int leave(self) except -1:
        if self.is_open == self.title_depth:
            self.title = _title(self.title_text.bytes[: self.title_text.size].decode())
            self.title_depth = -1
        self.is_open -= 1
        cdef Open *this = &self.open[self.is_open]
        if this.node < 0:
            self.invisible -= 1
            if this.traits & SPACES:
                self.keep_apart()
            return 0
        self.visible -= 1
        (<Node *>self.nodes.bytes)[this.node].end = self.node_count
        if this.traits & IS_POWER:
            self.in_power = False
        if this.traits & IS_LINK:
            self.open_links -= 1
            if this.start >= 0:
                self.leave_out_anchor(this)
        if this.traits & IS_MARKED:
            close_mark(&self.marks, self.run.text.size)
        if not this.traits & IS_INLINE:
            return self.leave_block(this)
        if this.traits & ADDS_BRACKET:
            self.close_bracket(this)
        if this.traits & SPACES:
            self.keep_apart()
        if this.traits & BREAKS_LINE:
            self.begin_line()
        self.unseen = this.outer_unseen
        return 0

    cdef list element_type_names(self):
        """Return the tag and the attributes of each element type."""
        cdef list pairs = []
        cdef const char *text = self.element_types.text.bytes
        cdef Py_ssize_t start = 0, end
        cdef int tag, number
        for number in range(self.element_types.count):
            end = self.element_types.ends[number]
            memcpy(&tag, text + start, sizeof(tag))
            start += sizeof(tag)
            attributes = PyUnicode_DecodeUTF8(text + start, end - start, NULL)
            pairs.append((self.tag_names[tag], attributes))
            start = end
        return pairs

    cdef columns(self):
        return PageColumns(
            self.element_type_names(),
            _columns(<const int *>self.nodes.bytes, self.node_count, _NODE_COLUMNS),
            self.texts,
            _columns(<const int *>self.segments.bytes, self.segment_count, _SEGMENT_COLUMNS),
            self.sign_texts,
            self.sign_columns(),
            self.scripts,
            self.title,
            self.language,
            _columns(<const int *>self.marks.rows, self.marks.count, _MARK_COLUMNS),
            self.values,
            self.has_another_root,
        )

    cdef dict sign_columns(self):
        found = _columns(<const int *>self.signs.bytes, len(self.sign_texts), _SEGMENT_COLUMNS)
        found["before"] = found["links"]
        return {name: found[name] for name in _SIGN_COLUMNS}


cdef str _title(str text):
    """Return a title with single blanks and without characters that nobody sees."""
    return " ".join((text if text.isascii() else text.translate(letters.WITHOUT_UNSEEN)).split())


cdef dict _columns(const int *rows, int count, tuple names):
    """Return the columns of rows of integers, which stand one after another, by their names."""
    cdef int width = len(names), row, column
    columns = np.empty((width, count), np.int32)
    cdef int *found = <int *>items(columns, 4, True)
    for column in range(width):
        for row in range(count):
            found[column * count + row] = rows[row * width + column]
    return dict(zip(names, columns))


cdef void no_attributes(ElementAttributes *attributes) noexcept:
    """Make it the attributes of an element that has none."""
    cdef int number
    for number in range(ATTRIBUTE_COUNT):
        attributes.values[number] = NULL
    attributes.hidden = attributes.unseen = attributes.is_note = attributes.is_closed_dialog = False
    attributes.fading, attributes.display = STAYS, IN_LINE
    attributes.is_for_screen_readers = 0
    attributes.link_target, attributes.tag = SAME_SITE, -1


cdef bint sets_font(ElementAttributes *attributes) noexcept:
    """Return whether an element has a size of its letters of its own, as far as its attributes show."""
    return attributes.fading != SHRINKS_FONT and (
        attributes.values[CLASS] != NULL
        or (attributes.values[STYLE] != NULL and strstr(attributes.values[STYLE], "font") != NULL)
    )


cdef bint is_nameless(ElementAttributes *attributes) noexcept:
    """Return whether an element has no name by which a script or a style sheet would find it to show it."""
    cdef int number
    for number in (ID, CLASS, ROLE):
        if attributes.values[number] != NULL and attributes.values[number][0]:
            return False
    return True


cdef bint _names_note(const char *name) noexcept:
    """Return whether a class that begins so is that of a note, such as `tooltip-text`, not of the word beside it."""
    return name != NULL and name[TOOLTIP_BYTES] != 0 and name[TOOLTIP_BYTES] in b"-_t"


cdef bint is_closed_dialog(ElementAttributes *attributes) except -1:
    """Return whether an element that is hidden is a dialog by its class, id or role."""
    if attributes.is_closed_dialog == NOT_LOOKED_AT:
        attributes.is_closed_dialog = (
            names_dialog(attributes.values[CLASS]) or names_dialog(attributes.values[ID])
            or names_dialog(attributes.values[ROLE])
        )
    return attributes.is_closed_dialog


cdef bint is_unseen(ElementAttributes *attributes) except -1:
    """Return whether nobody sees the text of an element in a line; few elements are asked."""
    if attributes.is_for_screen_readers == NOT_LOOKED_AT:
        attributes.is_for_screen_readers = names_hide(attributes.values[CLASS])
    return attributes.unseen or attributes.is_for_screen_readers


cdef int link_target(const char *href, bytes host) except -1:
    """Return where an address leads from a page of this host."""
    if not (strncmp(href, "http:", 5) and strncmp(href, "https:", 6) and strncmp(href, "//", 2)):
        return OTHER_SITE if _is_other_host(href, host) else SAME_SITE
    if href[0] == c"#" or not strncmp(href, "javascript:", 11):
        return SAME_PAGE
    return SAME_SITE


cdef bint _is_other_host(const char *href, bytes host_name) except -1:
    """Return whether an address names another host."""
    cdef const char *start = strstr(href, "//")
    cdef const char *host = host_name
    cdef Py_ssize_t size = 0, place
    if start != NULL:
        start += 2
        size = strlen(start) if strchr(start, c"/") == NULL else strchr(start, c"/") - start
    for place in range(size):
        if start[place] & 0x80:
            return start[:size].decode().lower().encode() != host_name
    if size != len(host_name):
        return True
    for place in range(size):
        if _lower(start[place]) != host[place]:
            return True
    return False


cdef inline char _lower(char letter) noexcept:
    return letter + 32 if c"A" <= letter <= c"Z" else letter
