"""What a role asks of traces, and the traces of a role that writes none."""

from collections.abc import Sequence

from workers.kafka.broker.received import Received
from workers.pipeline.actions import Outcome


class BatchSpans:
    """The spans of a batch of records: of none, unless a subclass has some."""

    def __init__(self, messages: Sequence[Received]) -> None:
        """Have no spans.

        Args:
            messages: The records.
        """
        self.messages = messages
        """The records; in the headers of one that has a span, that span is the parent."""

    def has(self, number: int) -> bool:  # noqa: ARG002
        """Return whether the record of this number has a span."""
        return False

    def stage(self, name: str) -> None:
        """End a stage of the batch, which began when the last one ended."""

    def cleaned(self, outcomes: Sequence[Outcome]) -> None:
        """End the cleaning of the batch.

        Args:
            outcomes: What became of each record.
        """

    def end(self) -> None:
        """End the spans."""


class Traces:
    """The traces of a role: none, unless a subclass writes some."""

    def begin(self, messages: Sequence[Received], began_ns: int) -> BatchSpans:  # noqa: ARG002
        """Begin the spans of those records that are traced.

        Args:
            messages: Records of one batch.
            began_ns: When the batch began, in Unix nanoseconds.
        """
        return BatchSpans(messages)

    def close(self) -> None:
        """Send what was not sent yet."""
