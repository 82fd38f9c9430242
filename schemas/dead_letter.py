"""Headers of a dead letter: the untouched page message, with what went wrong beside it."""

import msgspec

HEADER_EXCEPTION = "__streams.errors.exception"
HEADER_MESSAGE = "__streams.errors.message"
HEADER_TOPIC = "__streams.errors.topic"
HEADER_PARTITION = "__streams.errors.partition"
HEADER_OFFSET = "__streams.errors.offset"
HEADER_STAGE = "templ.stage"
HEADER_ATTEMPTS = "templ.attempts"
HEADER_AT = "templ.at"
HEADER_WORKER_VERSION = "templ.worker-version"
HEADER_CUT_FROM = "templ.cut-from"
"""Bytes of the value before it was cut; only where it is larger than any page may be."""

MESSAGE_LIMIT_BYTES = 500


class DeadLetter(msgspec.Struct, frozen=True, kw_only=True):
    """Why a page could not be processed."""

    exception: str
    """Name of the error, stable: `EmptyPage`, `UnsupportedContent`, `DeadlineExceeded`, ..."""
    message: str
    stage: str
    """Where it failed: `receive`, `decode`, `clean`, `publish`."""
    attempts: int = 1

    def headers(
        self, topic: str, partition: int, offset: int, at: str, worker_version: str
    ) -> dict[str, bytes]:
        """Headers to add to the page message's own; UTF-8 text, names of Kafka Streams' KIP-1034.

        Args:
            topic: Topic of the page message.
            partition: Its partition.
            offset: Its offset.
            at: RFC 3339 time of the failure.
            worker_version: Version of the worker that gave up.
        """
        values = {
            HEADER_EXCEPTION: self.exception,
            HEADER_MESSAGE: self.message,
            HEADER_TOPIC: topic,
            HEADER_PARTITION: str(partition),
            HEADER_OFFSET: str(offset),
            HEADER_STAGE: self.stage,
            HEADER_ATTEMPTS: str(self.attempts),
            HEADER_AT: at,
            HEADER_WORKER_VERSION: worker_version,
        }
        return {name: _cut(value) for name, value in values.items()}


def _cut(text: str) -> bytes:
    """`text` in UTF-8, within the limit."""
    return text.encode()[:MESSAGE_LIMIT_BYTES].decode(errors="ignore").encode()


class DeadLetterRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A dead letter as a line of a file: the record's own bytes and the reason."""

    exception: str
    message: str
    stage: str
    attempts: int
    topic: str
    partition: int
    offset: int
    url: str | None
    value_base64: str
    """The untouched bytes of the record: the line of a JSON Lines file, the body of a page."""
