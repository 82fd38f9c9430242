"""The partition of a site's records, by the default rule of Kafka's Java client."""

from aiokafka.partitioner import murmur2


def partition_of(site: str, partitions: int) -> int:
    """Return the partition to which Kafka's default partitioner sends a record with this key."""
    return (int(murmur2(site.encode())) & 0x7FFFFFFF) % partitions


def misplaced(site: str, partition: int, partitions: int) -> str:
    """Return why a record of a site is in the wrong partition, as a clause; empty where it is in its own.

    Such records are there while partitions are added to the topics, and after they were added by hand.

    Example:
        >>> misplaced("example.com", 1, 4)
        ''
        >>> misplaced("example.com", 0, 4)
        'its site belongs to partition 1; if partitions were added by hand: templ topics repartition --from'
    """
    own = partition_of(site, partitions)
    if partition == own:
        return ""
    return (
        f"its site belongs to partition {own}; if partitions were added by hand: "
        "templ topics repartition --from"
    )
