"""Scores of a cleaned text by its words: F1 against the gold text, words left, edit distance."""

import re
from collections import Counter
from collections.abc import Sequence

import msgspec
import numpy as np
from lxml import etree
from lxml.cssselect import CSSSelector

from templ_core.array_types import Bools
from templ_core.dom.tags import INLINE
from templ_core.lab.near_duplicates import distinct_plain_texts
from templ_core.letters import WITHOUT_UNSEEN
from templ_core.tokens import UNSPACED_RANGES, tokenise

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
    r"""Return the words of a text (`\w+`) in order, in lower case, without soft hyphens and the like.

    >>> word_list("It's 3 o'clock.")
    ['it', 's', '3', 'o', 'clock']
    """
    return _WORD.findall(text.translate(WITHOUT_UNSEEN).lower())


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
    """
    scored = output - ((output - gold) & neutral)
    return _overlap(scored, gold)


def score_template(
    output: WordCounts, gold: WordCounts, neutral: WordCounts, page: WordCounts
) -> WordScore | None:
    """Return the score of the removed text against the page's template; None if it has few words."""
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


_INVISIBLE = frozenset(["script", "style", "noscript", "template", "head", "iframe", "object"])


def page_words(html: str, neutral_selector: str | None) -> tuple[WordCounts, WordCounts]:
    """Return the visible words of the page, and those of its neutral elements, which a CSS selector names.

    >>> everything, neutral = page_words("<h1>A title</h1><p>Some text</p>", "h1")
    >>> sorted(everything), sorted(neutral)
    (['a', 'some', 'text', 'title'], ['a', 'title'])
    """
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True)
    root = etree.fromstring(html.encode("utf-8", "replace"), parser) if html.strip() else None
    if root is None:
        return WordCounts(), WordCounts()
    neutral = WordCounts()
    if neutral_selector:
        selected = CSSSelector(neutral_selector, translator="html")(root)
        chosen = set(selected)
        for element in selected:
            if not chosen.intersection(element.iterancestors()):
                neutral += word_counts(visible_text(element))
    return word_counts(visible_text(root)), neutral


def visible_text(root: etree._Element) -> str:
    """Return the text outside scripts, styles and the like, with blanks between blocks."""
    parts: list[str] = []
    todo: list[tuple[etree._Element, bool]] = [(root, False)]
    while todo:
        element, done = todo.pop()
        tag = element.tag if isinstance(element.tag, str) else ""
        if not done:
            if tag and tag not in _INVISIBLE:
                parts.append("" if tag in INLINE and tag != "br" else " ")
                parts.append(element.text or "")
                todo.append((element, True))
                todo.extend((child, False) for child in reversed(element))
            elif element is not root:
                parts.append(element.tail or "")
            continue
        parts.append("" if tag in INLINE else " ")
        if element is not root:
            parts.append(element.tail or "")
    return "".join(parts)


RUN_WORDS = 4
"""Words of the shortest run that counts as left; single words of a page's language recur anyway."""


def words_left(text: str, cleaned: str) -> int:
    """Return how many words of a text stand in a run of RUN_WORDS words that a cleaned text has, too.

    >>> words_left("one two three four five", "zero one two three four six")
    4
    """
    return int(in_shared_runs(word_list(text), word_list(cleaned), RUN_WORDS).sum())


def in_shared_runs(words: Sequence[str], others: Sequence[str], size: int) -> Bools:
    """Return which words are in a run of `size` words that the others have, too."""
    runs = {tuple(others[at : at + size]) for at in range(len(others) - size + 1)}
    is_shared = np.zeros(len(words), np.bool_)
    for at in range(len(words) - size + 1):
        if tuple(words[at : at + size]) in runs:
            is_shared[at : at + size] = True
    return is_shared


def text_distance(one: str, other: str) -> float:
    """Return the edit distance of two texts in words, divided by the words of the longer text.

    It is 0 for equal texts and 1 for texts that share nothing. Letter case does not count.

    >>> text_distance("One two, three four", "one TWO three")
    0.25
    """
    words, others = tokenise(one.lower()), tokenise(other.lower())
    longer = max(len(words), len(others))
    return edit_distance(words, others) / longer if longer else 0.0


def edit_distance(one: Sequence[str], other: Sequence[str]) -> int:
    """Return Levenshtein's distance: the least number of insertions, deletions and replacements.

    The table of the dynamic programme is filled one row at a time. Within a row, the insertions are
    a running minimum of the values minus their column. It takes time of len(one) * len(other).

    >>> edit_distance(["a", "b", "c"], ["b", "x"])
    2
    """
    number = {word: place for place, word in enumerate(dict.fromkeys([*one, *other]))}
    columns = np.array([number[word] for word in other], np.int64)
    ramp = np.arange(len(other) + 1)
    row = ramp.copy()
    for above, word in enumerate(one, 1):
        best = np.empty_like(row)
        best[0] = above
        best[1:] = np.minimum(row[1:] + 1, row[:-1] + (columns != number[word]))
        row = np.minimum.accumulate(best - ramp) + ramp
    return int(row[-1])


SENTENCE_WORDS_MIN = 8
"""Words of the shortest sentence that counts; labels and headings are often the same by chance."""
REPEATED_PAGES_MIN = 4
"""Fewest pages that have a repeated sentence."""
REPEATED_PAGES_RATIO = 0.1
"""Least share of a site's pages that have a repeated sentence, 0 to 1."""

_SENTENCE_END = re.compile(r"\n|(?<=[.!?…])\s|(?<=[。！？])")


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a text in order; each ends at a full stop or the like, or with its line.

    >>> sentences_of("It rains. It pours.")
    ['It rains.', 'It pours.']
    """
    return _SENTENCE_END.split(text)


class RepeatedText(msgspec.Struct, frozen=True, kw_only=True):
    """Published words of one site, or summed over sites."""

    words: int
    repeated_words: int
    """Words that stand in repeated sentences."""

    @property
    def ratio(self) -> float:
        """Share of the published words that stand in repeated sentences, 0 to 1."""
        return self.repeated_words / self.words if self.words else 0.0

    def __add__(self, other: "RepeatedText") -> "RepeatedText":
        return RepeatedText(
            words=self.words + other.words,
            repeated_words=self.repeated_words + other.repeated_words,
        )


def repeated_text(texts: Sequence[str]) -> RepeatedText:
    """Return how much of a site's cleaned texts is repeated.

    A sentence is repeated that has at least SENTENCE_WORDS_MIN words and stands on at least
    REPEATED_PAGES_MIN pages and on REPEATED_PAGES_RATIO of them. Near-duplicates of a page are left
    out.

    >>> notice = "We use cookies to make this site a better place."
    >>> stories = ["A fox ran.", "Rain fell on the town.", "Two boats sank.", "Prices went up."]
    >>> repeated_text([f"{story} {notice}" for story in stories]).repeated_words
    40
    """
    pages = [
        [tokenise(one.lower()) for one in sentences_of(texts[index])]
        for index in distinct_plain_texts(texts)
    ]
    on_pages = Counter(
        sentence
        for page in pages
        for sentence in {tuple(one) for one in page if len(one) >= SENTENCE_WORDS_MIN}
    )
    least_pages = max(REPEATED_PAGES_MIN, REPEATED_PAGES_RATIO * len(pages))
    sentences = [one for page in pages for one in page]
    return RepeatedText(
        words=sum(map(len, sentences)),
        repeated_words=sum(len(one) for one in sentences if on_pages[tuple(one)] >= least_pages),
    )
