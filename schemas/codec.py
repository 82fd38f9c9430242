"""Messages to bytes and back: JSON where people read, MessagePack between our own processes."""

from typing import TypeVar

import msgspec

from schemas.cleaned import CleanedRecord, DeletedRecord
from schemas.document import DOCUMENT_FORMAT, DocumentRecord
from schemas.site_model import SITE_MODEL_FORMAT, SiteModelRecord

Message = TypeVar("Message", bound=msgspec.Struct)


class SchemaError(Exception):
    """The bytes are not the message they should be; says what is wrong."""


class NewerFormatError(SchemaError):
    """The message was written by a newer version. Operator action: upgrade this worker."""


def encode_json(message: msgspec.Struct) -> bytes:
    """One JSON object in UTF-8, fields in the type's order."""
    return msgspec.json.encode(message)


def encode_msgpack(message: msgspec.Struct) -> bytes:
    """One MessagePack map."""
    return msgspec.msgpack.encode(message)


def decode_json(data: bytes, kind: type[Message]) -> Message:
    """The message in `data`.

    Raises:
        SchemaError: not JSON, a missing field or one of another type.
    """
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise SchemaError(str(error)) from None


def decode_document_record(data: bytes) -> DocumentRecord:
    """The document record in `data`.

    Raises:
        SchemaError: not a document record.
        NewerFormatError: written by a newer version.
    """
    return _decode_formatted(data, DocumentRecord, DOCUMENT_FORMAT)


def decode_site_model_record(data: bytes) -> SiteModelRecord:
    """The site-model record in `data`.

    Raises:
        SchemaError: not a site-model record.
        NewerFormatError: written by a newer version.
    """
    return _decode_formatted(data, SiteModelRecord, SITE_MODEL_FORMAT)


class _Format(msgspec.Struct):
    format: int = 1


def _decode_formatted(data: bytes, kind: type[Message], known_format: int) -> Message:
    try:
        found = msgspec.msgpack.decode(data, type=_Format).format
        if found > known_format:
            raise NewerFormatError(
                f"{kind.__name__} of format {found}, this worker knows {known_format}: upgrade it"
            )
        return msgspec.msgpack.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise SchemaError(f"not a {kind.__name__}: {error}") from None


def decode_output(line: bytes) -> CleanedRecord | DeletedRecord:
    """One line of the output of the worker on files.

    Raises:
        SchemaError: neither a cleaned nor a deleted record.
    """
    if b'"schema":"deleted/1"' in line[:64]:
        return decode_json(line, DeletedRecord)
    return decode_json(line, CleanedRecord)
