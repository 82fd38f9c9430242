"""What an engine returns: the outcome of a page, and the actions that follow for a site.

Kafka and files carry out the same actions.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from schemas.cleaned import CleanedRecord, DeletedRecord, RevisionReason
from schemas.dead_letter import DeadLetter
from schemas.document import DocumentRecord
from schemas.site_model import SiteModelRecord
from workers.page import Page, Rejected
from workers.processes.messages import Cleaned

if TYPE_CHECKING:  # It brings numpy, which cleaning alone does not need.
    from workers.state.window_entry import WindowEntry


class Deleted(msgspec.Struct, frozen=True, kw_only=True):
    """A page is gone."""

    record: DeletedRecord
    document: DocumentRecord | None
    """What the site learns from; None for a page of a site that is taken down."""


class Dead(msgspec.Struct, frozen=True, kw_only=True):
    """A page could not be cleaned, or a record of a feed is no page."""

    page: Page | Rejected
    letter: DeadLetter

    @property
    def site(self) -> str | None:
        """Site key; None where the record is not a page."""
        return self.page.site if isinstance(self.page, Page) else None


Outcome: TypeAlias = Cleaned | Deleted | Dead


PassedOn: TypeAlias = Sequence[tuple[str, bytes | None]]
"""Headers of a page message that are passed on with what was made of it."""
OutputRecord: TypeAlias = CleanedRecord | DeletedRecord | DocumentRecord | SiteModelRecord


class Publish(msgspec.Struct, frozen=True):
    """Send records, each of them after the one before is stored, and then call `done`."""

    records: Sequence[OutputRecord]
    done: Callable[[], None]
    """Notes in the window that the records are stored; after a crash, what was not sent is asked for again."""
    headers: PassedOn = ()


class Forget(msgspec.Struct, frozen=True):
    """Send tombstones of documents that have left their windows, and then call `done`."""

    keys: list[bytes]
    """Keys of `schemas.document.document_key`."""
    done: Callable[[], None]
    """Notes in the window that the tombstones are stored."""


class Compare(msgspec.Struct, frozen=True):
    """Compare a published text with the text by a newer model, see `SiteEngine.revision`."""

    model: SiteModelRecord
    entry: "WindowEntry"
    """The document of the text."""
    reason: RevisionReason
    """Why the text is compared again."""


class NotFitted(msgspec.Struct, frozen=True):
    """Report that a site has no new model."""

    site: str
    reason: str


Action: TypeAlias = Publish | Forget | Compare | NotFitted
