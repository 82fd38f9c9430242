"""Word F1 of a cleaned text against its gold text, and of the text that was removed."""

import re
from collections import Counter

import msgspec

from templ_core.tokens import UNSPACED_RANGES

_WORD = re.compile(r"\w+")
_LETTER = re.compile(r"\w")
_UNSPACED = re.compile(f"[{''.join(f'{chr(a)}-{chr(z)}' for a, z in UNSPACED_RANGES)}]")
_UNSPACED_SHARE = 0.3
"""A text is written without blanks if at least this share of its letters is of such scripts."""
TEMPLATE_WORDS_MIN = 20
"""Pages with fewer template words have no F1 of removed text, which chance would decide."""

WordCounts = Counter[str]
"""How often each word (or letter) occurs."""


class WordScore(msgspec.Struct, frozen=True, kw_only=True):
    """Precision and recall over the words of one page; each 0 to 1."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall, 0 to 1."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def word_counts(text: str) -> WordCounts:
    """Return how often each word of a text occurs, in lower case."""
    return Counter(word_list(text))


def word_list(text: str) -> list[str]:
    r"""Return the words of a text (`\w+`) in order, in lower case.

    >>> word_list("It's 3 o'clock.")
    ['it', 's', '3', 'o', 'clock']
    """
    return _WORD.findall(text.lower())


def letter_counts(text: str) -> WordCounts:
    """Return how often each letter and digit of a text occurs, in lower case."""
    return Counter(_LETTER.findall(text.lower()))


def is_unspaced(text: str) -> bool:
    """Return whether a text is in a script without blanks: Chinese, Japanese, Thai and others."""
    letters = len(_LETTER.findall(text))
    return letters > 0 and len(_UNSPACED.findall(text)) >= _UNSPACED_SHARE * letters


def score_text(output: WordCounts, gold: WordCounts, neutral: WordCounts) -> WordScore:
    """Return the score of a cleaned text; neutral words beyond the gold neither help nor hurt.

    >>> score_text(word_counts("a title, the text"), word_counts("the text"), word_counts("title"))
    WordScore(precision=0.6666666666666666, recall=1.0)

    Args:
        output: Words of the cleaned text.
        gold: Words of the gold text.
        neutral: Words of the page that are neither content nor template.
    """
    scored = output - ((output - gold) & neutral)
    return _overlap(scored, gold)


def score_template(
    output: WordCounts, gold: WordCounts, neutral: WordCounts, page: WordCounts
) -> WordScore | None:
    """Return the score of the removed text against the page's template.

    Args:
        output: Words of the cleaned text.
        gold: Words of the gold text.
        neutral: Words of the page that are neither content nor template.
        page: Words of the whole page.

    Returns:
        None if the page has fewer than TEMPLATE_WORDS_MIN words of template.
    """
    template = page - gold - neutral
    if template.total() < TEMPLATE_WORDS_MIN:
        return None
    neutral_kept = (output - gold) & neutral
    removed = (page - output) - (neutral - neutral_kept)
    return _overlap(removed, template)


def _overlap(found: WordCounts, wanted: WordCounts) -> WordScore:
    both = (found & wanted).total()
    return WordScore(
        precision=both / found.total() if found else 0.0,
        recall=both / wanted.total() if wanted else 0.0,
    )
