"""What the parts of one page are made from: the site and its design at a moment."""

from dataclasses import dataclass
from datetime import datetime
from random import Random

from workers.lab.simulate.archive import ArchiveEntry
from workers.lab.simulate.design.design import Design
from workers.lab.simulate.site import SyntheticSite
from workers.lab.simulate.text.prose import Prose, date_text


@dataclass(frozen=True, eq=False)
class PageContext:
    """A site at the moment of a request; `rng` decides what differs between two requests."""

    site: SyntheticSite
    design: Design
    moment: datetime
    rng: Random
    prose: Prose
    """Writer of short texts on the site's own topic."""

    def label(self, name: str, /, **fields: object) -> str:
        """Return a label of the user interface in the site's language."""
        return self.site.language.labels[name].format(**fields)

    def when(self, entry: ArchiveEntry) -> str:
        """Return the age of an entry: in minutes for the first two hours, then as a date."""
        minutes = int((self.moment - entry.published).total_seconds() // 60)
        if 0 <= minutes < 120:
            return self.label("minutes_ago", n=minutes)
        return date_text(self.site.language, entry.published)


def make_page_context(
    site: SyntheticSite, design: Design, moment: datetime, rng: Random
) -> PageContext:
    """Return the context of a request, with a writer of its own."""
    prose = Prose(site.language, rng, site.topic)
    return PageContext(site=site, design=design, moment=moment, rng=rng, prose=prose)
