"""What a design places after the content of an entry."""

from workers.lab.simulate.archive import ArchiveEntry
from workers.lab.simulate.page_context import PageContext
from workers.lab.simulate.parts.chrome import Chrome
from workers.lab.simulate.parts.comments import comments
from workers.lab.simulate.parts.fragment import EMPTY, Fragment, join
from workers.lab.simulate.parts.widgets import pager, related


def after_content(
    context: PageContext, chrome: Chrome, one: ArchiveEntry, comments_label: str
) -> Fragment:
    """Return related entries, a pager, the newsletter form and the comments."""
    place = context.design.place
    return join(
        [
            after_thread(context, one),
            chrome.newsletter if place.newsletter == "after" else EMPTY,
            comments(context, one, comments_label) if place.comments else EMPTY,
        ]
    )


def after_thread(context: PageContext, one: ArchiveEntry) -> Fragment:
    """Return related entries and a pager."""
    place = context.design.place
    return join(
        [
            related(context) if place.related == "after" else EMPTY,
            pager(context, one) if place.pager else EMPTY,
        ]
    )
