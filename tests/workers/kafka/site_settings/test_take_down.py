"""A take-down while partitions are added says so: records of the site may be where nobody looked."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from schemas.topics import CLEANED, DOCUMENTS, MOVING, SITE_MODELS
from workers.errors import BrokerProblem
from workers.kafka.access.broker_access import BrokerAccess
from workers.kafka.site_settings import take_down

TWO = dict.fromkeys([f"x.{name}" for name in (CLEANED, DOCUMENTS, SITE_MODELS)], 2)
THREE = dict.fromkeys(TWO, 3)


class Empty:
    """Stands for a consumer of topics without records, and for a producer."""

    async def end_offsets(self, topics):
        return dict.fromkeys(topics, 0)


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

    monkeypatch.setattr(take_down, "read_range", no_records)
    monkeypatch.setattr(take_down, "read_partition_counts", read_counts)
    monkeypatch.setattr(take_down, "plain_consumer", empty)
    monkeypatch.setattr(take_down, "producer_for", empty)
    broker = BrokerAccess("broker:9092")
    return asyncio.run(take_down.erase_from_topics(broker, "x.", "a.example"))


@pytest.mark.parametrize(
    "counts", [[TWO | {f"x.{MOVING}": 1}], [TWO, THREE], [TWO, THREE | {f"x.{MOVING}": 1}]]
)
def test_records_that_move_to_other_partitions_are_told(monkeypatch, counts):
    with pytest.raises(BrokerProblem, match="partitions are being added.*run the command again"):
        erase(monkeypatch, *counts)


def test_nothing_is_told_where_none_move(monkeypatch):
    assert erase(monkeypatch, TWO, TWO) == {DOCUMENTS: 0, SITE_MODELS: 0, CLEANED: 0}
