"""Where reading goes on after anything that can happen to a log."""

import random
from itertools import count

import pytest
from aiokafka.errors import GroupAuthorizationFailedError, KafkaConnectionError

from tests.workers.kafka.logs.memory_broker import MemoryLog
from workers.errors import BrokerProblem
from workers.kafka.broker.access import BrokerAccess
from workers.kafka.logs import topic_source
from workers.kafka.logs.resume import (
    LogSnapshot,
    LogState,
    Resume,
    decode_snapshot,
    has_lost_records,
    resume,
)
from workers.kafka.logs.topic_source import TopicSource, TopicSpan

MARK = LogSnapshot("a", 4, 100)


@pytest.mark.parametrize(
    ("position", "snapshot", "log", "offset", "is_other"),
    [
        (None, None, LogState(5, 100), 5, False),  # the first read of all
        (70, MARK, LogState(0, 100, "a", 4, kept=100), 70, False),
        (70, MARK, LogState(0, 500, "a", 6, kept=120), 70, False),  # another leader
        (130, MARK, LogState(0, 500, "a", 6, kept=120), 120, True),  # which leader wrote these?
        (70, MARK, LogState(80, 100, "a", 4, kept=100), 80, False),  # retention was faster
        (70, MARK, LogState(0, 60, "a", 6, kept=50), 50, True),
        (70, MARK, LogState(0, 500, "a", 6, kept=50), 50, True),  # new records took the offsets
        (70, MARK, LogState(0, 500, "a", 6, kept=90), 70, False),  # cut above what was read
        (70, MARK, LogState(60, 500, "a", 6, kept=50), 60, True),
        (70, MARK, LogState(0, 500, "b", 0, kept=500), 0, True),
        (70, MARK, LogState(0, 40, "", -1), 0, True),  # a broker without ids
        (70, None, LogState(0, 40, "a", 6), 0, True),  # an offset of an earlier version of templ
        (70, MARK, LogState(0, 40, "a", 4, kept=40), 0, True),  # lost without an election
        (0, MARK, LogState(0, 500, "b", 0, kept=500), 0, False),  # nothing was read
    ],
)
def test_reading_goes_on_where_the_log_stopped_being_the_same(
    position, snapshot, log, offset, is_other
):
    resumed = resume(position, snapshot, log)
    assert (resumed.offset, resumed.is_other_log) == (offset, is_other)
    assert bool(resumed.reason) == (is_other or offset > (position or offset))


@pytest.mark.parametrize(("reset", "offset"), [("cut", 50), ("earliest", 3), ("latest", 90)])
def test_the_setting_decides_where_a_cut_log_is_read_on(reset, offset):
    assert resume(70, MARK, LogState(3, 90, "a", 6, kept=50), reset).offset == offset


@pytest.mark.parametrize(("reset", "offset"), [("cut", 120), ("earliest", 120), ("latest", 130)])
def test_what_may_be_the_records_of_a_new_leader_is_read_again(reset, offset):
    resumed = resume(130, MARK, LogState(3, 500, "a", 6, kept=120), reset)
    assert (resumed.offset, resumed.is_sure) == (offset, False)


def test_the_line_says_what_happened():
    assert resume(70, MARK, LogState(0, 90, "a", 6, kept=50)) == Resume(
        50, "the log of this topic was cut at offset 50; it had been read up to 70", True
    )
    assert "may have been cut at offset 120" in (
        resume(130, MARK, LogState(0, 500, "a", 6, kept=120)).reason
    )


@pytest.mark.parametrize("text", [None, "", "no snapshot", "[]", '{"a":1}', '["a"]', b"\xff"])
def test_the_metadata_of_somebody_else_is_no_mark(text):
    assert decode_snapshot(text) is None


@pytest.mark.parametrize("policy", ["cut", "earliest"])
@pytest.mark.parametrize("seed", range(200))
def test_no_record_passes_by_whatever_happens_to_the_log(seed, policy):
    """A reader that looks, reads, commits and crashes at random, over a log that changes at random."""
    rng, numbers = random.Random(seed), count()
    log, read, repeats = MemoryLog(), set(), 0
    committed = (None, None)
    position, snapshot = 0, None

    def look():
        nonlocal position, snapshot
        state = log.state(snapshot)
        goes_on = resume(position, snapshot, state, policy)
        if goes_on.is_other_log and goes_on.is_sure:
            start()
        snapshot = state.snapshot

    def start():
        nonlocal position, snapshot
        offset, snapshot = committed
        state = log.state(snapshot)
        position, snapshot = resume(offset, snapshot, state, policy).offset, state.snapshot

    for _ in range(120):
        step = rng.random()
        if step < 0.4:
            log.append(*(next(numbers) for _ in range(rng.randint(1, 9))))
        elif step < 0.7:
            if position > log.end:
                start()  # the broker refuses the offset, and the process ends
            until = min(log.end, position + rng.randint(1, 9))
            repeats += sum(one in read for one in log.records[position:until])
            read.update(log.records[position:until])
            position = until
            if rng.random() < 0.5:
                committed = position, snapshot
        elif step < 0.75:
            look()
        elif step < 0.8:
            start()
        elif step < 0.9:
            log.elect()
        elif step < 0.97:
            log.cut(rng.randint(0, log.end))
        else:
            log = MemoryLog()
    start()
    assert read.issuperset(log.records[:position])
    if policy == "cut":
        assert repeats < 120 * 9 / 2


def test_models_are_lost_with_the_start_the_end_or_the_whole_of_a_log():
    log = MemoryLog()
    log.append(*range(10))
    snapshot = log.state(None).snapshot
    log.append(10)
    log.elect()
    assert not has_lost_records(snapshot, log.state(snapshot))
    log.expire(3)
    assert has_lost_records(snapshot, log.state(snapshot))
    snapshot = log.state(snapshot).snapshot
    log.cut(5)
    log.append(*range(50))
    assert has_lost_records(snapshot, log.state(snapshot))
    assert has_lost_records(log.state(snapshot).snapshot, MemoryLog().state(None))


@pytest.mark.parametrize("error", [KafkaConnectionError(), GroupAuthorizationFailedError()])
async def test_a_consumer_that_does_not_start_is_told_and_stopped(monkeypatch, error):
    calls = []

    class Consumer:
        def __init__(self, **_options):
            pass

        async def start(self):
            raise error

        async def stop(self):
            calls.append("stop")

    async def one_partition(_broker, _topic):
        return 1

    monkeypatch.setattr(topic_source, "AIOKafkaConsumer", Consumer)
    monkeypatch.setattr(topic_source, "topic_partitions", one_partition)
    span = TopicSpan(topic="pages", group="replay", since_ms=None, until_ms=None)
    with pytest.raises(BrokerProblem, match="b:1 does not give pages"):
        async with TopicSource(BrokerAccess("b:1"), span):
            pass
    assert calls == ["stop"]
