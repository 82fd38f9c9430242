"""What a design puts below the content of an entry."""

from workers.simulate.archive import Entry
from workers.simulate.chrome import Chrome
from workers.simulate.comments import comments
from workers.simulate.fragment import EMPTY, Fragment, join
from workers.simulate.visit import Visit
from workers.simulate.widgets import pager, related


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
