"""The body of a page: what stands between its header and its footer."""

from dataclasses import dataclass

from workers.lab.simulate.archive import ArchiveEntry
from workers.lab.simulate.parts.fragment import Fragment


@dataclass(frozen=True)
class PageBody:
    """The body of a page, and where its truth stands."""

    fragment: Fragment
    title: str
    entry: ArchiveEntry | None = None
    content: tuple[str, ...] = ()
    """Roles of the boxes that hold the content."""
    neutral: tuple[str, ...] = ()
    """Roles of the boxes that hold neither content nor template."""
