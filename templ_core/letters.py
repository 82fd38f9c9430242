"""Classes of characters: letters, white space, digits, upper case and punctuation marks.

UNSEEN are the soft hyphen and the zero-width characters that only say where a line may break. The joiners of
Persian, Hindi and emoji and the marks of direction are not among them, because they change what a reader sees.
"""

import functools

import numpy as np

from templ_core.array_types import UInt16s, UInt32s
from templ_core.tokens import UNSPACED_RANGES

WORD, UNSPACED, UPPER, DIGIT, SPACE = 1, 2, 4, 8, 16
SENTENCE_END, CLOSER, COMMA, SEPARATOR, COPYRIGHT = 32, 64, 128, 256, 512
DOT, DATE_MARK, COLON, UNSEEN = 1024, 2048, 4096, 8192
UNSEEN_MARKS = "\u00ad\u200b\u2060\ufeff"
WITHOUT_UNSEEN = str.maketrans("", "", UNSEEN_MARKS)
"""What `str.translate` takes to leave out the marks that nobody sees."""
_MARKS = {
    SENTENCE_END: ".!?…。！？؟।",
    CLOSER: "\"'”’»)]",
    COMMA: ",،、，",
    SEPARATOR: "|»›•·→←©/",
    COPYRIGHT: "©",
    DOT: ".",
    DATE_MARK: "./-",
    COLON: ":：",
    UNSEEN: UNSEEN_MARKS,
}
KNOWN = 0x20000
"""The tables end before this code point; each character from it on is a word of its own."""


@functools.cache
def letter_tables() -> tuple[UInt16s, UInt32s]:
    """Return tables of the classes and the lower case of each code point below KNOWN.

    Both have one entry more, which stands for all code points from KNOWN on.
    """
    characters = np.arange(KNOWN, dtype=np.uint32).view("U1")
    is_word = np.strings.isalnum(characters)
    classes = np.zeros(KNOWN + 1, np.uint16)
    classes[:-1] = (
        WORD * is_word
        | DIGIT * np.strings.isdecimal(characters)
        | UPPER * (is_word & np.strings.isupper(characters))
        | SPACE * np.strings.isspace(characters)
    )
    lower = np.arange(KNOWN + 1, dtype=np.uint32)
    for point in np.flatnonzero(is_word & np.strings.istitle(characters)):
        small = chr(point).lower()
        if len(small) == 1:
            lower[point] = ord(small)
    classes[ord("_")] = WORD
    for bits, marks in _MARKS.items():
        classes[[ord(mark) for mark in marks]] |= bits
    for first, last in UNSPACED_RANGES:
        classes[first : last + 1] |= UNSPACED
    classes[KNOWN] = WORD | UNSPACED
    return classes, lower
