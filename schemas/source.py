"""Where a page came from: the identity that makes at-least-once delivery harmless."""

import msgspec


class Source(msgspec.Struct, frozen=True, order=True):
    """Position of a page in its feed.

    On Kafka the topic, partition and offset of the page message; on files the file's name,
    partition 0 and the 0-based number of the record in that file.
    """

    topic: str
    partition: int
    offset: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}-{self.offset}"

    @classmethod
    def parse(cls, text: str) -> "Source":
        """Return the source whose text form this is.

        Raises:
            ValueError: The text is not of the form `topic-partition-offset`.
        """
        topic, partition, offset = text.rsplit("-", 2)
        return cls(topic, int(partition), int(offset))


HEADER_SOURCE_ID = "source.id"
"""Header of every output message: `topic-partition-offset` of the page it answers."""
