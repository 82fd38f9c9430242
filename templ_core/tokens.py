"""The one tokeniser: words of alphabetic scripts, characters of scripts without word spaces."""

import re

UNSPACED_RANGES = (
    (0x0E00, 0x0E7F),  # Thai
    (0x0E80, 0x0EFF),  # Lao
    (0x1000, 0x109F),  # Burmese
    (0x1780, 0x17FF),  # Khmer
    (0x3040, 0x30FF),  # Hiragana, Katakana
    (0x3400, 0x4DBF),  # Han
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2FA1F),  # Han, supplementary planes
)
"""First and last code point of scripts without spaces between words."""
UNSPACED = "[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in UNSPACED_RANGES) + "]"
"""Pattern of a character that is a token by itself."""
WORD = rf"[^\W{UNSPACED[1:-1]}]"
"""Pattern of a character of words."""
SYMBOL = rf"[^\w\s{UNSPACED[1:-1]}]"
"""Pattern of a character that is neither white space nor in a word."""
JOINER = "[.,:/@'’&=?#%+~$€£¥-]"
"""Pattern of a mark that makes one compound of the words at its sides."""
JOINERS_MAX = 3
"""Longest run of marks inside a compound, as in `https://a.org`."""
_ASCII_TOKEN = re.compile(r"\w+", re.ASCII)
_TOKEN = re.compile(rf"{UNSPACED}|{WORD}+")
_ASCII_COMPOUND = rf"\w++(?:{JOINER}{{1,{JOINERS_MAX}}}\w++)*+"
_ANY_COMPOUND = rf"{WORD}++(?:{JOINER}{{1,{JOINERS_MAX}}}{WORD}++)*+"
_LINE = r"\n"
_ASCII_LINES = re.compile(f"{_ASCII_COMPOUND}|{_LINE}", re.ASCII)
_LINES = re.compile(f"{_ANY_COMPOUND}|{_LINE}|{UNSPACED}")
_ASCII_MARKUP = re.compile(f"{_ASCII_COMPOUND}|{SYMBOL}++", re.ASCII)
_MARKUP = re.compile(f"{_ANY_COMPOUND}|{SYMBOL}++|{UNSPACED}")


def tokenise(text: str) -> list[str]:
    r"""Tokens of `text` in order, as written.

    Each Chinese, Japanese, Thai, Lao, Burmese or Khmer character is a token; elsewhere a token is a
    run of word characters (`\w+`).

    >>> tokenise("Two words, 中文 x86")
    ['Two', 'words', '中', '文', 'x86']
    """
    return (_ASCII_TOKEN if text.isascii() else _TOKEN).findall(text)


def count_tokens(text: str) -> int:
    """Number of tokens of `text`."""
    return len(tokenise(text))


def line_tokens(text: str) -> re.Pattern[str]:
    r"""The pattern of the compounds, characters and line feeds of `text`.

    A compound is a word or words joined by marks without white space: numbers, times, addresses are
    one token each. Whether a token starts or ends somewhere can be told from the four characters on
    either side.

    >>> line_tokens("").findall("Read at 12:30\nhttps://a.org/b?c=1")
    ['Read', 'at', '12:30', '\n', 'https://a.org/b?c=1']
    """
    return _ASCII_LINES if text.isascii() else _LINES


def markup_tokens(text: str) -> re.Pattern[str]:
    """The pattern of compounds, characters, and runs of other symbols: for markup as it is.

    >>> markup_tokens("").findall('<p class="a">x y</p>')
    ['<', 'p', 'class', '="', 'a', '">', 'x', 'y', '</', 'p', '>']
    """
    return _ASCII_MARKUP if text.isascii() else _MARKUP
