"""Cleaned records as they are published, for a page at once and for a revised document later."""

import msgspec

from schemas.cleaned import CleanedRecord, Fingerprint, RevisionReason, Warning_
from schemas.codec import encode_json
from schemas.document import DocumentRecord
from schemas.site_model import SiteModelRecord
from workers.page import Page
from workers.processes.messages import CleanResult

ENVELOPE_BYTES = 16 << 10
"""Room that a message keeps for its key, its headers and the fields beside its large one."""

_CONFIDENCE_DECIMALS = 4
"""The confidence is rounded so that every machine gives an equal record."""
_TITLE_BYTES = 8 << 10
"""Longest title in a record that would not fit a message otherwise."""


def cleaned_record(
    page: Page | DocumentRecord,
    result: CleanResult,
    model: SiteModelRecord | None,
    version: str,
    *,
    warnings: list[Warning_],
    revision: int = 0,
    reason: RevisionReason | None = None,
) -> CleanedRecord:
    """Return the record that is published for a page.

    Args:
        page: The page, or the document that was made of it.
        result: What the child process made of it.
        model: The site model that was used; None = none.
        version: Version of the cleaner, see `templ_core.clean_document.cleaner_version`.
        warnings: Warnings of the record.
        revision: How often a text of this page was published before.
        reason: Why it is published again; None for the first text.
    """
    return CleanedRecord(
        url=page.url,
        site=page.site,
        fetched_at=page.fetched_at,
        id=page.id,
        title=result.title,
        text=result.text,
        method="site" if result.used_site else "page",
        confidence=round(result.confidence, _CONFIDENCE_DECIMALS),
        revision=revision,
        revision_reason=reason,
        source=page.source,
        site_model_version=model.version if model else None,
        page_model_version=result.page_model_version,
        cleaner_version=version,
        fingerprint=_fingerprint(result.simhash),
        warnings=warnings,
        chars_in=result.chars_in,
        chars_out=len(result.text),
        blocks_kept=result.blocks_kept,
        blocks_removed=result.blocks_removed,
        site_settings_version=result.site_settings_version or msgspec.UNSET,
        **msgspec.structs.asdict(result.fields),
    )


def _fingerprint(value: int | None) -> Fingerprint | None:
    if value is None:
        return None
    return Fingerprint(algorithm="simhash64-3gram", bits=64, value=f"{value:016x}")


def fit_message(record: CleanedRecord, limit_bytes: int) -> CleanedRecord:
    """Return a record that fits a message.

    Segments go first, then the links and the other forms of the text, then the metadata; at last the title
    and the text are cut. A warning says what was done.

    Args:
        record: A cleaned record.
        limit_bytes: Size of the largest message, key and headers included.
    """
    room_bytes = limit_bytes - ENVELOPE_BYTES
    size_bytes = len(encode_json(record))
    if size_bytes > room_bytes and record.segments is not None:
        record = msgspec.structs.replace(
            record, segments=None, warnings=[*record.warnings, "segments-dropped"]
        )
        size_bytes = len(encode_json(record))
    if size_bytes > room_bytes and (record.links or record.markdown or record.html):
        record = msgspec.structs.replace(
            record,
            links=None,
            markdown=None,
            html=None,
            warnings=[*record.warnings, "forms-dropped"],
        )
        size_bytes = len(encode_json(record))
    if size_bytes > room_bytes:
        record = msgspec.structs.replace(
            record,
            metadata=None,
            title=_cut(record.title, _TITLE_BYTES),
            warnings=[*record.warnings, "truncated"],
        )
        rest_bytes = len(encode_json(msgspec.structs.replace(record, text="")))
        text = _cut(record.text, room_bytes - rest_bytes)
        record = msgspec.structs.replace(record, text=text, chars_out=len(text))
    return record


def _cut(text: str, room_bytes: int) -> str:
    """Return the longest beginning of `text` that takes at most `room_bytes` as JSON."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if len(msgspec.json.encode(text[:middle])) <= max(room_bytes, 2):
            low = middle
        else:
            high = middle - 1
    return text[:low]
