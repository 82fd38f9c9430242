"""The middle of a page: what stands between its header and its footer."""

from dataclasses import dataclass

from workers.lab.simulate.archive import Entry
from workers.lab.simulate.parts.fragment import Fragment


@dataclass(frozen=True)
class Middle:
    """The middle of a page and where its truth stands."""

    fragment: Fragment
    title: str
    entry: Entry | None = None
    content: tuple[str, ...] = ()
    """Roles of the boxes that hold the content."""
    neutral: tuple[str, ...] = ()
    """Roles of the boxes that are neither content nor template."""
