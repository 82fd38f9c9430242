"""The JSON Schema files of the messages that users write or read, generated from the types."""

import msgspec

from schemas.cleaned import CleanedRecord, DeletedRecord
from schemas.dead_letter import DeadLetterRecord
from schemas.page import PageRecord
from schemas.page_change import PageChangeRecord
from schemas.page_copy import PageCopyRecord
from schemas.site_event import SiteEventRecord
from schemas.site_settings import SiteSettingsRecord

MESSAGES: dict[str, type[msgspec.Struct]] = {
    "page.json": PageRecord,
    "cleaned.json": CleanedRecord,
    "deleted.json": DeletedRecord,
    "dead_letter.json": DeadLetterRecord,
    "page_change.json": PageChangeRecord,
    "page_copy.json": PageCopyRecord,
    "site_event.json": SiteEventRecord,
    "site_settings.json": SiteSettingsRecord,
}
"""Type of message by the name of its JSON Schema file."""


def generate_schemas() -> dict[str, bytes]:
    """Return the content of the JSON Schema file of every message in `MESSAGES`, by file name."""
    return {
        name: msgspec.json.format(
            msgspec.json.encode(msgspec.json.schema(message), order="deterministic"), indent=2
        )
        + b"\n"
        for name, message in MESSAGES.items()
    }
