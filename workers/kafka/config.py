"""The broker, the topics and the state directory of a worker's role."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from schemas.topics import DOCUMENTS
from workers.kafka.broker.access import BrokerAccess
from workers.settings import Settings


class KafkaConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What each role needs to know."""

    broker: BrokerAccess
    """How the broker is reached."""
    counts: Mapping[str, int]
    """Numbers of partitions of topics, by their names without the prefix."""
    state: Path
    """State directory of the role."""
    instance: str
    """Name of this member of the consumer group, kept in the state directory.

    A worker that comes back within the session time-out still has its partitions, and the other
    workers notice nothing.
    """
    settings: Settings

    @property
    def partitions(self) -> int:
        """Number of partitions of `documents`, `site-models` and `site-settings`."""
        return self.counts[DOCUMENTS]

    def partitions_changed(self, partitions: int | None) -> str:
        """Return a line that says that `documents` has another number of partitions now; empty if not, or for None (no topic)."""
        if partitions in (None, self.partitions):
            return ""
        return (
            f"{self.broker.topic(DOCUMENTS)} has {partitions} partitions, and this process began with "
            f"{self.partitions}"
        )
