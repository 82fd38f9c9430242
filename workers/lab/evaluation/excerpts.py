"""Excerpts that show people how two texts differ."""

from collections.abc import Sequence

from templ_core.lab.evaluation.words import WordCounts, word_counts
from templ_core.tokens import tokenise

_RUN = 3
_FOREIGN_SHARE = 0.5
_MOST_CHARS = 1500


def lines_missing_from(text: str, other: str) -> str:
    """Return the lines of a text that another text lacks.

    A line is lacking if more than half of its runs of three words do not occur in the other text.
    The result is cut after 1500 characters.

    Args:
        text: The lines to choose from.
        other: The text in which they are searched.
    """
    known = {size: set(_runs(tokenise(other.lower()), size)) for size in range(1, _RUN + 1)}
    found: list[str] = []
    size = 0
    for line in text.splitlines():
        words = tokenise(line.lower())
        runs = _runs(words, min(_RUN, len(words)))
        foreign = sum(run not in known[len(run)] for run in runs)
        if foreign <= _FOREIGN_SHARE * len(runs):
            continue
        found.append(line.strip())
        size += len(line)
        if size > _MOST_CHARS:
            return "\n".join(found)[:_MOST_CHARS] + " ..."
    return "\n".join(found)


def apart_from_neutral(lines: str, neutral: WordCounts) -> tuple[str, str]:
    """Return the lines that count, and the lines that consist of neutral words.

    Args:
        lines: Lines of an output that the gold text lacks.
        neutral: Words of the page that are neither content nor template.
    """
    counted: list[str] = []
    free: list[str] = []
    for line in lines.splitlines():
        (free if word_counts(line) <= neutral else counted).append(line)
    return "\n".join(counted), "\n".join(free)


def _runs(words: Sequence[str], size: int) -> list[tuple[str, ...]]:
    return [tuple(words[at : at + size]) for at in range(len(words) - size + 1)] if size else []
