"""The tokeniser: words, and single characters in scripts that do not put spaces between words."""

import re

from templ_core.patterns import pattern

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
"""First and last code points of scripts without spaces between words."""
UNSPACED = "[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in UNSPACED_RANGES) + "]"
"""Pattern of a character that is a token by itself."""
WORD = rf"[^\W{UNSPACED[1:-1]}]"
"""Pattern of a character that may be part of a word."""
_ASCII_TOKEN = pattern(r"\w+", re.ASCII)
_TOKEN = pattern(rf"{UNSPACED}|{WORD}+")


def tokenise(text: str) -> list[str]:
    r"""Return the tokens of a text in order, as they are written.

    Each Chinese, Japanese, Thai, Lao, Burmese or Khmer character is a token; elsewhere a token is a
    run of word characters (`\w+`).

    >>> tokenise("Two words, 中文 x86")
    ['Two', 'words', '中', '文', 'x86']
    """
    return (_ASCII_TOKEN if text.isascii() else _TOKEN).findall(text)
