"""Known-item queries: somebody who remembers words of a page looks for that page again."""

import random
import re
from collections.abc import Sequence

import msgspec

from templ_core.tokens import count_tokens, tokenise

_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+|\n")
_SENTENCE_TOKENS_MIN = 8
_QUERY_TOKENS = 5
_TITLE_TOKENS_MIN = 3
_WORD_LETTERS_MIN = 4


class KnownItem(msgspec.Struct, frozen=True):
    """A query and the page that it looks for."""

    site: str
    kind: str
    """`title` or `sentence`."""
    words: tuple[str, ...]
    wanted: frozenset[int]
    """Numbers of the page and of its exact copies."""


def title_words(title: str) -> tuple[str, ...]:
    """Return the words of a query by title, or nothing for a title that is too short to tell a page."""
    words = tuple(dict.fromkeys(tokenise(title.lower())))
    return words if len(words) >= _TITLE_TOKENS_MIN else ()


def sentence_words(gold_text: str, seed: str) -> tuple[str, ...]:
    """Return five words of a sentence of a text in their order, or nothing where no sentence has as many.

    Words of fewer than four letters are left out, but for scripts without spaces between words.

    Args:
        gold_text: The text that a person would keep of the page.
        seed: What the sentence and its words are chosen by.

    >>> sentence_words("The council opened the new bridge after seven years of work.", "a")
    ('council', 'opened', 'bridge', 'seven', 'work')
    """
    chosen = random.Random(seed)  # noqa: S311 - a sample, not security
    long = [
        one for one in _SENTENCE_END.split(gold_text) if count_tokens(one) >= _SENTENCE_TOKENS_MIN
    ]
    if not long:
        return ()
    words = list(dict.fromkeys(filter(_is_telling, tokenise(chosen.choice(long).lower()))))
    if len(words) < _QUERY_TOKENS:
        return ()
    numbers = sorted(chosen.sample(range(len(words)), _QUERY_TOKENS))
    return tuple(words[number] for number in numbers)


def _is_telling(word: str) -> bool:
    return len(word) >= _WORD_LETTERS_MIN or not word.isascii()


def reciprocal_rank(found: Sequence[int], wanted: frozenset[int]) -> float:
    """Return 1 over the rank of the first wanted page; 0 where none was found.

    >>> reciprocal_rank([7, 3, 9], frozenset([3]))
    0.5
    """
    return next((1 / rank for rank, page in enumerate(found, 1) if page in wanted), 0.0)
