# What becomes of the text between tags: runs, the segments and signs that they end as, and their marks.

from libc.stdint cimport uint16_t

from templ_core._byte_string cimport Text
from templ_core.dom.parse._segment_text cimport Marks, Run

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
    IS_PART = 2048          # the text around it says whether it ends a run of text
    IS_UNKNOWN = 4096       # in no table of `templ_core.dom.tags`
    HOLDS_PHRASES = 8192
    IS_HEADING = 16384
    IS_READING = 32768      # of the characters before it: rt
    IS_POWER = 65536        # sup
    IS_NOSCRIPT = 262144
    IS_OF_ROW = 524288      # td, th, dt: its signs may say something, also where they are links
    ADDS_BRACKET = 131072   # behind the reading; known once it is open
    IS_DIALOG = 1 << 25
    IS_ITEM = 1 << 26       # li
    STAYS_KNOWN = 1 << 27   # html, body, main, tr, li: what they hide is shown later, as that of rows behind "more"
    BREAKS_LINE = 1 << 28   # an element in a line that its style makes a block; known once it is open

cdef enum:
    HIDDEN_FONT = 1 << 20   # of `unseen`: the letters of the element around have no size
    HIDDEN_CHARS_MAX = 300  # of the text of a hidden block that is left out

cdef enum:
    NOT_A_BREAK = IS_INLINE | IS_PART

cdef struct Segment:            # and of `Segments`
    int owner, inline_from, inline_to, links, link_chars, external_links, page_links

cdef struct Border:             # between two pieces of a run of text, where a part of it begins or ends
    Py_ssize_t size             # of the text before it
    Segment behind              # owner and first inline element of what is behind it, links of what is before it
    int inline_to               # of what is before it
    int cover                   # how many elements more have own text on both sides of it than of the last one

cdef struct Open:               # an element whose end has not been reached
    int traits
    int node                    # its row; -1 = invisible
    int outer_block             # row of the block or part around it; -1 = none
    int outer_holder            # place of that in the open elements
    int outer_unseen
    Py_ssize_t start            # size of the run's text where it begins
    int run, piece              # number of that run, and of the piece of it
    int first, last             # pieces of the run's text that are its own, of a block or part; -1 = none
    bint holds_block            # whether a segment has ended inside this part
    bint hides                  # whether a block hides its text for good
    bint needs_no_elements      # whether it hides it only if no element in it may show it again
    int texts_before, signs_before, marks_before, images_before


cdef class TextReader:
    cdef const uint16_t *classes
    cdef list texts, sign_texts
    cdef Marks marks
    cdef Text title_text            # of the open `title`
    cdef int title_depth            # of the open `title`; -1 = none is open
    cdef Run run
    cdef Open *open
    cdef int is_open, most_open, invisible, open_links, open_verbatim
    cdef int unseen                 # open inline elements with hidden text inside the innermost block
    cdef int block                  # row of the innermost open block or part; -1 = none
    cdef int holder                 # its place in the open elements
    cdef Text segments, signs       # their rows
    cdef int node_count, segment_count, images
    cdef Segment segment            # the one whose text `run` holds
    cdef Border *borders            # between the pieces of that text
    cdef int border_count, most_borders
    cdef int run_number
    cdef int first_owner            # of the first piece
    cdef bint in_power              # whether nothing of the `sup` that is open has been read
    cdef bint after_break

    cdef int enter_block(self, Open *this) except -1
    cdef int leave_block(self, Open *this) except -1
    cdef int add(self, const char *text, int size) except -1
    cdef int forget(self, const Open *block) except -1
    cdef int keep_apart(self) except -1
    cdef void note_own_text(self) noexcept
    cdef bint is_in_piece(self, const Open *one) noexcept
    cdef bint is_in_heading(self) noexcept
    cdef bint is_in_row(self) noexcept
    cdef bint is_in_item(self) noexcept
    cdef int leave_out_anchor(self, Open *this) except -1
    cdef int begin_power(self, const char *text, int size) except -1
    cdef int open_bracket(self, Open *this) except -1
    cdef int close_bracket(self, Open *this) except -1
    cdef int break_line(self) except -1
    cdef void begin_line(self) noexcept
    cdef int add_border(self, int inline_to, int inline_from, int owner) except -1
    cdef void cover(self, const Open *holder) noexcept
    cdef int flush(self) except -1
    cdef int end_pieces(self) except -1
    cdef int end_segment(self, Segment *segment, Py_ssize_t start, Py_ssize_t end) except -1
