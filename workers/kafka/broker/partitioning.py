"""The partition of a site's records, by the default rule of Kafka's Java client."""

from aiokafka.partitioner import murmur2


def partition_of(site: str, partitions: int) -> int:
    """Return the partition to which Kafka's default partitioner sends a record with this key."""
    return (int(murmur2(site.encode())) & 0x7FFFFFFF) % partitions
