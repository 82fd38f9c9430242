"""Which partition a site's records are on: the Java client's default rule for keys."""

from aiokafka.partitioner import murmur2


def partition_of(site: str, partitions: int) -> int:
    """Partition that a producer with the Java default partitioner sends this key to."""
    return (int(murmur2(site.encode())) & 0x7FFFFFFF) % partitions
