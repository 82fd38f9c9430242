"""What the style and the names of an element say about whether, and how, a browser shows its text."""

from libc.string cimport strchr, strpbrk, strstr

import re

cdef object _is_for_screen_reader = re.compile(
    r"(?i)(?!not-)[\w-]{0,40}?(?:off-?screen|(?:sr[-_]?(?:only|text)|visually[-_]?hidden|hidden-(?:visually|accessible)|readers?-only"
    r"|screen-?(?:reader|only)(?:-?only)?|a(?:11|ll)y-(?:hidden|text|only)|accessib(?:ly|ility|le)-hidden|show-for-sr|assistive-text|element-invisible|mw-editsection)(?:[s_-][\w-]{0,40})?)"
).fullmatch
"""Tells the classes by which frameworks and sites hide text from all but screen readers, and that of a wiki's links for editors."""
_HIDDEN = frozenset(("hidden", "is-hidden", "d-none", "hide", "invisible", "ng-hide", "uk-hidden", "w3-hide", "display-none", "u-hide", "hiddenStructure"))
"""Classes by which Bootstrap, Tailwind and others hide text, unless another class shows it in some windows."""
cdef object _shows = re.compile(r"[\w-]+:.+|d-\w+-\w+|(?:visible|show)-.+").fullmatch
_DIALOGS = ("modal", "popup", "pop-up", "dialog", "lightbox", "overlay", "offcanvas", "off-canvas")
cdef object _find_dialog = re.compile(rf"(?<![a-z])(?:alert)?(?:{'|'.join(_DIALOGS)})(?![a-z])").search
cdef object _find_hiding = re.compile(
    r"(?i)(?<![\w-])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)"
    r"|clip\s*:\s*rect\(\s*[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?[\s,]+[01](?:px)?\s*\)|clip-path\s*:\s*inset\(\s*(?:50|100)%"
    r"|(?:left|top|text-indent)\s*:\s*-(?:\d{4,}px|\d{3,}r?em))"
    r"|\A(?=.*(?<![\w-])width\s*:\s*[01]px)(?=.*(?<![\w-])height\s*:\s*[01]px).*overflow\s*:\s*hidden"
).search
_NOTHING = r"[.0]+(?:px|r?em|pt|%)?\s*(?:!\s*important\s*)?(?:;|\Z)"
cdef object _find_fading = re.compile(
    rf"(?i)(?<![\w-])(?:opacity\s*:\s*{_NOTHING}|transform\s*:\s*scale\(\s*[.0]+\s*(?:,\s*[.0]+\s*)?\)"
    r"|content-visibility\s*:\s*hidden|clip-path\s*:\s*circle\(\s*[.0]+(?:px|%)?\s*[)a])"
).search
cdef object _find_motion = re.compile(r"(?i)transition|animation|will-change|translate|filter").search
"""What shows that a script makes an element appear."""
cdef object _find_flat = re.compile(
    rf"(?i)\A(?=.*(?<![\w-])overflow(?:-y)?\s*:\s*(?:hidden|clip)).*(?<![\w-])(?:max-)?height\s*:\s*{_NOTHING}"
).search
cdef object _find_box = re.compile(
    r"(?i)(?<![\w-])(?:display\s*:\s*(?!inline\s*(?:[;!]|\Z))|position\s*:\s*(?:absolute|fixed)|float\s*:\s*[lr])"
).search
cdef object _find_no_font = re.compile(rf"(?i)(?<![\w-])(?:font-size\s*:\s*{_NOTHING}|font\s*:\s*[.0]+(?:px)?[\s/])").search
cdef object _find_display = re.compile(
    r"(?i)(?<![\w-])display\s*:\s*(?:(?P<cell>table-cell)|(?P<block>block|flex|grid|flow-root|list-item|table(?:-row)?))\s*(?:[;!]|\Z)"
).search
cdef object _find_row = re.compile(r"(?i)(?<![\w-])display\s*:\s*table-row\s*(?:[;!]|\Z)").search


cdef bint style_hides(const char *style) except -1:
    """Return whether a style hides its element; most styles name none of the properties."""
    if strstr(style, "isp") == NULL and strstr(style, "isi") == NULL and strstr(style, "clip") == NULL and (
        strstr(style, "idden") == NULL and not _is_far(style) and _is_ascii_lower(style)
    ):
        return False
    return _find_hiding(style.decode()) is not None


cdef int style_display(const char *style) except -1:
    """Return whether a style makes a block or a cell of an element that stands in a line otherwise."""
    if strstr(style, "isplay") == NULL and _is_ascii_lower(style):
        return IN_LINE
    found = _find_display(style.decode())
    return IN_LINE if found is None else AS_CELL if found["cell"] else AS_BLOCK


cdef int style_fading(const char *style) except -1:
    """Return how a style shows nothing of its element; most styles have no such number."""
    if _is_ascii_lower(style) and strstr(style, "content-vis") == NULL and strstr(style, "scale(") == NULL and (
        strstr(style, "circle(") == NULL and not _is_nothing(style, "opacity") and not _is_nothing(style, "height")
        and not _is_nothing(style, "font")
    ):
        return STAYS
    text = style.decode()
    if _find_fading(text) is not None:
        return STAYS if _find_motion(text) is not None else FADES
    if _find_flat(text) is not None:
        return FADES if _find_box(text) is not None else FLATTENS
    return SHRINKS_FONT if _find_no_font(text) is not None else STAYS


cdef bint _is_nothing(const char *style, const char *name) noexcept:
    """Return whether a number of a property whose name has this in it begins with a zero or a point."""
    style = strstr(style, name)
    while style != NULL:
        while style[0] and (c"a" <= style[0] <= c"z" or style[0] in b"-: "):
            style += 1
        if style[0] in b"0.":
            return True
        style = strstr(style, name)
    return False


cdef bint _is_far(const char *style) noexcept:
    """Return whether a style has a negative number of three figures or more."""
    style = strchr(style, c"-")
    while style != NULL:
        if c"1" <= style[1] <= c"9" and c"0" <= style[2] <= c"9" and c"0" <= style[3] <= c"9":
            return True
        style = strchr(style + 1, c"-")
    return False


cdef bint _is_ascii_lower(const char *text) noexcept:
    """Return whether the text is ASCII without upper case."""
    while text[0]:
        if text[0] & 0x80 or c"A" <= text[0] <= c"Z":
            return False
        text += 1
    return True


cdef bint names_dialog(const char *names) except -1:
    cdef str text
    if names == NULL or strpbrk(names, "oO") == NULL:
        return False
    text = names.decode().lower()
    for name in _DIALOGS:
        if name in text:
            return _find_dialog(text) is not None
    return False


cdef bint names_hide(const char *names) except -1:
    """Return whether the names of classes say that nobody sees the text, or only screen readers have it."""
    if strstr(names, "nly") == NULL and strstr(names, "hid") == NULL and strstr(names, "Hid") == NULL and (
        strstr(names, "creen") == NULL and strstr(names, "visible") == NULL and strstr(names, "d-none") == NULL
        and strstr(names, "-sr") == NULL and strstr(names, "sr-text") == NULL and strstr(names, "y-text") == NULL
        and strstr(names, "y-none") == NULL and strstr(names, "assistive") == NULL and strstr(names, "mw-edit") == NULL
    ):
        return False
    classes = names.decode().split()
    if any(map(_is_for_screen_reader, classes)):
        return True
    return not _HIDDEN.isdisjoint(classes) and not any(map(_shows, classes))


cdef bint style_makes_row(const char *style) except -1:
    """Return whether a style makes a row of cells of its element."""
    return strstr(style, "table-row") != NULL and _find_row(style.decode()) is not None
