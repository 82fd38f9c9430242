"""The source of a page, which identifies it when it is delivered more than once."""

import msgspec


class Source(msgspec.Struct, frozen=True, order=True):
    """The position of a page in its feed.

    On Kafka it is the topic, partition and offset of the page message. On files it is the name of
    the file, a checksum of the record as partition, and the number of the record in the file, counted
    from 0. So another file of the same name has other sources.
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
"""Header of every output message with the `topic-partition-offset` of the page it belongs to."""
