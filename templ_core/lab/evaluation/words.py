"""Word F1 of a cleaned text against gold text, and F1 of what was removed."""

import re
from collections import Counter

import msgspec

from templ_core.tokens import UNSPACED_RANGES

_WORD = re.compile(r"\w+")
_LETTER = re.compile(r"\w")
_UNSPACED = re.compile(f"[{''.join(f'{chr(a)}-{chr(z)}' for a, z in UNSPACED_RANGES)}]")
_UNSPACED_SHARE = 0.3
"""Of the letters of a text; from here on its words cannot be told by blanks."""
TEMPLATE_WORDS_MIN = 20
"""Pages with fewer template words have no template F."""

Words = Counter[str]


class WordScore(msgspec.Struct, frozen=True, kw_only=True):
    """Precision, recall and F1 over the words of one page; each 0 to 1."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def word_counts(text: str) -> Words:
    r"""Multiset of `\w+`, lower-cased."""
    return Counter(_WORD.findall(text.lower()))


def letter_counts(text: str) -> Words:
    """Multiset of letters and digits, lower-cased."""
    return Counter(_LETTER.findall(text.lower()))


def is_unspaced(text: str) -> bool:
    """Whether a text is of a script without blanks between words: Chinese, Japanese, Thai, ..."""
    letters = len(_LETTER.findall(text))
    return letters > 0 and len(_UNSPACED.findall(text)) >= _UNSPACED_SHARE * letters


def score_text(output: Words, gold: Words, neutral: Words) -> WordScore:
    """Score of an output; neutral words beyond the gold neither help nor hurt.

    Args:
        output: Words of the cleaned text.
        gold: Words of the gold text.
        neutral: Words of the page that are neither content nor template.
    """
    scored = output - ((output - gold) & neutral)
    return _overlap(scored, gold)


def score_template(output: Words, gold: Words, neutral: Words, page: Words) -> WordScore | None:
    """Score of what was removed against the page's template; None with too little template.

    Args:
        output: Words of the cleaned text.
        gold: Words of the gold text.
        neutral: Words of the page that are neither content nor template.
        page: Words of the whole page.
    """
    template = page - gold - neutral
    if template.total() < TEMPLATE_WORDS_MIN:
        return None
    neutral_kept = (output - gold) & neutral
    removed = (page - output) - (neutral - neutral_kept)
    return _overlap(removed, template)


def _overlap(found: Words, wanted: Words) -> WordScore:
    both = (found & wanted).total()
    return WordScore(
        precision=both / found.total() if found else 0.0,
        recall=both / wanted.total() if wanted else 0.0,
    )
