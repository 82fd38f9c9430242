"""The inline content of segments as Markdown or HTML: text with links, images and emphasis.

Beside it is how much of the text around an element is kept.
"""

from cpython.unicode cimport PyUnicode_AsUTF8AndSize, PyUnicode_DecodeUTF8
from libc.stdlib cimport free
from libc.string cimport memchr, memcmp

from templ_core._arrays cimport items as items_of
from templ_core._byte_string cimport Text, put
from templ_core.rendering._delimiters cimport (
    CODE, DELETED, Delimiters, EMPHASIS, FORMULA, FORMULA_BLOCK, IMAGE, LINK, STRONG, SUBSCRIPT, SUPERSCRIPT,
    OTHER, class_at, class_before, close_element, ends_with_delimiter, open_element, put_delimiters,
)

import unicodedata

import numpy as np

from templ_core.dom._tree import tag_bits
from templ_core.dom.tags import ANCHORS, IMAGES
from templ_core.letters import WITHOUT_UNSEEN

cdef enum:
    OPEN_MAX = 32               # marks inside one another; deeper ones are left out

cdef double IMAGE_KEPT_MIN = 0.5
"""An image with no text beside it is kept where more than this share of the text around it is kept."""
cdef dict _KINDS = {
    **dict.fromkeys(IMAGES, IMAGE), "a": LINK, "b": STRONG, "strong": STRONG, "i": EMPHASIS, "em": EMPHASIS,
    "code": CODE, "kbd": CODE, "samp": CODE, "tt": CODE,
    "sub": SUBSCRIPT, "sup": SUPERSCRIPT, "del": DELETED, "s": DELETED, "strike": DELETED,
    "formula": FORMULA, "formula-block": FORMULA_BLOCK,
}


cdef tuple _HTML_BEGINS = (
    b"", b"", b"", b"<strong>", b"<em>", b"<code>", b"<sub>", b"<sup>", b"<del>",
    b'<span class="math inline">\\(', b'<div class="math display">\\[',
)   # by kind
cdef tuple _HTML_ENDS = (
    b"", b"</a>", b"", b"</strong>", b"</em>", b"</code>", b"</sub>", b"</sup>", b"</del>",
    b"\\)</span>", b"\\]</div>",
)
cdef enum:
    AROUND_LEVELS = 8           # between an image and the figure or `noscript` that it is in; each `source` is one
    IN_FIGURE = 1
    IN_NOSCRIPT = 2
    REFERENCE_MAX = 34          # bytes of the longest name of a character reference, and some


cdef dict _AROUND = {"figure": IN_FIGURE, "noscript": IN_NOSCRIPT}


cdef struct OpenMark:
    int row
    int kind                    # 0 = it is not written
    int element                 # number among the delimiters
    Py_ssize_t before           # size of the output before it was opened
    Py_ssize_t content          # and where its content begins


cdef class InlineWriter:
    """Writes segments with their marks as Markdown or HTML.

    Args:
        document: The page; without marks it has no links, images and emphasis.
        kept: Whether each segment stays; length n_segments.
        addresses: Makes the addresses of the page absolute.
        is_html: Whether HTML is written, not Markdown.
    """

    cdef list texts, values, addresses
    cdef object absolute, columns
    cdef str origin
    cdef object document, kept
    cdef KeptShare share            # None until the first image needs it
    cdef bint is_html, is_verbatim, in_heading
    cdef str page                   # its address, without a place on it
    cdef const int *segment
    cdef const int *start
    cdef const int *end
    cdef const int *node
    cdef const int *node_end
    cdef const int *target
    cdef const int *label
    cdef const int *kind
    cdef const int *figure          # around an image, which counts then also without a text that stands for it
    cdef int rows, row
    cdef Text out, whole            # the segment without and with its delimiters
    cdef Delimiters delimiters
    cdef bint escapes_tildes, escapes_dollars
    cdef const char *text           # of the segment that is written
    cdef Py_ssize_t size, place
    cdef list cuts
    cdef int in_code                # open marks whose text is written as it is: code and formulas
    cdef bint owes_blank            # behind an image, if a text follows
    cdef OpenMark open[OPEN_MAX]
    cdef int depth

    def __init__(self, document, kept, addresses, bint is_html):
        nodes, marks = document.nodes, document.marks
        self.texts, self.absolute, self.origin = document.segments.texts, addresses.absolute, addresses.origin
        self.document, self.kept, self.share = document, kept, None
        self.is_html, self.page = is_html, addresses.page
        self.columns = []
        self.values, self.addresses = [], []
        if marks is None:
            return
        self.values = marks.values
        self.addresses = [None] * len(marks.values)
        places = marks.segment.astype(np.int64) * 2 + (marks.start >= 0)
        order = ((places << 32) + marks.node).argsort(kind="stable")
        node = marks.node.take(order)
        kinds = tag_bits(nodes.element_types, _KINDS)
        self.rows = len(node)
        self.segment = self._column(marks.segment.take(order))
        self.start = self._column(marks.start.take(order))
        self.end = self._column(marks.end.take(order))
        self.node = self._column(node)
        self.node_end = self._column(nodes.end.take(node))
        self.target = self._column(marks.target.take(order))
        self.label = self._column(marks.label.take(order))
        self.kind = self._column(kinds.take(nodes.element_type.take(node)))
        self._look_around_images(nodes)

    cdef int _look_around_images(self, nodes) except -1:
        """Find out which images are in figures, and leave out one of two that one `noscript` makes of one image."""
        around = tag_bits(nodes.element_types, _AROUND)
        element_type, parent = np.ascontiguousarray(nodes.element_type), np.ascontiguousarray(nodes.parent)
        cdef const int *of_type = <const int *>items_of(around, 4)
        cdef const int *types = <const int *>items_of(element_type, 4)
        cdef const int *parents = <const int *>items_of(parent, 4)
        cdef int *kind = <int *>self.kind
        cdef int row, node, level, is_around, shown, twin, before = -1, around_before = 0
        within = np.zeros(max(self.rows, 1), np.int32)
        cdef int *figure = <int *>items_of(within, 4, True)
        for row in range(self.rows):
            self.escapes_tildes |= kind[row] == DELETED
            self.escapes_dollars |= kind[row] >= FORMULA
            if kind[row] != IMAGE:
                continue
            node, is_around = self.node[row], 0
            for level in range(AROUND_LEVELS):
                node = parents[node] if node >= 0 else -1
                is_around |= of_type[types[node]] if node >= 0 else 0
                if is_around & IN_FIGURE and not figure[row]:
                    figure[row] = node
            if before >= 0 and (is_around ^ around_before) & IN_NOSCRIPT and (
                self.start[row] == self.start[before] and self.segment[row] == self.segment[before]
                or self.node[row] - self.node[before] <= 2      # with nothing but the `noscript` between them
            ):
                shown, twin = (before, row) if is_around & IN_NOSCRIPT else (row, before)
                kind[twin if self.target[shown] >= 0 else shown] = 0
                before = -1
            else:
                before, around_before = row, is_around
        self.figure = self._column(within)
        return 0

    def __dealloc__(self):
        free(self.out.bytes)
        free(self.whole.bytes)
        free(self.delimiters.items)

    cdef const int *_column(self, values) except NULL:
        values = np.ascontiguousarray(values if len(values) else [0], np.int32)
        self.columns.append(values)
        return <const int *>items_of(values, 4)

    def begin(self):
        """Go to the first segment, which may be written again."""
        self.row = 0

    def images_before(self, int segment):
        """Return the images in no segment that are kept and stand before a segment: pairs of number and element.

        Segments must be asked for in order.
        """
        cdef list found = []
        while self.row < self.rows and self.segment[self.row] <= segment:
            if self.start[self.row] >= 0:
                if self.segment[self.row] == segment:
                    break
            elif self._is_image(self.row) and self._is_kept(self.row):
                found.append((self.row, self.node[self.row]))
            self.row += 1
        return found

    cdef bint _is_image(self, int row) noexcept:
        """Return whether a mark is an image that is written."""
        return self.kind[row] == IMAGE and (
            self.label[row] >= 0 or (self.figure[row] and self.target[row] >= 0)
        )

    cdef bint _is_kept(self, int row) except -1:
        if self.share is None:
            self.share = KeptShare(self.document, self.kept)
        if self.figure[row] and self.share.inside(self.figure[row]) > 0:
            return True  # What is kept in a figure is its caption, and that of the image.
        return self.share.around(self.node[row]) > IMAGE_KEPT_MIN

    def links(self, int most, int chars_max):
        """Return the text, the address and the place of each link, in document order.

        Args:
            most: Number of links to return at most.
            chars_max: Characters of the longest text.

        Returns:
            By number of the element the text, the absolute address, and whether it stands in text that
            is kept.
        """
        cdef dict found = {}
        cdef int row
        kept = np.ascontiguousarray(self.kept)
        cdef const unsigned char *stays = <const unsigned char *>items_of(kept, 1)
        cdef bint is_content
        for row in range(self.rows):
            if self.kind[row] != LINK or self.target[row] < 0:
                continue
            is_content = self.start[row] >= 0 and stays[self.segment[row]]
            text = self._piece(row)
            node = self.node[row]
            known = found.get(node)
            if known is not None:
                text = f"{known[0]} {text}".strip()[:chars_max]
                found[node] = (text, known[1], known[2] or is_content)
            elif len(found) < most:
                address = self.address(self.target[row])
                if address and not (<str>self.values[self.target[row]]).startswith("#"):
                    found[node] = (text[:chars_max], address, is_content)
        return found

    cdef str _piece(self, int row):
        cdef Py_ssize_t size, start = self.start[row], end = self.end[row]
        cdef const char *text
        if start < 0 or start >= end:
            return ""
        text = PyUnicode_AsUTF8AndSize(self.texts[self.segment[row]], &size)
        end = min(end, size)
        start = min(start, end)
        while start < end and text[start] in b" \n\t":
            start += 1
        while end > start and text[end - 1] in b" \n\t":
            end -= 1
        cdef str piece = PyUnicode_DecodeUTF8(text + start, end - start, "replace")
        return piece.replace("\n", " ") if memchr(text + start, c"\n", end - start) != NULL else piece

    def image(self, int row):
        """Return an image as Markdown or HTML."""
        self.out.size = 0
        self._put_image(row)
        return PyUnicode_DecodeUTF8(self.out.bytes, self.out.size, "replace")

    def address(self, int number):
        """Return an address in its absolute form; empty for one that leads nowhere."""
        found = self.addresses[number]
        if found is None:
            found = self.addresses[number] = self._resolved(self.values[number])
        return found

    def write(self, int segment, list cuts, bint in_heading=False, bint is_verbatim=False):
        """Return a segment with its marks; blanks at the ends of a mark are written outside it.

        Segments must be asked for in order, after the images before each.

        Args:
            segment: Number of the segment.
            cuts: First bytes, and bytes behind the last, of what is cut out; in order.
            in_heading: Whether it is in a heading, which is no link to the page itself.
            is_verbatim: Whether line feeds of HTML stay as they are.
        """
        self.text = PyUnicode_AsUTF8AndSize(self.texts[segment], &self.size)
        self.out.size = self.place = self.depth = self.in_code = 0
        self.delimiters.count = self.delimiters.elements = 0
        self.owes_blank = False
        self.cuts, self.is_verbatim, self.in_heading = cuts, is_verbatim, in_heading
        while self.row < self.rows and self.segment[self.row] <= segment:
            if self.segment[self.row] == segment and self.start[self.row] >= 0:
                self._mark(self.row)
            elif self.segment[self.row] == segment:
                break
            self.row += 1
        while self.depth:
            self._close()
        self._write_up_to(self.size)
        if not self.delimiters.count:
            return PyUnicode_DecodeUTF8(self.out.bytes, self.out.size, "replace").strip()
        put_delimiters(&self.delimiters, &self.out, &self.whole, unicodedata.category)
        return PyUnicode_DecodeUTF8(self.whole.bytes, self.whole.size, "replace").strip()

    cdef int _mark(self, int row) except -1:
        cdef Py_ssize_t at = min(self.start[row], self.size), end = min(self.end[row], self.size)
        cdef OpenMark *mark
        while self.depth and self.node[row] >= self.node_end[self.open[self.depth - 1].row]:
            self._close()
        if self.kind[row] == IMAGE:
            # An image separates the words before and after it.
            self._write_up_to(at + 1 if at < self.size and self.text[at] == c" " else at)
            if self._is_image(row) and not self._in_formula():
                self._leave_code()
                self._put_image(row)
                self._go_on_with_code()
                self.owes_blank = self.place < self.size and self.text[self.place] not in b" \n"
            return 0
        if self.depth == OPEN_MAX:
            return 0
        while at < self.size and (at < end or at == end == self.start[row]) and self.text[at] in b" \n\t":
            at += 1
        mark = &self.open[self.depth]
        mark.kind = self._kind_of(row)
        self._write_up_to(at)
        self._put_owed_blank()
        if mark.kind == LINK and self._leads_here(row):
            if self._is_anchor(at, end):
                self.place = max(self.place, end)
                return 0
            mark.kind = 0 if self.in_heading or not has_word(self.text + at, end - at) else LINK
        if mark.kind == SUPERSCRIPT:
            self._leave_out_caret(at, end)
        mark.row, mark.before = row, self.out.size
        self.depth += 1
        if mark.kind == LINK and self.is_html:
            self._put(b'<a href="')
            self._put_address(self.target[row])
            self._put(b'">')
        elif mark.kind == LINK:
            self._begin_link()
        elif mark.kind and self._has_delimiters(mark.kind):
            mark.element = open_element(&self.delimiters, mark.kind, self.out.size)
        elif mark.kind:
            self._put(_HTML_BEGINS[mark.kind])
        self.in_code += mark.kind == CODE or mark.kind >= FORMULA
        mark.content = self.out.size
        return 0

    cdef bint _leads_here(self, int row) except -1:
        """Return whether a link leads to a place on the page itself."""
        cdef str address = self.values[self.target[row]]
        if address.startswith("#"):
            return True
        place = address.find("#")
        return place > 0 and self.page != "" and (<str>self.address(self.target[row])).partition("#")[0] == self.page

    cdef bint _is_anchor(self, Py_ssize_t at, Py_ssize_t end) except -1:
        """Return whether a link to the page itself shows only the sign by which readers find out its address."""
        if at >= end:
            return False
        if self.in_heading:
            return not has_word(self.text + at, end - at)
        return self.text[at : end].decode("utf-8", "replace") in ANCHORS

    cdef int _leave_out_caret(self, Py_ssize_t at, Py_ssize_t end) noexcept:
        """Leave out the sign by which plain text says that a power begins here, on either side of the mark."""
        if self.place == at < end and self.text[at] == c"^":
            self.place += 1
        elif self.place == at and self.out.size and self.out.bytes[self.out.size - 1] == c"^" and (
            not ends_with_delimiter(&self.delimiters, self.out.size)
        ):
            self.out.size -= 1
        return 0

    cdef int _kind_of(self, int row) except -1:
        """Return the kind of a mark; 0 if it is not to be written."""
        cdef int kind = self.kind[row], number
        if kind == LINK and (self.target[row] < 0 or not self.address(self.target[row])):
            return 0
        if self.in_code and not self.is_html and (kind != LINK or self._in_formula()):
            return 0
        for number in range(self.depth):
            if self.open[number].kind == kind:
                return 0
        return kind

    cdef bint _has_delimiters(self, int kind) noexcept:
        """Return whether elements of a kind have delimiters that are put in at the end."""
        return not self.is_html and kind >= STRONG and kind != SUBSCRIPT and kind != SUPERSCRIPT

    cdef int _begin_link(self) except -1:
        self._leave_code()
        if self.out.size and self.out.bytes[self.out.size - 1] == c"!" and (
            not ends_with_delimiter(&self.delimiters, self.out.size)
        ):
            # A link behind it would be an image.
            self.out.bytes[self.out.size - 1] = c"\\"
            self._put(b"!")
        self._put(b"[")
        return self._go_on_with_code()

    cdef int _close(self) except -1:
        cdef OpenMark *mark = &self.open[self.depth - 1]
        cdef Py_ssize_t end = min(self.end[mark.row], self.size)
        while end > self.place and self.text[end - 1] in b" \n\t":
            end -= 1
        self._write_up_to(end)
        self.depth -= 1
        self.in_code -= mark.kind == CODE or mark.kind >= FORMULA
        if mark.kind and self._has_delimiters(mark.kind):
            close_element(&self.delimiters, mark.kind, mark.element, self.out.size)
        elif self.out.size == mark.content:
            self._leave_code()
            self.out.size = mark.before
            self._go_on_with_code()
        elif mark.kind == LINK and not self.is_html:
            self._leave_code()
            self._put(b"](")
            self._put_address(self.target[mark.row])
            self._put(b")")
            self._go_on_with_code()
        elif mark.kind:
            self._put(_HTML_ENDS[mark.kind])
        return 0

    cdef OpenMark *_code(self) noexcept:
        """Return the innermost open mark whose text is written as it is; NULL without one."""
        cdef int number = self.depth - 1
        while number >= 0 and self.open[number].kind != CODE and self.open[number].kind < FORMULA:
            number -= 1
        return &self.open[number] if number >= 0 else NULL

    cdef bint _in_formula(self) noexcept:
        return self.in_code > 0 and self._code().kind >= FORMULA

    cdef int _leave_code(self) except -1:
        """End open code in front of what Markdown does not have inside it: links, images and line breaks."""
        if self.is_html or not self.in_code:
            return 0
        return close_element(&self.delimiters, CODE, self._code().element, self.out.size)

    cdef int _go_on_with_code(self) except -1:
        if not self.is_html and self.in_code:
            self._code().element = open_element(&self.delimiters, CODE, self.out.size)
        return 0

    cdef int _put_owed_blank(self) except -1:
        if self.owes_blank:
            self._put(b" ")
            self.owes_blank = False
        return 0

    cdef int _write_up_to(self, Py_ssize_t end) except -1:
        cdef Py_ssize_t start = self.place
        if end <= start:
            return 0
        if self.text[start] not in b" \n":
            self._put_owed_blank()
        self.owes_blank = False
        self.place = end
        if self.cuts is not None:
            for cut_start, cut_end in self.cuts:
                if cut_start < end and cut_end > start:
                    self._escape(self.text + start, max(<Py_ssize_t>cut_start - start, 0))
                    start = cut_end
        if start < end:
            self._escape(self.text + start, end - start)
        return 0

    cdef int _put(self, bytes piece) except -1:
        return put(&self.out, <const char *>piece, len(piece))

    cdef int _put_image(self, int row) except -1:
        cdef str label = ""
        if self.label[row] >= 0:
            label = " ".join((<str>self.values[self.label[row]]).translate(WITHOUT_UNSEEN).split())
        cdef bint has_address = self.target[row] >= 0 and bool(self.address(self.target[row]))
        cdef Py_ssize_t size
        cdef const char *text = PyUnicode_AsUTF8AndSize(label, &size)
        if not has_address or (not size and not self.figure[row]):
            if self.out.size and self.out.bytes[self.out.size - 1] not in b" \n>" and (
                not ends_with_delimiter(&self.delimiters, self.out.size)
            ):
                self._put(b" ")
            return self._escape(text, size)
        self._put(b'<img src="' if self.is_html else b"![")
        if self.is_html:
            self._put_address(self.target[row])
            self._put(b'" alt="')
            self._escape(text, size)
            return self._put(b'">')
        self._escape(text, size)
        self._put(b"](")
        self._put_address(self.target[row])
        return self._put(b")")

    cdef int _put_address(self, int number) except -1:
        """Write an address so that it ends where it is to end."""
        cdef Py_ssize_t size, at, done = 0
        cdef const char *text = PyUnicode_AsUTF8AndSize(self.address(number), &size)
        for at in range(size):
            if text[at] not in b'()"<>&' or (text[at] in b"()" and self.is_html) or (
                text[at] == c"&" and not self.is_html
            ):
                continue
            put(&self.out, text + done, at - done)
            done = at + 1
            if text[at] == c"&":
                self._put(b"&amp;")
            else:
                self._put(b"%%%02X" % (<unsigned char>text[at]))
        return put(&self.out, text + done, size - done)

    cdef str _resolved(self, str value):
        cdef Py_ssize_t size, at
        cdef const char *text = PyUnicode_AsUTF8AndSize(value, &size)
        cdef bint is_plain = size > 1
        for at in range(size):
            if <unsigned char>text[at] <= c" " or (text[at] == c"." and at and text[at - 1] == c"/"):
                is_plain = False
                break
        if is_plain and size > 8 and (not memcmp(text, b"https://", 8) or not memcmp(text, b"http://", 7)):
            return value
        if is_plain and text[0] == c"/" and text[1] != c"/" and self.origin:
            return self.origin + value
        return self.absolute(value)

    cdef int _escape(self, const char *text, Py_ssize_t size) except -1:
        """Write text, behind which more of it or a NUL stands, so that nothing of it is taken for markup."""
        cdef Py_ssize_t at, done = 0
        cdef char byte
        if self.in_code and not self.is_html:
            return self._put_code(text, size)
        for at in range(size):
            byte = text[at]
            if byte < 0 or byte > c"`" and (byte != c"~" or self.is_html):
                continue
            if self.is_html:
                if byte == c"&" or byte == c"<" or byte == c">" or byte == c'"' or (
                    byte == c"\n" and not self.is_verbatim
                ):
                    put(&self.out, text + done, at - done)
                    done = at + 1
                    self._put(b" " if byte == c"\n" and self._in_formula() else _ENTITIES[byte])
            elif byte == c"~" and not self._strikes(text, at, size):
                continue
            elif byte in b"\\`*[]~" or (byte == c"_" and not self._is_inside_word(text, at, size)) or (
                byte == c"<" and begins_tag(text[at + 1])
            ) or (byte == c"&" and is_reference(text + at)) or (
                byte == c"$" and self.escapes_dollars
            ):
                put(&self.out, text + done, at - done)
                put(&self.out, "\\", 1)
                done = at
        return put(&self.out, text + done, size - done)

    cdef bint _is_inside_word(self, const char *text, Py_ssize_t at, Py_ssize_t size) except -1:
        """Return whether an underscore stands between letters or digits, or before another underscore."""
        if at == 0 or at + 1 == size:
            return False
        if _is_word(text[at - 1]) and (_is_word(text[at + 1]) or text[at + 1] == c"_"):
            return True
        if text[at - 1] > 0 and text[at + 1] > 0:
            return False
        cdef Text piece = Text(<char *>text, size, size)
        return class_before(&piece, at, unicodedata.category) == OTHER and (
            text[at + 1] == c"_" or class_at(&piece, at + 1, unicodedata.category) == OTHER
        )

    cdef bint _strikes(self, const char *text, Py_ssize_t at, Py_ssize_t size) noexcept:
        """Return whether a tilde might be read as a mark of deleted text."""
        return self.escapes_tildes or at > 0 and text[at - 1] == c"~" or (
            at + 1 < size and text[at + 1] == c"~"
        )

    cdef int _put_code(self, const char *text, Py_ssize_t size) except -1:
        """Write text as it is; code begins again behind a line break, and a formula has no line break."""
        cdef Py_ssize_t at, done = 0
        cdef bint is_formula = self._in_formula()
        for at in range(size):
            if text[at] != c"\n" and not (text[at] == c"$" and is_formula):
                continue
            put(&self.out, text + done, at - done)
            done = at + 1
            if not is_formula:
                self._leave_code()
                self._put(b"\n")
                self._go_on_with_code()
            elif text[at] == c"\n":
                self._put(b" ")
            else:
                self._put(b"$" if at and text[at - 1] == c"\\" else b"\\$")
        return put(&self.out, text + done, size - done)


cdef bint has_word(const char *text, Py_ssize_t size) except -1:
    """Return whether a text has a letter or digit."""
    cdef Py_ssize_t at
    cdef Py_UCS4 letter
    for at in range(size):
        if _is_word(text[at]):
            return True
    for letter in text[: max(size, 0)].decode("utf-8", "replace"):
        if letter.isalnum():
            return True
    return False


cdef dict _ENTITIES = {
    ord("&"): b"&amp;", ord("<"): b"&lt;", ord(">"): b"&gt;", ord('"'): b"&quot;",
    ord("\n"): b"<br>",
}


cdef inline bint _is_word(char byte) noexcept:
    return c"a" <= byte | 32 <= c"z" or c"0" <= byte <= c"9"


cdef inline bint begins_tag(char byte) noexcept:
    return c"a" <= byte | 32 <= c"z" or byte == c"/" or byte == c"!" or byte == c"?"


cdef inline bint is_reference(const char *text) noexcept:
    """Return whether an ampersand begins what reads like a character reference, in a text that a NUL ends."""
    cdef Py_ssize_t at = 1
    while at < REFERENCE_MAX and (_is_word(text[at]) or text[at] == c"#"):
        at += 1
    return at > 1 and text[at] == c";"


cdef class KeptShare:
    """How much of the text around an element is kept.

    Args:
        document: The page.
        kept: Whether each segment stays; length n_segments.
    """

    cdef readonly tuple columns
    cdef const int *parent
    cdef const int *end
    cdef const int *inline_from
    cdef const int *owner
    cdef const int *whole
    cdef const int *kept
    cdef int segments

    def __init__(self, document, kept):
        nodes, segments = document.nodes, document.segments
        parent, end, inline_from, owner = (
            np.ascontiguousarray(one)
            for one in (nodes.parent, nodes.end, segments.inline_from, segments.owner)
        )
        chars = np.fromiter(map(len, segments.texts), np.int64, len(segments.texts))
        whole = np.concatenate([[0], np.cumsum(chars)]).astype(np.int32)
        of_kept = np.concatenate([[0], np.cumsum(chars * kept)]).astype(np.int32)
        self.segments = len(owner)
        if not self.segments:
            inline_from = owner = np.zeros(1, np.int32)
        self.columns = (parent, end, inline_from, owner, whole, of_kept)
        self.parent = <const int *>items_of(parent, 4)
        self.end = <const int *>items_of(end, 4)
        self.inline_from = <const int *>items_of(inline_from, 4)
        self.owner = <const int *>items_of(owner, 4)
        self.whole = <const int *>items_of(whole, 4)
        self.kept = <const int *>items_of(of_kept, 4)

    cdef double around(self, int node) noexcept:
        """Return the kept share of the text in the smallest element around a node that has text."""
        cdef double share
        node = self.parent[node]
        while node >= 0:
            share = self.inside(node)
            if share >= 0:
                return share
            node = self.parent[node]
        return 0

    cdef double inside(self, int node) noexcept:
        """Return the kept share of the text in an element; -1 for one without text."""
        cdef int first = self._behind(node), last = self._behind(self.end[node])
        while last > first and not node <= self.owner[last - 1] < self.end[node]:
            last -= 1
        if self.whole[last] == self.whole[first]:
            return -1
        return (self.kept[last] - self.kept[first]) / <double>(self.whole[last] - self.whole[first])

    cdef int _behind(self, int node) noexcept:
        """Return the first segment that begins behind the start of this number of elements."""
        cdef int low = 0, high = self.segments, middle
        while low < high:
            middle = (low + high) // 2
            if self.inline_from[middle] > node:
                high = middle
            else:
                low = middle + 1
        return low
