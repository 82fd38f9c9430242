"""What an engine returns: the outcome of a page, and the actions that follow for a site.

Kafka, files and tests carry out the same actions.
"""

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
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

log = logging.getLogger("templ")


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


class Transport(ABC):
    """Where records go. Without a broker nothing waits, and there is no topic with documents to forget."""

    def __init__(self, revision: Callable[[Compare], Publish | None]) -> None:
        """Send what an engine asks for; `revision` is its `SiteEngine.revision`."""
        self._revision = revision

    @abstractmethod
    async def send(self, record: OutputRecord, headers: PassedOn) -> None:
        """Send a record, and return once it is stored."""

    async def forget(self, keys: Sequence[bytes]) -> None:  # noqa: B027 - not all have the topic
        """Send tombstones of documents, and return once they are stored."""

    async def compare(self, text: Compare) -> None:
        """Have a text compared with what a newer model makes of it."""
        revision = self._revision(text)
        if revision is not None:
            await carry_out(revision, self)

    async def note(self, done: Callable[[], None]) -> None:
        """Note in the windows that records are stored."""
        done()

    def not_fitted(self, action: NotFitted) -> None:
        """Report a site without a new model."""
        said = "the model of %s could not be fitted: %s"
        log.warning(said, action.site, action.reason, extra={"site": action.site})


async def carry_out(action: Action, transport: Transport) -> None:
    """Carry an action out; call the engine again only when this has returned."""
    match action:
        case Publish(records, done, headers):
            for record in records:
                await transport.send(record, headers)
            await transport.note(done)
        case Forget(keys, done):
            await transport.forget(keys)
            await transport.note(done)
        case Compare():
            await transport.compare(action)
        case NotFitted():
            transport.not_fitted(action)


def carry_out_now(actions: Iterable[Action], transport: Transport) -> None:
    """Carry actions out in order, without an event loop, on a transport that never waits.

    Raises:
        RuntimeError: It has waited.
    """
    for action in actions:
        work = carry_out(action, transport)
        try:
            work.send(None)
        except StopIteration:
            continue
        work.close()
        raise RuntimeError(f"{type(transport).__name__} has waited")
