"""A take-down while partitions are added says so: records of the site may be where nobody looked."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from schemas.topics import CLEANED, DOCUMENTS, MOVING, SITE_MODELS
from workers.errors import BrokerProblem
from workers.kafka import site_records
from workers.kafka.broker.access import BrokerAccess

TWO = dict.fromkeys([f"x.{name}" for name in (CLEANED, DOCUMENTS, SITE_MODELS)], 2)
THREE = dict.fromkeys(TWO, 3)


class Empty:
    """Stands for a consumer of topics without records, and for a producer."""

    async def end_offsets(self, topics):
        return dict.fromkeys(topics, 0)

    async def settle(self):
        pass


def erase(monkeypatch, *counts):
    """Erase a site; each look at the topics finds the next of these numbers of partitions."""
    coming = iter(counts)

    async def read_counts(_broker):
        return next(coming)

    @asynccontextmanager
    async def empty(*_arguments):
        yield Empty()

    async def no_records(*_arguments):
        for record in ():
            yield record

    monkeypatch.setattr(site_records, "read_range", no_records)
    monkeypatch.setattr(site_records, "read_partition_counts", read_counts)
    monkeypatch.setattr(site_records, "plain_consumer", empty)
    monkeypatch.setattr(site_records, "_producer", empty)
    broker = BrokerAccess("broker:9092")
    return asyncio.run(site_records.erase_from_topics(broker, "x.", "a.example"))


@pytest.mark.parametrize(
    "counts", [[TWO | {f"x.{MOVING}": 1}], [TWO, THREE], [TWO, THREE | {f"x.{MOVING}": 1}]]
)
def test_records_that_move_to_other_partitions_are_told(monkeypatch, counts):
    with pytest.raises(BrokerProblem, match="partitions are being added.*run the command again"):
        erase(monkeypatch, *counts)


def test_nothing_is_told_where_none_move(monkeypatch):
    assert erase(monkeypatch, TWO, TWO) == {DOCUMENTS: 0, SITE_MODELS: 0, CLEANED: 0}
