"""Which change of the number of partitions is made, and which records it moves."""

from types import SimpleNamespace

import pytest
from aiokafka.errors import KafkaConnectionError

from workers.errors import BrokerProblem, TopicProblem, UsageProblem
from workers.kafka.broker import admin
from workers.kafka.broker.access import BrokerAccess
from workers.kafka.broker.partitioning import partition_of
from workers.kafka.operate import record_moves
from workers.kafka.operate.record_moves import MOVED_HEADER, NumberChange, RecordMoves
from workers.kafka.operate.repartition import decide_change
from workers.kafka.site_records import write_settings

SITES = [f"site-{number}.example" for number in range(200)]


@pytest.mark.parametrize(
    ("counts", "begun_with", "partitions", "old", "change"),
    [
        ([4, 4, 4], None, 10, None, (4, 10)),
        ([4, 4, 4], None, 4, None, None),
        ([4, 4, 4], None, None, None, None),
        ([4, 4, 4], 4, 10, None, (4, 10)),  # killed before the first topic grew
        ([10, 4, 4], 4, None, None, (4, 10)),
        ([10, 10, 10], 4, None, None, (4, 10)),
        ([10, 4, 4], None, None, None, (4, 10)),  # one topic was altered by hand
        ([10, 10, 10], None, 10, 4, (4, 10)),  # all were
    ],
)
def test_the_change_that_is_made(counts, begun_with, partitions, old, change):
    found = decide_change(counts, begun_with, partitions, old)
    assert found == (NumberChange(*change) if change else None)


@pytest.mark.parametrize("counts", [[4, 4, 4], [4, 2, 2]])
def test_partitions_are_not_taken_away(counts):
    with pytest.raises(UsageProblem, match="cannot take partitions away.*another --prefix"):
        decide_change(counts, None, 3, None)


def test_a_change_that_was_begun_is_finished_first():
    with pytest.raises(UsageProblem, match="from 4 to 10 partitions was begun"):
        decide_change([10, 4, 4], 4, 12, None)


@pytest.mark.parametrize(("old", "new"), [(2, 5), (4, 8), (3, 4), (4, 4)])
def test_each_site_moves_from_its_old_partition_to_its_new_one_and_from_no_other(old, new):
    change = NumberChange(old, new)
    for site in SITES:
        was, will_be = partition_of(site, old), partition_of(site, new)
        for partition in range(new):
            moves = partition == was and was != will_be
            assert change.target(site, partition) == (will_be if moves else None)


async def moves(record):
    """Whether a null value is copied when partitions go from 2 to 5."""
    one = RecordMoves(BrokerAccess(""), "documents", NumberChange(2, 5), None, print)
    return await one._is_to_copy(record)


@pytest.mark.parametrize(
    ("headers", "is_copied"), [((), True), (("2-5",), False), (("2-3",), True)]
)
async def test_null_values_are_copied_but_for_those_of_an_earlier_attempt(headers, is_copied):
    """Without those of an earlier change, a document that it had moved away would come back."""
    record = SimpleNamespace(
        topic="documents", partition=0, offset=7, timestamp=1, key=b"a\0b", value=None,
        headers=[(MOVED_HEADER, name.encode()) for name in headers],
    )  # fmt: skip
    assert await moves(record) == is_copied


async def test_settings_are_not_written_while_a_copy_of_older_ones_may_follow(monkeypatch):
    async def counts(_broker):
        return {"x-documents": 4, "x-documents.moving": 2}

    monkeypatch.setattr(admin, "read_partition_counts", counts)
    with pytest.raises(TopicProblem, match="partitions are being added"):
        await write_settings(BrokerAccess("127.0.0.1:1"), "x-", "a.example", None)


async def test_a_broker_that_is_gone_when_records_are_counted_is_told_in_one_line(monkeypatch):
    def gone(_broker):
        raise KafkaConnectionError("no route")

    monkeypatch.setattr(record_moves, "plain_consumer", gone)
    moves = RecordMoves(BrokerAccess("b:1"), "documents", NumberChange(2, 5), None, print)
    with pytest.raises(BrokerProblem, match="documents: b:1 cannot be reached.*nothing is lost"):
        await moves.count()
