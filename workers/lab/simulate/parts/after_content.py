"""What a design puts below the content of an entry."""

from workers.lab.simulate.archive import Entry
from workers.lab.simulate.page_context import Visit
from workers.lab.simulate.parts.chrome import Chrome
from workers.lab.simulate.parts.comments import comments
from workers.lab.simulate.parts.fragment import EMPTY, Fragment, join
from workers.lab.simulate.parts.widgets import pager, related


def below(visit: Visit, chrome: Chrome, one: Entry, comments_label: str) -> Fragment:
    """Related entries, newsletter, comments and the way to the next entry."""
    place = visit.design.place
    return join(
        [
            below_thread(visit, one),
            chrome.newsletter if place.newsletter == "after" else EMPTY,
            comments(visit, one, comments_label) if place.comments else EMPTY,
        ]
    )


def below_thread(visit: Visit, one: Entry) -> Fragment:
    """Related entries and the way to the next entry."""
    place = visit.design.place
    return join(
        [
            related(visit) if place.related == "after" else EMPTY,
            pager(visit, one) if place.pager else EMPTY,
        ]
    )
