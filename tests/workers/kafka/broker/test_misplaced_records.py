"""Records in wrong partitions count nowhere, and are told unless they were moved away."""

import pytest

from workers.kafka.broker.partitioning import MisplacedRecords, partition_of
from workers.kafka.broker.received import Received

SITE, PARTITIONS = "example.com", 4
OWN = partition_of(SITE, PARTITIONS)
OTHER = (OWN + 1) % PARTITIONS


def record(partition, value, key=b"example.com"):
    return Received(
        topic="documents", partition=partition, offset=0, timestamp_ms=0, key=key, value=value
    )


@pytest.mark.parametrize(
    ("records", "told"),
    [
        ([record(OWN, b"x"), record(OWN, None)], False),
        ([record(OTHER, b"x")], True),
        ([record(OTHER, b"x"), record(OTHER, None)], False),
        ([record(OTHER, b"x"), record(OTHER, None, b"another")], True),
        ([record(OTHER, None)], False),
    ],
)
def test_a_record_that_nothing_removes_is_told(records, told, caplog):
    strays = MisplacedRecords(PARTITIONS)
    assert [strays.holds(SITE, one) for one in records] == [one.partition != OWN for one in records]
    strays.warn()
    strays.warn()
    assert caplog.text.count("templ topics repartition --from") == told
