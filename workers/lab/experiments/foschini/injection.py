"""Synthetic templates put into clean text: section 6.1 of Foschini's thesis (2007)."""

from collections.abc import Sequence
from random import Random

import msgspec

PLACES = ("block", "start of block", "end of block", "inside")
LENGTHS = (1, 2, 3, 4, 6, 8, 12, 20, 30)
_MUTABLE_FROM = 3
_HOST_WORDS_MIN = 5
_MONTHS = ("January", "March", "June", "August", "October", "December")


class Template(msgspec.Struct, frozen=True, kw_only=True):
    """A string of a synthetic template."""

    place: str
    """One of PLACES."""
    words: tuple[str, ...]
    slot: int | None
    """Which word is another number, time or date on every page; None = none is."""


class InjectedPage(msgspec.Struct, frozen=True, kw_only=True):
    """Clean text with strings of templates in it."""

    text: str
    spans: list[tuple[int, int, int]]
    """Number of the template, its first character, and that behind its last one; in order."""


def make_templates(vocabulary: Sequence[str], shift: int, rng: Random) -> list[Template]:
    """A string of each length, of words drawn from a vocabulary.

    Every second one from three words on has a slot.

    Args:
        vocabulary: Words to draw from.
        shift: The string of the i-th length has place number i + shift, modulo their number; its
            slot goes by the sum's next bit, so that shifts 0 to 7 give each length every kind.
        rng: Source of every choice.
    """
    templates = []
    for number, length in enumerate(LENGTHS):
        has_slot = length >= _MUTABLE_FROM and (number + shift) // len(PLACES) % 2 == 0
        templates.append(
            Template(
                place=PLACES[(number + shift) % len(PLACES)],
                words=tuple(rng.choice(vocabulary) for _ in range(length)),
                slot=rng.randrange(length) if has_slot else None,
            )
        )
    return templates


def inject(text: str, templates: Sequence[Template], share: float, rng: Random) -> InjectedPage:
    """The text with each template at a random place of its kind, once or not at all.

    Args:
        text: Lines of clean text; each with at least five words takes one string.
        templates: What to put in.
        share: Probability of each template, 0 to 1.
        rng: Source of every choice.
    """
    lines: list[list[tuple[int, str]]] = [[(-1, line)] for line in text.split("\n")]
    free = [line for line in lines if len(line[0][1].split()) >= _HOST_WORDS_MIN]
    rng.shuffle(free)
    for number, template in enumerate(templates):
        if rng.random() >= share:
            continue
        string = (number, " ".join(_filled(template, rng)))
        if template.place == "block":
            lines.insert(rng.randint(0, len(lines)), [string])
        elif free:
            _put_in(free.pop(), string, template.place, rng)
    return _joined(lines)


def _filled(template: Template, rng: Random) -> list[str]:
    words = list(template.words)
    if template.slot is not None:
        fillings = (
            str(rng.randrange(2, 10_000)),
            f"{rng.randrange(1, 13)}:{rng.randrange(10, 60)}",
            f"{rng.randrange(1, 29)}/{rng.randrange(1, 13)}/{rng.randrange(1990, 2030)}",
            rng.choice(_MONTHS),
        )
        words[template.slot] = fillings[template.slot % len(fillings)]
    return words


def _put_in(line: list[tuple[int, str]], string: tuple[int, str], place: str, rng: Random) -> None:
    host = line[0][1]
    if place == "start of block":
        line[:] = [string, (-1, host)]
    elif place == "end of block":
        line[:] = [(-1, host), string]
    else:
        words = host.split()
        cut = rng.randrange(1, len(words))
        line[:] = [(-1, " ".join(words[:cut])), string, (-1, " ".join(words[cut:]))]


def hosts(text: str) -> int:
    """Lines of a text that can take a string."""
    return sum(len(line.split()) >= _HOST_WORDS_MIN for line in text.split("\n"))


def _joined(lines: Sequence[Sequence[tuple[int, str]]]) -> InjectedPage:
    parts: list[str] = []
    spans: list[tuple[int, int, int]] = []
    place = 0
    for row, line in enumerate(lines):
        for column, (number, piece) in enumerate(line):
            separator = " " if column else "\n" if row else ""
            place += len(separator)
            if number >= 0:
                spans.append((number, place, place + len(piece)))
            parts += [separator, piece]
            place += len(piece)
    return InjectedPage(text="".join(parts), spans=spans)
