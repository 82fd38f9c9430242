"""The specifications of all topics; no other module contains the name of a topic."""

import msgspec

_MIB = 1 << 20
DEFAULT_PARTITIONS = 4
MAX_MESSAGE_BYTES = 8 * _MIB
DEAD_LETTER_ROOM_BYTES = 64 << 10
"""Room for the headers that a dead letter has besides those of the page message."""
_DAY_MS = 24 * 3600 * 1000


class TopicSpec(msgspec.Struct, frozen=True, kw_only=True):
    """The settings that a topic must have on the broker."""

    name: str
    cleanup_policy: str
    max_message_bytes: int = MAX_MESSAGE_BYTES
    retention_ms: int | None = None
    """Least retention; None for a topic where compaction keeps the last record of each key."""
    same_partitions: bool = False
    """Whether the number of partitions must equal that of `documents`.

    The records of a site are then in one partition, `workers.kafka.broker.partitioning.partition_of`. Other numbers
    need other topics, to which `templ seed --from-prefix` copies what was learned.
    """

    def config(self) -> dict[str, str]:
        """Return the settings with which the topic is created."""
        config = {
            "cleanup.policy": self.cleanup_policy,
            "max.message.bytes": str(self.max_message_bytes),
        }
        if self.retention_ms is not None:
            config["retention.ms"] = str(self.retention_ms)
        return config


PAGES = "pages"
DOCUMENTS = "documents"
CLEANED = "cleaned"
SITE_MODELS = "site-models"
SITE_SETTINGS = "site-settings"
SITE_EVENTS = "site-events"
PAGE_CHANGES = "page-changes"
PAGE_COPIES = "page-copies"
FINGERPRINTS = "fingerprints"
DEAD_LETTERS = "pages.dlq"
TOPICS = {
    spec.name: spec
    for spec in (
        TopicSpec(name=PAGES, cleanup_policy="delete", retention_ms=7 * _DAY_MS),
        TopicSpec(name=DOCUMENTS, cleanup_policy="compact", same_partitions=True),
        TopicSpec(name=CLEANED, cleanup_policy="compact"),
        TopicSpec(name=SITE_MODELS, cleanup_policy="compact", same_partitions=True),
        TopicSpec(name=SITE_SETTINGS, cleanup_policy="compact", same_partitions=True),
        # Compaction removes what is left of a site that was taken down.
        TopicSpec(name=PAGE_CHANGES, cleanup_policy="compact,delete", retention_ms=90 * _DAY_MS),
        TopicSpec(name=PAGE_COPIES, cleanup_policy="compact"),
        TopicSpec(name=SITE_EVENTS, cleanup_policy="compact,delete", retention_ms=90 * _DAY_MS),
        TopicSpec(
            name=FINGERPRINTS,
            cleanup_policy="compact,delete",
            retention_ms=90 * _DAY_MS,
            same_partitions=True,
        ),
        TopicSpec(
            name=DEAD_LETTERS,
            cleanup_policy="delete",
            retention_ms=30 * _DAY_MS,
            max_message_bytes=MAX_MESSAGE_BYTES + DEAD_LETTER_ROOM_BYTES,
        ),
    )
}
