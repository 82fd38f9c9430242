"""Encoding and decoding of messages: JSON for users, MessagePack between templ's own processes."""

from functools import partial
from typing import TypeVar

import msgspec

from schemas.cleaned import CleanedRecord, DeletedRecord
from schemas.document import DOCUMENT_FORMAT, DocumentRecord
from schemas.fingerprint import FINGERPRINT_FORMAT, FingerprintRecord
from schemas.site_model import SITE_MODEL_FORMAT, SiteModelRecord

Message = TypeVar("Message", bound=msgspec.Struct)


class SchemaError(Exception):
    """The bytes are not a message of the expected type; the error says what is wrong."""


class NewerFormatError(SchemaError):
    """The message was written by a newer version, so this worker must be upgraded."""


def encode_json(message: msgspec.Struct) -> bytes:
    """Return the message as a JSON object in UTF-8, with its fields in the order of the type."""
    return msgspec.json.encode(message)


def encode_msgpack(message: msgspec.Struct) -> bytes:
    """Return the message as a MessagePack map."""
    return msgspec.msgpack.encode(message)


def decode_json(data: bytes, message_type: type[Message]) -> Message:
    """Return the message in a JSON object.

    Raises:
        SchemaError: The data is not JSON, or a field is missing or of another type.
    """
    try:
        return msgspec.json.decode(data, type=message_type)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise SchemaError(str(error)) from None


class _Format(msgspec.Struct):
    format: int = 1


def _decode_formatted(message_type: type[Message], known_format: int, data: bytes) -> Message:
    """Return the record in a MessagePack map.

    Raises:
        SchemaError: The data is not a record of the type.
        NewerFormatError: A newer version has written it.
    """
    try:
        format_number = msgspec.msgpack.decode(data, type=_Format).format
        if format_number > known_format:
            raise NewerFormatError(
                f"{message_type.__name__} has format {format_number}, but this worker knows only "
                f"{known_format}: upgrade it"
            )
        return msgspec.msgpack.decode(data, type=message_type)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise SchemaError(f"not a {message_type.__name__}: {error}") from None


decode_document_record = partial(_decode_formatted, DocumentRecord, DOCUMENT_FORMAT)
"""Returns the document record in a MessagePack map; raises as `_decode_formatted` does."""
decode_site_model_record = partial(_decode_formatted, SiteModelRecord, SITE_MODEL_FORMAT)
"""Returns the site-model record in a MessagePack map; raises as `_decode_formatted` does."""
decode_fingerprint_record = partial(_decode_formatted, FingerprintRecord, FINGERPRINT_FORMAT)
"""Returns the fingerprint record in a MessagePack map; raises as `_decode_formatted` does."""


def decode_output(line: bytes) -> CleanedRecord | DeletedRecord:
    """Return the record in a line of the output of `templ run`.

    Raises:
        SchemaError: The line is neither a cleaned nor a deleted record.
    """
    if b'"schema":"deleted/1"' in line[:64]:
        return decode_json(line, DeletedRecord)
    try:
        return decode_json(line, CleanedRecord)
    except SchemaError as error:
        if b'"schema"' in line:
            raise
        raise SchemaError(f"not a record that `templ run` has written ({error})") from None
