# The classes of `templ_core.letters`.

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
    KNOWN = 0x20000
