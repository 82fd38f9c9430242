"""Which Kafka, which topics on it, and which state."""

from pathlib import Path

import msgspec

from workers.settings import Settings

PRODUCER_ROOM_BYTES = 1 << 20
"""Room in a request beyond the largest message."""


class KafkaConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What both apps need to know."""

    broker: str
    prefix: str
    partitions: int
    """Partitions of `documents`, `cleaned` and `site-models`."""
    state: Path
    """Directory of this role's state."""
    instance: str
    """Name under which a consumer group knows this role, kept in its state: a worker that comes back
    within the session time-out has its partitions still, and the others notice nothing."""
    settings: Settings

    def topic(self, name: str) -> str:
        """Name of a topic on this broker."""
        return self.prefix + name

    def group(self, role: str) -> str:
        """Consumer group of a role."""
        return f"{self.prefix}templ-{role}"
