"""The partition of a site's records, by the default rule of Kafka's Java client."""

import logging

from aiokafka.partitioner import murmur2

from workers.kafka.broker.received import Received

log = logging.getLogger("templ")


def partition_of(site: str, partitions: int) -> int:
    """Return the partition to which Kafka's default partitioner sends a record with this key."""
    return (int(murmur2(site.encode())) & 0x7FFFFFFF) % partitions


class MisplacedRecords:
    """Finds the records of a topic that are in another partition than their site's.

    They are ignored. When partitions are added, records are moved, and a tombstone follows each where
    it was. So only a record that no tombstone follows is worth a line: partitions were added by hand.
    """

    def __init__(self, partitions: int) -> None:
        self._partitions = partitions
        self._last: dict[int, Received] = {}
        self._has_warned = False

    def holds(self, site: str, record: Received, *, is_new: bool = True) -> bool:
        """Return whether a record is in another partition than its site's, and remember it if so.

        One that is read again is not remembered, because the tombstone behind it may come later.
        """
        number = record.partition
        if number == partition_of(site, self._partitions):
            return False
        if not is_new:
            return True
        if record.value is not None:
            self._last[number] = record
        elif number in self._last and self._last[number].key == record.key:
            del self._last[number]
        return True

    def warn(self) -> None:
        """Log once if there are such records; call it when a log was read to its end."""
        if self._last and not self._has_warned:
            self._has_warned = True
            last = next(iter(self._last.values()))
            log.warning(
                "%s-%s-%s, and maybe others, is left out, because its site belongs to another of %s "
                "partitions; if partitions were added by hand, copy the topics to others: templ seed --from-prefix",
                *(last.topic, last.partition, last.offset, self._partitions),
            )
