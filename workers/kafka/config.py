"""The broker, the topics and the state directory of a worker's role."""

from pathlib import Path

import msgspec

from workers.kafka.access.broker_access import BrokerAccess
from workers.settings import Settings

PRODUCER_ROOM_BYTES = 1 << 20
"""Room in a producer's request besides the largest message."""


class KafkaConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What the apps of both roles need to know."""

    broker: BrokerAccess
    """How the broker is reached."""
    prefix: str
    """Text before the name of each topic."""
    partitions: int
    """Number of partitions of `documents`, `cleaned` and `site-models`."""
    state: Path
    """State directory of the role."""
    instance: str
    """Name of this member of the consumer group, kept in the state directory.

    A worker that comes back within the session time-out still has its partitions, and the other
    workers notice nothing.
    """
    settings: Settings

    def topic(self, name: str) -> str:
        """Return the full name of a topic on the broker."""
        return self.prefix + name

    def group(self, role: str) -> str:
        """Return the name of the consumer group of a role."""
        return f"{self.prefix}templ-{role}"
