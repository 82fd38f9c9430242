"""JSON Schema files of the messages that people write or read, generated from the types."""

import msgspec

from schemas.cleaned import CleanedRecord, DeletedRecord
from schemas.dead_letter import DeadLetterRecord
from schemas.page import PageRecord

MESSAGES: dict[str, type[msgspec.Struct]] = {
    "page.json": PageRecord,
    "cleaned.json": CleanedRecord,
    "deleted.json": DeletedRecord,
    "dead_letter.json": DeadLetterRecord,
}


def generate_schemas() -> dict[str, bytes]:
    """File name -> content, for every message in `MESSAGES`."""
    return {
        name: msgspec.json.format(
            msgspec.json.encode(msgspec.json.schema(message), order="deterministic"), indent=2
        )
        + b"\n"
        for name, message in MESSAGES.items()
    }
