"""A synthetic site: everything about it that a redesign does not change."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Literal

from workers.lab.simulate.text.language import Language, language
from workers.lab.simulate.text.prose import Topic, invent_name, invent_place, invent_topic

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
