"""What the pipeline asks a transport to do; Kafka and files carry the same actions out."""

from collections.abc import Sequence

import msgspec

from schemas.cleaned import CleanedRecord, DeletedRecord
from schemas.document import DocumentRecord
from schemas.site_model import SiteModelRecord

OutputRecord = CleanedRecord | DeletedRecord | DocumentRecord | SiteModelRecord


class Send(msgspec.Struct, frozen=True):
    """Publish a record; it is out once the transport has stored it."""

    record: OutputRecord
    headers: Sequence[tuple[str, bytes | None]] = ()
    """Headers of the page message that are passed on."""


class Forget(msgspec.Struct, frozen=True):
    """Remove documents from the feed of documents: they have left their windows."""

    keys: list[bytes]
    """Keys of `schemas.document.document_key`."""


class Revise(msgspec.Struct, frozen=True):
    """Compare the published texts of a site with what its new model makes of them."""

    model: SiteModelRecord


class NotFitted(msgspec.Struct, frozen=True):
    """Report that a site has no new model."""

    site: str
    reason: str


class Pause(msgspec.Struct, frozen=True):
    """Let other work on the site's window go first, and keep to the rate of revisions."""


Action = Send | Forget | Revise | NotFitted | Pause
