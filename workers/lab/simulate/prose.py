"""The languages of synthetic sites, and sentences, titles and names in them, on a topic."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any, NamedTuple

LANGUAGES = ("en", "de", "fr", "es", "ru", "zh", "ar", "ja")

_SLOTS = frozenset("NVADPCRXY#")


class Pattern(NamedTuple):
    """A clause: a form with `%s` for each variable word, and the class of each of these words."""

    form: str
    slots: str
    length: int
    """Number of words, including the fixed ones."""


@dataclass(frozen=True, eq=False)
class Language:
    """The words, patterns and labels of one language."""

    code: str
    direction: str
    """Writing direction, `ltr` or `rtl`."""
    space: str
    """What separates words; empty for Chinese and Japanese."""
    stop: str
    comma: str
    quotes: tuple[str, str]
    date: str
    """Format of a date with the fields day, month, number (of the month) and year."""
    months: tuple[str, ...]
    slots: Mapping[str, tuple[str, ...]]
    """Words of each word class (N, V, A, D, P, C, R)."""
    patterns: tuple[Pattern, ...]
    title_patterns: tuple[Pattern, ...]
    given: tuple[str, ...]
    family: tuple[str, ...]
    syllables: tuple[str, ...]
    categories: Mapping[str, tuple[str, ...]]
    """Names of a site's sections, by the genre of the site."""
    labels: Mapping[str, str]
    promos: tuple[str, ...]
    attributes: tuple[str, ...]
    """Names of product attributes in a shop."""


@cache
def language(code: str) -> Language:
    """Return the language with an ISO 639-1 code, one of `LANGUAGES`."""
    path = files("workers.lab.simulate").joinpath("data", f"{code}.json")
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    space = data["space"]
    for name in ("months", "given", "family", "syllables"):
        data[name] = tuple(data[name].split())
    for name in ("patterns", "title_patterns"):
        data[name] = tuple(_pattern(written, space) for written in data[name])
    data["slots"] = {slot: tuple(words.split()) for slot, words in data["slots"].items()}
    data["categories"] = {
        genre: tuple(names.split("|")) for genre, names in data["categories"].items()
    }
    data["attributes"] = tuple(data["attributes"].split("|"))
    data["quotes"] = tuple(data["quotes"])
    data["promos"] = tuple(data["promos"])
    return Language(**data)


def _pattern(written: str, space: str) -> Pattern:
    tokens = written.split()
    form = space.join("%s" if token in _SLOTS else token for token in tokens)
    for mark in (",", "،", ":"):
        form = form.replace(f" {mark}", mark)
    slots = "".join(token for token in tokens if token in _SLOTS)
    return Pattern(form=form, slots=slots, length=len(tokens))


_NUMBERS = tuple(str(number) for number in (*range(2, 31), 40, 45, 60, 75, 90, 120, 250, 400, 1200))
_TOPIC_WEIGHT = 6


class Topic(NamedTuple):
    """The words that one text keeps using."""

    nouns: tuple[str, ...]
    people: tuple[str, ...]
    places: tuple[str, ...]


def invent_name(language: Language, rng: Random) -> str:
    """Return the name of a person."""
    given, family = rng.choice(language.given), rng.choice(language.family)
    return f"{given} {family}" if language.space else f"{family}{given}"


def invent_place(language: Language, rng: Random) -> str:
    """Return a made-up name of a town or a brand."""
    return "".join(rng.choices(language.syllables, k=2 + (rng.random() < 0.3))).capitalize()


def invent_topic(language: Language, rng: Random) -> Topic:
    """Return a topic drawn from the language's nouns and from invented names."""
    return Topic(
        nouns=tuple(rng.choices(language.slots["N"], k=14)),
        people=tuple(invent_name(language, rng) for _ in range(3)),
        places=tuple(invent_place(language, rng) for _ in range(4)),
    )


def date_text(language: Language, moment: datetime) -> str:
    """Return the day as pages in that language write it."""
    return language.date.format(
        day=moment.day,
        month=language.months[moment.month - 1],
        number=moment.month,
        year=moment.year,
    )


class Prose:
    """The writer of one text, which depends on the random generator alone."""

    def __init__(self, language: Language, rng: Random, topic: Topic) -> None:
        self._language = language
        self._random = rng.random
        nouns = topic.nouns * _TOPIC_WEIGHT + language.slots["N"]
        self._pools = {
            **language.slots,
            "N": nouns,
            "X": topic.people,
            "Y": topic.places,
            "#": _NUMBERS,
        }

    def title(self) -> str:
        """Return a headline of 4 to 12 words."""
        text, _ = self._clause(self._language.title_patterns)
        return _capital(text)

    def noun(self) -> str:
        """Return a noun, usually one of the topic."""
        return self._pick(self._pools["N"])

    def name(self) -> str:
        """Return one of the topic's people."""
        return self._pick(self._pools["X"])

    def sentence(self) -> str:
        """Return one sentence with its full stop."""
        return self._sentence()[0]

    def paragraph(self, words: int) -> str:
        """Return sentences with about this many words together."""
        sentences, count = [], 0
        while count < words:
            text, length = self._sentence()
            sentences.append(text)
            count += length
        return self._language.space.join(sentences)

    def _sentence(self) -> tuple[str, int]:
        language = self._language
        text, length = self._clause(language.patterns)
        if self._random() < 0.35:
            more, further = self._clause(language.patterns)
            conjunction = self._pick(language.slots["C"])
            text = f"{text}{language.comma}{conjunction}{language.space}{more}"
            length += further + 1
        text = _capital(text) + language.stop
        if self._random() < 0.07:
            opening, closing = language.quotes
            text = f"{opening}{text}{closing}"
        return text, length

    def _clause(self, patterns: tuple[Pattern, ...]) -> tuple[str, int]:
        pattern = patterns[int(self._random() * len(patterns))]
        pools, draw = self._pools, self._random
        words = []
        for slot in pattern.slots:
            pool = pools[slot]
            words.append(pool[int(draw() * len(pool))])
        return pattern.form % tuple(words), pattern.length

    def _pick(self, pool: tuple[str, ...]) -> str:
        return pool[int(self._random() * len(pool))]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
