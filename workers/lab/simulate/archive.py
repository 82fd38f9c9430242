"""The entries of a site as its lists show them: articles, products or threads."""

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from random import Random

from workers.lab.simulate.site import Site
from workers.lab.simulate.text.prose import Prose, Topic, invent_topic


@dataclass(frozen=True)
class Entry:
    """One entry of a site; the same on every page that shows it."""

    number: int
    seed: str
    topic: Topic
    title: str
    lead: str
    """Its first sentence or two."""
    author: str
    category: int
    """Index into the site's categories."""
    tags: tuple[str, ...]
    path: str
    published: datetime
    popularity: float
    """Views an hour."""

    def views(self, moment: datetime) -> int:
        """Times it has been read until a moment."""
        hours = (moment - self.published).total_seconds() / 3600
        return 3 + int(self.popularity * max(0.0, hours) ** 0.7)

    def comment_count(self, moment: datetime) -> int:
        """Comments written until a moment; about 1 for 40 views, at most 9."""
        return min(9, self.views(moment) // 40)


@lru_cache(maxsize=20_000)
def entry(site: Site, number: int) -> Entry:
    """The entry of a number, counted from the site's oldest one."""
    seed = f"{site.seed}/entry/{number}"
    rng = Random(seed)
    topic = invent_topic(site.language, rng)
    prose = Prose(site.language, rng, topic)
    category = int(rng.random() * len(site.categories))
    return Entry(
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


def recent(site: Site, moment: datetime, count: int) -> list[Entry]:
    """The latest entries, newest first."""
    newest = site.newest(moment)
    return [entry(site, number) for number in range(newest, max(-1, newest - count), -1)]


def popular(site: Site, moment: datetime, count: int) -> list[Entry]:
    """The most read of the latest 40 entries."""
    ranked = sorted(recent(site, moment, 40), key=lambda one: (-one.views(moment), one.number))
    return ranked[:count]


def pick(site: Site, moment: datetime, count: int, rng: Random) -> list[Entry]:
    """Entries of the latest 300, drawn anew for every page."""
    newest = site.newest(moment)
    numbers = sorted({newest - int(rng.random() * min(300, newest + 1)) for _ in range(count)})
    return [entry(site, number) for number in reversed(numbers)]
