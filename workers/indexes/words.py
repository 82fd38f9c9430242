"""Text and queries in the form that SQLite's tokeniser splits into the tokens of `templ_core.tokens`."""

import re

from templ_core.tokens import UNSPACED, tokenise
from workers.errors import UsageProblem

_SEPARATOR = "\u200b"
"""Zero-width space, which SQLite's tokeniser takes for a border and a reader does not see."""
_UNSPACED = re.compile(UNSPACED)
_PHRASE_OR_WORD = re.compile(r'"([^"]*)"?|([^\s"]+)')


def separated(text: str) -> str:
    """Return a text with a border before each character that is a token by itself.

    >>> separated("x86 中文").split("\u200b")
    ['x86 ', '中', '文']
    """
    return text if text.isascii() else _UNSPACED.sub(_SEPARATOR + r"\g<0>", text)


def joined(text: str) -> str:
    """Return a text without the borders that `separated` puts into it."""
    return text.replace(_SEPARATOR, "")


def match_expression(query: str, *, any_word: bool = False) -> str:
    """Return a user's query as an expression of SQLite's full-text search.

    Args:
        query: Words, and phrases between quotation marks. No character has another meaning.
        any_word: Whether one word or phrase is enough; otherwise all are required.

    Raises:
        UsageProblem: The query has no word.

    >>> match_expression('council "new bridge"')
    '"council" AND "new bridge"'
    """
    parts = [phrase or word for phrase, word in _PHRASE_OR_WORD.findall(query)]
    phrases = [" ".join(tokens) for part in parts if (tokens := tokenise(part))]
    if not phrases:
        raise UsageProblem(f"the query {query!r} has no word to search for")
    return (" OR " if any_word else " AND ").join(f'"{phrase}"' for phrase in phrases)
