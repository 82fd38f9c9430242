"""A synthetic site: all that a redesign does not change, such as its encoding and its entries."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from random import Random
from typing import Literal

from workers.lab.simulate.prose import (
    Language,
    Prose,
    Topic,
    invent_name,
    invent_place,
    invent_topic,
    language,
)

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
    def declared_in_page(self) -> str | None:
        """The charset that the page itself declares, or None."""
        return self.name if self.in_page else None

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


SiteGenre = Literal["news", "blog", "shop", "forum"]
SITE_GENRES: tuple[SiteGenre, ...] = ("news", "blog", "shop", "forum")

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


@dataclass(frozen=True)
class Rhythm:
    """When a site publishes its entries."""

    start: datetime
    """When the feed starts."""
    archive: int
    """Number of entries that are published before the feed starts."""
    gap: timedelta


def make_site(number: int, seed: str, genre: SiteGenre, code: str, rhythm: Rhythm) -> SyntheticSite:
    """Return a site of the feed with this seed."""
    own_seed = f"{seed}/site/{number}"
    rng = Random(own_seed)
    own_language = language(code)
    key = f"{_host_word(rng)}{number}.example"
    names = own_language.categories[genre]
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
        oldest=rhythm.start - rhythm.archive * rhythm.gap,
        gap=rhythm.gap,
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
