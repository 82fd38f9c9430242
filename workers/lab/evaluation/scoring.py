"""Scores of a text, or of the decisions on segments, against the gold of a page; excerpts that differ."""

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
from sklearn.metrics import adjusted_rand_score

from schemas.cleaned import TextSegment
from templ_core.array_types import Bools, Floats
from templ_core.clean_document import CleanedText
from templ_core.config import CoreConfig
from templ_core.dom.document import Document, read_document
from templ_core.errors import PageError
from templ_core.lab.evaluation.curves import score_histogram
from templ_core.lab.evaluation.report import PageScore
from templ_core.lab.evaluation.segments import Overlaps, largest_fragments, template_f
from templ_core.lab.evaluation.words import (
    WordCounts,
    is_unspaced,
    letter_counts,
    page_words,
    score_template,
    score_text,
    word_counts,
)
from templ_core.lab.training.pages import gold_words, page_labels
from templ_core.page_level.features.page_features import read_features
from templ_core.page_level.smoothing import section_numbers
from templ_core.tokens import tokenise
from workers.lab.evaluation.corpus_files import EvaluationPage

_RUN = 3
_FOREIGN_SHARE = 0.5
_MOST_CHARS = 1500


def lines_missing_from(text: str, other: str) -> str:
    """Return the lines of a text that another text lacks.

    A line is lacking if more than half of its runs of three words do not occur in the other text.
    The result is cut after 1500 characters.
    """
    known = {size: set(_runs(tokenise(other.lower()), size)) for size in range(1, _RUN + 1)}
    lacking: list[str] = []
    size = 0
    for line in text.splitlines():
        words = tokenise(line.lower())
        runs = _runs(words, min(_RUN, len(words)))
        foreign = sum(run not in known[len(run)] for run in runs)
        if foreign <= _FOREIGN_SHARE * len(runs):
            continue
        lacking.append(line.strip())
        size += len(line)
        if size > _MOST_CHARS:
            return "\n".join(lacking)[:_MOST_CHARS] + " ..."
    return "\n".join(lacking)


def apart_from_neutral(lines: str, neutral: WordCounts) -> tuple[str, str]:
    """Return the lines that count, and the lines that consist of neutral words."""
    counted: list[str] = []
    free: list[str] = []
    for line in lines.splitlines():
        (free if word_counts(line) <= neutral else counted).append(line)
    return "\n".join(counted), "\n".join(free)


def _runs(words: Sequence[str], size: int) -> list[tuple[str, ...]]:
    return [tuple(words[at : at + size]) for at in range(len(words) - size + 1)] if size else []


_CONFIG = CoreConfig()
_NEUTRAL = 2
"""Label of a segment that is neither template (0) nor content (1)."""


class TextScorer:
    """Scores texts against the gold of one page."""

    def __init__(self, page: EvaluationPage, markup: str) -> None:
        self._page = page
        self._everything, neutral = page_words(markup, page.neutral)
        counts = gold_words(page, _document(page), neutral)
        self._gold = counts.gold
        self.neutral = counts.neutral
        """Words that may be kept beyond the gold, see `gold_words`."""
        self._letters: tuple[WordCounts, WordCounts] | None = None
        if is_unspaced(page.gold_text):
            repeated, free = map(
                letter_counts, ("".join(page.repeats), "".join(counts.neutral_texts))
            )
            self._letters = letter_counts(page.gold_text) - repeated, free
        self._full_text_f1 = score_text(self._everything, self._gold, self.neutral).f1

    def score(self, text: str) -> PageScore:
        """Return the score of a text."""
        letters = None
        if self._letters is not None:
            letters = score_text(letter_counts(text), *self._letters).f1
        return self._score(word_counts(text), letters)

    def score_everything(self) -> PageScore:
        """Return the score of the whole visible text."""
        return self._score(self._everything, None)

    def _score(self, output: WordCounts, letters: float | None) -> PageScore:
        score = score_text(output, self._gold, self.neutral)
        template = score_template(output, self._gold, self.neutral, self._everything)
        return PageScore(
            corpus=self._page.corpus,
            site=self._page.site,
            page_type=self._page.page_type,
            seen=self._page.seen,
            f1=score.f1,
            precision=score.precision,
            recall=score.recall,
            character_f1=letters,
            template_f=template.f1 if template else None,
            full_text_f1=self._full_text_f1,
        )


def _document(page: EvaluationPage) -> Document | None:
    try:
        return read_document(
            page.body, page.url, content_type=page.content_type, charset=page.charset
        )
    except PageError:
        return None


class SegmentDecisions(msgspec.Struct, frozen=True, kw_only=True):
    """The decisions on a page's segments; columns of length n_segments."""

    kept: Bools
    templateness: Floats
    section: npt.NDArray[Any]


def decisions_of_cleaned(document: Document, cleaned: CleanedText) -> SegmentDecisions:
    """Return the decisions of a page that was cleaned just now."""
    decision = cleaned.decision
    return SegmentDecisions(
        kept=decision.kept,
        templateness=decision.templateness,
        section=section_numbers(document, decision.kept, decision.words, _CONFIG.section_penalty),
    )


def decisions_of_record(
    document: Document, segments: Sequence[TextSegment]
) -> SegmentDecisions | None:
    """Return the decisions of a record, or None if its segments are not those of the document."""
    if [one.text for one in segments] != document.segments.texts:
        return None
    return SegmentDecisions(
        kept=np.array([one.kept for one in segments], np.bool_),
        templateness=np.array([one.templateness for one in segments], np.float64),
        section=np.array([one.section for one in segments], np.int64),
    )


class SegmentScore(msgspec.Struct, frozen=True, kw_only=True):
    """The quality of the decisions on the segments of one page."""

    f: Overlaps
    histogram: Floats
    """Histogram of templateness that `score_histogram` returns."""
    adjusted_rand: float
    """Agreement of the sections with the gold segmentation."""


def score_segments(
    page: EvaluationPage, markup: str, document: Document, choice: SegmentDecisions
) -> SegmentScore | None:
    """Return the score of the decisions, or None for a page without segments."""
    if not document.segments.texts:
        return None
    labels = page_labels(page, document, markup, read_features(document).text)
    words = np.array([len(tokenise(text)) for text in document.segments.texts], np.float64)
    label = np.where(labels.counts, labels.content >= 0.5, _NEUTRAL).astype(np.int64)
    return SegmentScore(
        f=template_f(document, words, choice.kept, labels.content, labels.counts),
        histogram=score_histogram(
            choice.templateness, np.where(labels.counts, words, 0.0), labels.content
        ),
        adjusted_rand=adjusted_rand_score(choice.section, largest_fragments(document, label)),
    )
