"""The languages of synthetic sites: words, sentence patterns and interface labels."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
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
