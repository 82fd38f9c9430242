# What the style and the names of an element say about whether, and how, a browser shows its text.

cdef enum:
    # How a style leaves an element where it is and shows nothing of it.
    STAYS, FADES, FLATTENS, SHRINKS_FONT    # by its opacity or scale; by its height, if it is a box; its own text only

cdef enum:
    IN_LINE, AS_CELL, AS_BLOCK


cdef bint style_hides(const char *style) except -1
cdef int style_fading(const char *style) except -1
cdef int style_display(const char *style) except -1
cdef bint style_makes_row(const char *style) except -1
cdef bint names_dialog(const char *names) except -1
cdef bint names_hide(const char *names) except -1
