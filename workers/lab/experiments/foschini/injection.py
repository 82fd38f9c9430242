"""Synthetic templates injected into clean text; Foschini (2007), section 6.1."""

from collections.abc import Sequence
from random import Random

import msgspec

INJECTION_PLACES = ("block", "start of block", "end of block", "inside")
INJECTION_LENGTHS = (1, 2, 3, 4, 6, 8, 12, 20, 30)
_MUTABLE_FROM = 3
_HOST_WORDS_MIN = 5
_MONTHS = ("January", "March", "June", "August", "October", "December")


class InjectedString(msgspec.Struct, frozen=True, kw_only=True):
    """A string of a synthetic template."""

    place: str
    """Where the string goes; one of INJECTION_PLACES."""
    words: tuple[str, ...]
    slot: int | None
    """Number of the word that differs on every page; None if no word does."""


class InjectedPage(msgspec.Struct, frozen=True, kw_only=True):
    """Clean text with injected strings."""

    text: str
    spans: list[tuple[int, int, int]]
    """Number, first character and end (exclusive) of each injected string, in order."""


def make_injected_strings(
    vocabulary: Sequence[str], shift: int, rng: Random
) -> list[InjectedString]:
    """Return one string of each length, with words drawn from a vocabulary.

    Every second string of three or more words has a slot.

    Args:
        vocabulary: Words to draw from.
        shift: Chooses places and slots: string number i gets place i + shift, modulo the number
            of places, and a slot if the quotient is even. Shifts 0 to 7 give each length all
            combinations.
        rng: Source of every choice.
    """
    templates = []
    for number, length in enumerate(INJECTION_LENGTHS):
        has_slot = length >= _MUTABLE_FROM and (number + shift) // len(INJECTION_PLACES) % 2 == 0
        templates.append(
            InjectedString(
                place=INJECTION_PLACES[(number + shift) % len(INJECTION_PLACES)],
                words=tuple(rng.choice(vocabulary) for _ in range(length)),
                slot=rng.randrange(length) if has_slot else None,
            )
        )
    return templates


def inject(
    text: str, templates: Sequence[InjectedString], share: float, rng: Random
) -> InjectedPage:
    """Return the text with each string at a random place of its sort, at most once.

    Args:
        text: Lines of clean text; each line of at least five words takes one string.
        templates: The strings to inject.
        share: Probability of each string, from 0 to 1.
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


def _filled(template: InjectedString, rng: Random) -> list[str]:
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


def count_host_lines(text: str) -> int:
    """Return the number of lines that can take a string."""
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
