"""A synthetic site: what stays the same whatever its design."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Literal

from workers.lab.simulate.text.language import Language, language
from workers.lab.simulate.text.prose import Topic, invent_name, invent_place, invent_topic

Kind = Literal["news", "blog", "shop", "forum"]
KINDS: tuple[Kind, ...] = ("news", "blog", "shop", "forum")

_ADDRESS_FORMS = (
    "/{year}/{month:02d}/{slug}/",
    "/{section}/{slug}-{number}.html",
    "/?p={number}",
    "/{section}/{number}",
    "/article/{number}/{slug}",
    "/{slug}/",
)


@dataclass(frozen=True, eq=False)
class Site:
    """Everything about a site but its design."""

    number: int
    seed: str
    """Start of the seeds of everything on this site."""
    key: str
    """Registered domain."""
    origin: str
    """Scheme and host of its addresses."""
    name: str
    tagline: str
    kind: Kind
    language: Language
    topic: Topic
    """Of the site's own short texts."""
    categories: tuple[str, ...]
    authors: tuple[str, ...]
    address_form: str
    oldest: datetime
    """When its first entry came out."""
    gap: timedelta
    """Time between two entries."""

    def newest(self, moment: datetime) -> int:
        """Number of the latest entry out at a moment; entries count from 0."""
        return max(0, (moment - self.oldest) // self.gap)

    def published(self, number: int) -> datetime:
        """When an entry came out."""
        return self.oldest + number * self.gap

    def address(self, slug: str, number: int, category: int) -> str:
        """Path of an entry."""
        day = self.published(number)
        return self.address_form.format(
            year=day.year, month=day.month, slug=slug, number=number, section=f"s{category}"
        )


@dataclass(frozen=True)
class Rhythm:
    """When a site's entries come out."""

    start: datetime
    """Start of the feed."""
    archive: int
    """Entries out before the feed starts."""
    gap: timedelta


def make_site(number: int, seed: str, kind: Kind, code: str, rhythm: Rhythm) -> Site:
    """The site of a number in the feed with this seed."""
    own_seed = f"{seed}/site/{number}"
    rng = Random(own_seed)
    own_language = language(code)
    key = f"{_host_word(rng)}{number}.example"
    names = own_language.categories[kind]
    place = invent_place(own_language, rng)
    return Site(
        number=number,
        seed=own_seed,
        key=key,
        origin=f"https://{rng.choice(('', 'www.', 'www.', 'm.'))}{key}",
        name=f"{place}{own_language.space}{rng.choice(own_language.slots['N'])}".title(),
        tagline=own_language.space.join(rng.choices(own_language.slots["N"], k=3)),
        kind=kind,
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
