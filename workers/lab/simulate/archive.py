"""The entries of a synthetic site that its lists link to: articles, products or threads."""

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from random import Random

from workers.lab.simulate.site import SyntheticSite
from workers.lab.simulate.text.prose import Prose, Topic, invent_topic


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
