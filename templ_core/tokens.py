"""The one tokeniser: words of alphabetic scripts, characters of scripts without word spaces."""

import re

_UNSPACED = (
    "\u0e00-\u0e7f"  # Thai
    "\u0e80-\u0eff"  # Lao
    "\u1000-\u109f"  # Burmese
    "\u1780-\u17ff"  # Khmer
    "\u3040-\u30ff"  # Hiragana, Katakana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\U00020000-\U0002fa1f"  # Han, supplementary planes
)
_ASCII_TOKEN = re.compile(r"\w+", re.ASCII)
_TOKEN = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")


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
