# The classes of characters; equal to those of `templ_core.letters`.

cdef enum:
    WORD = 1
    UNSPACED = 2
    UPPER = 4
    DIGIT = 8
    SPACE = 16
    SENTENCE_END = 32
    CLOSER = 64
    COMMA = 128
    SEPARATOR = 256
    COPYRIGHT = 512
    DOT = 1024
    DATE_MARK = 2048
    COLON = 4096
    UNSEEN = 8192
    KNOWN = 0x20000


cdef inline bint letters_agree(dict constants) except -1:
    """Return whether the constants of `templ_core.letters` have these values."""
    return {
        "WORD": WORD, "UNSPACED": UNSPACED, "UPPER": UPPER, "DIGIT": DIGIT, "SPACE": SPACE,
        "SENTENCE_END": SENTENCE_END, "CLOSER": CLOSER, "COMMA": COMMA, "SEPARATOR": SEPARATOR,
        "COPYRIGHT": COPYRIGHT, "DOT": DOT, "DATE_MARK": DATE_MARK, "COLON": COLON,
        "UNSEEN": UNSEEN, "KNOWN": KNOWN,
    }.items() <= constants.items()
