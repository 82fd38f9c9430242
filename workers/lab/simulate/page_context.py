"""One page being made: the site as it is at the moment of the visit."""

from dataclasses import dataclass
from datetime import datetime
from random import Random

from workers.lab.simulate.archive import Entry
from workers.lab.simulate.design.design import Design
from workers.lab.simulate.site import Site
from workers.lab.simulate.text.prose import Prose, date_text


@dataclass(frozen=True, eq=False)
class Visit:
    """A visit of a site at a moment; `rng` is for what differs on every visit."""

    site: Site
    design: Design
    moment: datetime
    rng: Random
    prose: Prose
    """Short texts of the site's own topic."""

    def label(self, name: str, /, **fields: object) -> str:
        """A label of the interface in the site's language."""
        return self.site.language.labels[name].format(**fields)

    def when(self, entry: Entry) -> str:
        """How old an entry is, in minutes for two hours, then as a date."""
        minutes = int((self.moment - entry.published).total_seconds() // 60)
        if 0 <= minutes < 120:
            return self.label("minutes_ago", n=minutes)
        return date_text(self.site.language, entry.published)


def visit_site(site: Site, design: Design, moment: datetime, rng: Random) -> Visit:
    """A visit with a writer of its own."""
    prose = Prose(site.language, rng, site.topic)
    return Visit(site=site, design=design, moment=moment, rng=rng, prose=prose)
