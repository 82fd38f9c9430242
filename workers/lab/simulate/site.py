"""A synthetic site: all that a redesign does not change, such as its language, its encoding and its entries.

Sentences, titles and names are drawn from the words and patterns of a language, on a topic.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache, lru_cache
from importlib.resources import files
from random import Random
from typing import Any, Literal, NamedTuple

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


_LEGACY = {
    **dict.fromkeys(("en", "de", "fr", "es"), "windows-1252"),
    "ru": "windows-1251",
    "zh": "gb18030",
    "ar": "windows-1256",
    "ja": "shift_jis",
}
_CODECS = {"shift_jis": "cp932"}


@dataclass(frozen=True)
class Encoding:
    """How pages are turned into bytes."""

    name: str
    """Name of the encoding, spelt as a page declares it."""
    in_header: bool
    in_page: bool
    mark: bool
    """Whether the bytes start with a byte-order mark."""

    def encode(self, html: str) -> bytes:
        """Return the page's bytes; a character that the encoding lacks becomes a reference."""
        return html.encode(self.codec, "xmlcharrefreplace")

    @property
    def codec(self) -> str:
        """Python's name of the codec, which writes and reads the byte-order mark too."""
        if self.name == "utf-8":
            return "utf-8-sig" if self.mark else "utf-8"
        return _CODECS.get(self.name, self.name)

    @property
    def content_type(self) -> str:
        """The content type that the server sends with the page."""
        return f"text/html; charset={self.name}" if self.in_header else "text/html"


def choose_encoding(language_code: str, rng: Random) -> Encoding | None:
    """Return the encoding of a site, or None if the feed carries its pages as decoded text."""
    draw = rng.random()
    in_header, in_page = rng.choice(((True, True), (True, False), (False, True), (False, False)))
    if draw < 0.80:
        return None
    if draw < 0.86:
        return Encoding("utf-8", in_header, in_page=True, mark=draw < 0.82)
    if draw < 0.88:
        return Encoding("utf-16", in_header, in_page=False, mark=True)
    return Encoding(_LEGACY[language_code], in_header, in_page, mark=False)


FieldGenre = Literal["manual", "variants", "recipes", "statistics"]
FIELD_GENRES: tuple[FieldGenre, ...] = ("manual", "variants", "recipes", "statistics")
"""Sites whose content is fields and records; feeds of mixed sites have none."""
SiteGenre = Literal["news", "blog", "shop", "forum"] | FieldGenre
SITE_GENRES: tuple[SiteGenre, ...] = ("news", "blog", "shop", "forum")
"""Sites of the feeds of mixed sites."""

_ADDRESS_FORMS = (
    "/{year}/{month:02d}/{slug}/",
    "/{section}/{slug}-{number}.html",
    "/?p={number}",
    "/{section}/{number}",
    "/article/{number}/{slug}",
    "/{slug}/",
)


@dataclass(frozen=True, eq=False)
class SyntheticSite:
    """Everything about a site except its design."""

    number: int
    seed: str
    """Prefix of the seeds of everything on this site."""
    key: str
    """Registered domain of the site."""
    origin: str
    """Scheme and host of the site's addresses."""
    name: str
    tagline: str
    genre: SiteGenre
    language: Language
    topic: Topic
    """Topic of the site's own short texts."""
    categories: tuple[str, ...]
    authors: tuple[str, ...]
    address_form: str
    oldest: datetime
    """When the site's first entry was published."""
    gap: timedelta
    """Time between two entries."""

    def newest(self, moment: datetime) -> int:
        """Return the number of the latest entry at a moment; entries count from 0."""
        return max(0, (moment - self.oldest) // self.gap)

    def published(self, number: int) -> datetime:
        """Return when an entry was published."""
        return self.oldest + number * self.gap

    def address(self, slug: str, number: int, category: int) -> str:
        """Return the path of an entry's address."""
        day = self.published(number)
        return self.address_form.format(
            year=day.year, month=day.month, slug=slug, number=number, section=f"s{category}"
        )


def make_site(
    number: int, seed: str, genre: SiteGenre, code: str, oldest: datetime, gap: timedelta
) -> SyntheticSite:
    """Return a site of the feed with this seed, whose first entry is of a time and the others follow in gaps."""
    own_seed = f"{seed}/site/{number}"
    rng = Random(own_seed)
    own_language = language(code)
    key = f"{_host_word(rng)}{number}.example"
    names = own_language.categories["blog" if genre in FIELD_GENRES else genre]
    place = invent_place(own_language, rng)
    return SyntheticSite(
        number=number,
        seed=own_seed,
        key=key,
        origin=f"https://{rng.choice(('', 'www.', 'www.', 'm.'))}{key}",
        name=f"{place}{own_language.space}{rng.choice(own_language.slots['N'])}".title(),
        tagline=own_language.space.join(rng.choices(own_language.slots["N"], k=3)),
        genre=genre,
        language=own_language,
        topic=invent_topic(own_language, rng),
        categories=tuple(rng.sample(names, k=min(len(names), rng.randint(5, 9)))),
        authors=tuple(invent_name(own_language, rng) for _ in range(rng.randint(1, 6))),
        address_form=rng.choice(_ADDRESS_FORMS),
        oldest=oldest,
        gap=gap,
    )


def _host_word(rng: Random) -> str:
    return "".join(rng.choices(language("en").syllables, k=3)) + rng.choice(("", "-news", "-web"))


@dataclass(frozen=True)
class ArchiveEntry:
    """One entry of a site. It is equal on every page that shows it."""

    number: int
    seed: str
    topic: Topic
    title: str
    lead: str
    """The first one or two sentences of the entry's text."""
    author: str
    category: int
    """Index into `SyntheticSite.categories`."""
    tags: tuple[str, ...]
    path: str
    published: datetime
    popularity: float
    """Rate of views, in views an hour."""

    def views(self, moment: datetime) -> int:
        """Return how often the entry has been read up to a moment."""
        hours = (moment - self.published).total_seconds() / 3600
        return 3 + int(self.popularity * max(0.0, hours) ** 0.7)

    def comment_count(self, moment: datetime) -> int:
        """Return how many comments the entry has at a moment: one for 40 views, at most 9."""
        return min(9, self.views(moment) // 40)


@lru_cache(maxsize=20_000)
def archive_entry(site: SyntheticSite, number: int) -> ArchiveEntry:
    """Return the entry with a number; 0 is the site's oldest entry."""
    seed = f"{site.seed}/entry/{number}"
    rng = Random(seed)
    topic = invent_topic(site.language, rng)
    prose = Prose(site.language, rng, topic)
    category = int(rng.random() * len(site.categories))
    return ArchiveEntry(
        number=number,
        seed=seed,
        topic=topic,
        title=prose.title(),
        lead=prose.paragraph(16),
        author=rng.choice(site.authors),
        category=category,
        tags=tuple(rng.choices(topic.nouns, k=rng.randint(1, 5))),
        path=site.address(f"e{rng.randrange(16**6):06x}", number, category),
        published=site.published(number),
        popularity=rng.expovariate(0.5),
    )


def recent_entries(site: SyntheticSite, moment: datetime, count: int) -> list[ArchiveEntry]:
    """Return the latest entries, newest first."""
    newest = site.newest(moment)
    return [archive_entry(site, number) for number in range(newest, max(-1, newest - count), -1)]


def popular_entries(site: SyntheticSite, moment: datetime, count: int) -> list[ArchiveEntry]:
    """Return the most viewed of the latest 40 entries."""
    ranked = sorted(
        recent_entries(site, moment, 40), key=lambda one: (-one.views(moment), one.number)
    )
    return ranked[:count]


def random_entries(
    site: SyntheticSite, moment: datetime, count: int, rng: Random
) -> list[ArchiveEntry]:
    """Return entries drawn from the latest 300; every page draws others."""
    newest = site.newest(moment)
    numbers = sorted({newest - int(rng.random() * min(300, newest + 1)) for _ in range(count)})
    return [archive_entry(site, number) for number in reversed(numbers)]
