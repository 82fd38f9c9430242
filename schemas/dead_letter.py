"""Dead letters, which are unchanged page messages with headers that say what went wrong."""

import msgspec

HEADER_EXCEPTION = "__streams.errors.exception"
HEADER_MESSAGE = "__streams.errors.message"
HEADER_STACK_TRACE = "__streams.errors.stacktrace"
"""Header that Kafka Streams writes too; it names the stage, since what failed was another process."""
HEADER_TOPIC = "__streams.errors.topic"
HEADER_PARTITION = "__streams.errors.partition"
HEADER_OFFSET = "__streams.errors.offset"
HEADER_STAGE = "templ.stage"
HEADER_ATTEMPTS = "templ.attempts"
HEADER_AT = "templ.at"
HEADER_WORKER_VERSION = "templ.worker-version"
HEADER_CUT_FROM = "templ.cut-from"
"""Header with the original size of a value in bytes, where the value was cut to the page limit."""

HEADER_REDRIVES = "templ.redrives"
"""Header of a page, and of its dead letter, with how often `templ dlq redrive` has sent it again."""

MESSAGE_LIMIT_BYTES = 500
"""Largest value of a header of a dead letter."""


class DeadLetter(msgspec.Struct, frozen=True, kw_only=True):
    """The reason why a page could not be processed."""

    exception: str
    """Name of the error, such as `EmptyPage` or `DeadlineExceeded`; names do not change."""
    message: str
    stage: str
    """Stage that failed: `receive`, `decode`, `clean` or `publish`."""
    attempts: int = 1
    """How often the page was tried."""

    def headers(
        self, topic: str, partition: int, offset: int, at: str, worker_version: str
    ) -> dict[str, bytes]:
        """Return the headers to add to those of the page message, in UTF-8; `at` is the RFC 3339 time of the failure.

        Names that begin with `__streams` are those of Kafka Streams (KIP-1034).
        """
        values = {
            HEADER_EXCEPTION: self.exception,
            HEADER_MESSAGE: self.message,
            HEADER_STACK_TRACE: f"{self.exception}: {self.message}\n\tat templ.{self.stage}",
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
    """Return text in UTF-8, cut to the size limit of a header."""
    return text.encode()[:MESSAGE_LIMIT_BYTES].decode(errors="ignore").encode()


class DeadLetterRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A dead letter as a line of a file."""

    exception: str
    message: str
    stage: str
    attempts: int
    topic: str
    partition: int
    offset: int
    url: str | None
    value_base64: str
    """The unchanged bytes of the record: a line of a JSON Lines file, or the body of a page."""
