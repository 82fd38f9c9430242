"""What of a text is not in another, for people to read."""

from collections.abc import Sequence

from templ_core.tokens import tokenise

_RUN = 3
_FOREIGN_SHARE = 0.5
_MOST_CHARS = 1500


def lines_beyond(text: str, other: str) -> str:
    """Lines of a text most of whose runs of three words are not in the other; cut after a page.

    Args:
        text: Lines.
        other: What they are looked for in.
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


def _runs(words: Sequence[str], size: int) -> list[tuple[str, ...]]:
    return [tuple(words[at : at + size]) for at in range(len(words) - size + 1)] if size else []
