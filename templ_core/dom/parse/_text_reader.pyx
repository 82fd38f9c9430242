"""The text between the tags of a page, which becomes segments and signs."""

from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport uint16_t
from libc.stdlib cimport free
from libc.string cimport memcmp

from templ_core._arrays cimport items
from templ_core._byte_string cimport Text, put, resized
from templ_core._letters cimport WORD
from templ_core.dom.parse._segment_text cimport (
    BULLET_BYTES, Run, Slice, add_collapsed, add_slice, add_verbatim, begin_bullet, end_marks, has_marks, marks_end,
    run_begin, run_break, run_seam, skip_bullet,
)

import re

from templ_core import letters
from templ_core.dom.tags import ANCHORS

cdef enum:
    ANCHOR_BYTES = 6        # of the longest of `ANCHORS`, and a blank on each side

cdef object _find_word = re.compile(r"\w").search


cdef class TextReader:
    def __cinit__(self, *_):
        self.classes = <const uint16_t *>items(letters.letter_tables()[0], 2)
        self.texts, self.sign_texts = [], []
        self.block = self.holder = self.title_depth = -1

    def __dealloc__(self):
        free(self.title_text.bytes)
        free(self.run.text.bytes)
        free(self.open)
        free(self.segments.bytes)
        free(self.signs.bytes)
        free(self.borders)
        marks_end(&self.marks)

    cdef int enter_block(self, Open *this) except -1:
        """Begin a block, or a part of a run of text that may prove to be one."""
        this.outer_holder = self.holder
        this.first = this.last = -1
        this.holds_block = False
        if this.traits & IS_PART:
            if this.traits & SPACES:
                self.keep_apart()
            self.add_border(this.node, this.node + 1, this.node)
        self.holder, self.block = self.is_open - 1, this.node
        if not this.traits & IS_PART:
            this.texts_before, this.signs_before = self.segment_count, <int>len(self.sign_texts)
            this.marks_before, this.images_before = self.marks.count, self.images
            self.segment.inline_from = self.node_count
            self.open_verbatim += (this.traits & IS_VERBATIM) != 0
        return 0

    cdef int leave_block(self, Open *this) except -1:
        """End a block, or a part of a run of text; one that holds blocks is a block."""
        if this.traits & IS_PART and not this.holds_block:
            if this.traits & SPACES:
                self.keep_apart()
            self.add_border(self.node_count, self.node_count, this.outer_block)
            self.cover(this)
        else:
            self.flush()
            self.open_verbatim -= (this.traits & IS_VERBATIM) != 0
            if this.hides and self.images == this.images_before:
                self.forget(this)
        self.block, self.holder, self.unseen = this.outer_block, this.outer_holder, this.outer_unseen
        return 0

    cdef int forget(self, const Open *block) except -1:
        """Leave out what was read in a block that is over, if it is short: a longer text may be shown by a script."""
        if block.needs_no_elements and self.node_count > block.node + 1:
            return 0
        if sum(map(len, self.texts[block.texts_before :])) > HIDDEN_CHARS_MAX:
            return 0
        del self.texts[block.texts_before :], self.sign_texts[block.signs_before :]
        self.segment_count, self.marks.count = block.texts_before, block.marks_before
        self.segments.size = self.segment_count * sizeof(Segment)
        self.signs.size = block.signs_before * sizeof(Segment)
        return 0

    cdef int add(self, const char *text, int size) except -1:
        cdef const unsigned char *bytes = <const unsigned char *>text
        cdef int solid = 0
        if self.title_depth >= 0:
            put(&self.title_text, text, size)
        if self.invisible or self.unseen:
            return 0
        if self.open_verbatim:
            solid = add_verbatim(&self.run, bytes, size, self.classes)
        else:
            if self.in_power:
                self.begin_power(text, size)
            if not self.run.text.size and self.is_in_item():
                skip_bullet(&bytes, &size, self.classes)
            elif self.run.text.size <= BULLET_BYTES:
                solid = begin_bullet(&self.run, &bytes, &size, self.classes)
            solid += add_collapsed(&self.run, bytes, size, self.classes)
        if solid:
            self.after_break = False
            if self.open_links:
                self.segment.link_chars += solid
            self.note_own_text()
        return 0

    cdef int keep_apart(self) except -1:
        """Keep the words before and after this place apart."""
        if self.invisible or self.unseen:
            return 0
        if self.open_verbatim:
            return put(&self.run.text, " ", 1)
        run_seam(&self.run)
        return 0

    cdef void note_own_text(self) noexcept:
        """Note that the block or part around it has text of its own in the present piece."""
        cdef Open *holder
        if self.holder >= 0:
            holder = &self.open[self.holder]
            holder.last = self.border_count
            if holder.first < 0:
                holder.first = self.border_count

    cdef bint is_in_piece(self, const Open *one) noexcept:
        """Return whether nothing but text has been read since an element began."""
        return one.run == self.run_number and one.piece == self.border_count

    cdef bint is_in_heading(self) noexcept:
        return self.holder >= 0 and self.open[self.holder].traits & IS_HEADING != 0

    cdef bint is_in_row(self) noexcept:
        """Return whether the block around is a cell or a term."""
        return self.holder >= 0 and self.open[self.holder].traits & IS_OF_ROW != 0

    cdef bint is_in_item(self) noexcept:
        """Return whether the block around is an item of a list, or the first element in one."""
        if self.holder < 0:
            return False
        cdef Open *block = &self.open[self.holder]
        if block.traits & IS_ITEM:
            return True
        cdef Open *outer = &self.open[max(block.outer_holder, 0)]
        return outer.traits & IS_ITEM != 0 and block.node == outer.node + 1

    cdef int leave_out_anchor(self, Open *this) except -1:
        """Leave out a link to its own place: in a heading any sign, in a term or a cell one that stands for nothing else."""
        cdef Text *text = &self.run.text
        cdef Py_ssize_t size = text.size - this.start
        cdef bint is_heading = self.is_in_heading()
        if not self.is_in_piece(this) or size <= 0 or self.open_verbatim or not (
            is_heading or (size <= ANCHOR_BYTES and self.is_in_row())
        ):
            return 0
        sign = PyUnicode_DecodeUTF8(text.bytes + this.start, size, NULL)
        if _find_word(sign) is None if is_heading else sign.strip() in ANCHORS:
            text.size = this.start
            self.run.blank = c" "
        return 0

    cdef int begin_power(self, const char *text, int size) except -1:
        """Keep the digits of a power apart from those of its base."""
        cdef Run *run = &self.run
        cdef int number
        self.in_power = False
        if run.blank or not run.text.size or not c"0" <= run.text.bytes[run.text.size - 1] <= c"9" or not (
            c"0" <= text[0] <= c"9" or text[0] == c"-" or text[0] == c"+"
            or (size > 2 and not memcmp(text, b"\xe2\x88\x92", 3))   # the minus sign
        ):
            return 0
        put(&run.text, "^", 1)
        for number in range(self.marks.open_count):
            self.marks.open[number].start += self.marks.open[number].start == run.text.size - 1
        return 0

    cdef int open_bracket(self, Open *this) except -1:
        """Put the reading of characters into brackets where the page has none."""
        cdef Run *run = &self.run
        if self.unseen or self.open_verbatim or not run.text.size or run.text.bytes[run.text.size - 1] == c"(" or (
            run.text.size > 2 and not memcmp(run.text.bytes + run.text.size - 3, b"\xef\xbc\x88", 3)
        ):
            return 0
        run.blank = 0
        put(&run.text, "(", 1)
        this.start = run.text.size
        this.traits |= ADDS_BRACKET
        return 0

    cdef int close_bracket(self, Open *this) except -1:
        cdef Text *text = &self.run.text
        if self.is_in_piece(this) and text.size == this.start:
            text.size -= 1
        elif this.run == self.run_number:
            self.run.blank = 0
            put(text, ")", 1)
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

    cdef void begin_line(self) noexcept:
        """Begin a line of the same text."""
        if not self.invisible and not self.unseen and not self.open_verbatim:
            run_break(&self.run)

    cdef int add_border(self, int inline_to, int inline_from, int owner) except -1:
        """Note that another piece of the run's text begins, which this element holds."""
        cdef Border *border
        if not self.run.text.size and not self.border_count and not has_marks(&self.marks):
            self.segment.inline_from = inline_from
            return 0
        if self.border_count == self.most_borders:
            self.most_borders = 2 * self.most_borders + 16
            self.borders = <Border *>resized(self.borders, self.most_borders * sizeof(Border))
        if not self.border_count:
            self.first_owner = self.block
        border = &self.borders[self.border_count]
        self.border_count += 1
        border.size, border.inline_to, border.cover = self.run.text.size, inline_to, 0
        border.behind = self.segment
        border.behind.owner, border.behind.inline_from = owner, inline_from
        border.behind.inline_to = self.open_links
        return 0

    cdef void cover(self, const Open *holder) noexcept:
        """Join the pieces between the first and the last one that are text of this block or part itself."""
        if holder.first < holder.last and holder.first < self.border_count:
            self.borders[holder.first].cover += 1
            if holder.last < self.border_count:
                self.borders[holder.last].cover -= 1

    cdef int flush(self) except -1:
        """End the current run of text; keep what it holds."""
        cdef int holder = self.holder
        cdef Open *this
        while holder >= 0:
            this = &self.open[holder]
            if self.border_count:
                self.cover(this)
            this.first = this.last = -1
            if not this.traits & IS_PART:
                break
            this.holds_block = True
            holder = this.outer_holder
        if self.border_count:
            self.end_pieces()
        else:
            self.segment.owner, self.segment.inline_to = max(self.block, 0), self.node_count
            self.end_segment(&self.segment, 0, self.run.text.size)
        if has_marks(&self.marks):
            end_marks(&self.marks, self.run.text.size)
        run_begin(&self.run)
        self.run_number += 1
        self.segment = Segment(0, self.node_count, 0, self.open_links, 0, 0, 0)
        self.after_break = False
        return 0

    cdef int end_pieces(self) except -1:
        """End a run of several pieces: those that stand in one text are one segment."""
        cdef Segment one = self.segment, total = self.segment
        cdef Border *border
        cdef Py_ssize_t start = 0
        cdef int number, covered = 0
        one.links, one.link_chars, one.external_links, one.page_links = 0, 0, 0, 0
        one.owner = max(self.first_owner, 0)
        cdef Segment before = one
        for number in range(self.border_count + 1):
            if number < self.border_count:
                border = &self.borders[number]
                covered += border.cover
                if covered:
                    continue
                total, one.inline_to = border.behind, border.inline_to
            else:
                border = NULL
                total, one.inline_to = self.segment, self.node_count
            one.links += total.links - before.links
            one.link_chars = total.link_chars - before.link_chars
            one.external_links = total.external_links - before.external_links
            one.page_links = total.page_links - before.page_links
            self.end_segment(&one, start, self.run.text.size if border == NULL else border.size)
            if border != NULL:
                before, start = total, border.size
                one.owner, one.inline_from = max(total.owner, 0), total.inline_from
                one.links = total.inline_to
        self.border_count = 0
        return 0

    cdef int end_segment(self, Segment *segment, Py_ssize_t start, Py_ssize_t end) except -1:
        """Keep a stretch of the run's text as a segment if it holds a word, as a sign if it is shown at all."""
        cdef Run *run = &self.run
        cdef Py_ssize_t shift = start
        cdef bint is_whole = start == 0 and end == run.text.size
        cdef int size = -1, number
        text = None
        if self.open_verbatim:
            while shift < end and run.text.bytes[shift] in b"\r\n":
                shift += 1
        elif not is_whole:
            while shift < end and run.text.bytes[shift] in b" \n":
                shift += 1
        if shift < end:
            text = PyUnicode_DecodeUTF8(run.text.bytes + shift, end - shift, NULL)
            if self.open_verbatim:
                text = text.strip("\r\n")
                if text.isspace():
                    text = None
        if text:
            size = end - shift
            if self.open_verbatim or (is_whole and run.classes & WORD) or _find_word(text) is not None:
                self.texts.append(text)
                put(&self.segments, <const char *>segment, sizeof(Segment))
                self.segment_count += 1
            elif not segment.link_chars or (not segment.page_links and self.is_in_row()):
                self.sign_texts.append(text)
                segment.links = self.segment_count
                put(&self.signs, <const char *>segment, sizeof(Segment))
            else:
                size = -1
        if has_marks(&self.marks):
            number = self.segment_count + <int>len(self.sign_texts) - (size >= 0)
            add_slice(&self.marks, Slice(start, end, shift, size, number, segment.inline_from))
        return 0
