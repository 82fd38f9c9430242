"""A worker that takes partitions over, or looks at them, over logs that are other ones by now."""

import asyncio
import logging
import time
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
from aiokafka import TopicPartition
from aiokafka.errors import NoOffsetForPartitionError, OffsetOutOfRangeError
from aiokafka.structs import OffsetAndMetadata
from faust.transport.drivers.aiokafka import AIOKafkaConsumerThread
from faust.types import TP

from tests.workers.kafka.builders import kafka_config
from tests.workers.kafka.logs.memory_broker import MemoryBroker
from tests.workers.raw_batches import batch
from workers.kafka import app, watchdog
from workers.kafka.app import build_app
from workers.kafka.logs.fetched import FetchedEpochs
from workers.kafka.logs.resume import OTHER_TOPIC, decode_snapshot
from workers.kafka.patches import _LogConsumerThread
from workers.kafka.watchdog import Patience, act, check_logs
from workers.settings import load_settings

PAGES_0 = TopicPartition("pages", 0)


@pytest.fixture
def broker():
    """A broker with ten records that were all read and committed."""
    broker = MemoryBroker()
    log = broker.of[0]
    log.append(*range(10))
    broker.commit(0, 10, log.state(None).snapshot)
    return broker


def config(tmp_path, partitions=1, **settings):
    return kafka_config(tmp_path, partitions, load_settings(**settings))


def right_offsets(broker, tmp_path, **settings):
    """The offsets that a worker commits again when it takes the partition over, and its snapshots."""
    own_app = build_app(config(tmp_path, **settings), "cleaner")
    right, _ = asyncio.run(own_app._right_offsets("pages", [0], broker))
    return right, own_app.snapshots


def test_offsets_that_suit_their_log_stay(broker, tmp_path, caplog):
    broker.of[0].elect()
    broker.of[0].append(*range(5))
    right, snapshots = right_offsets(broker, tmp_path)
    assert right == {}
    assert snapshots[0].end == 15
    assert caplog.text == ""


@pytest.mark.parametrize(("reset", "offset"), [("cut", 6), ("earliest", 0), ("latest", 46)])
def test_a_cut_log_is_read_on_as_the_setting_says_and_one_line_tells(
    broker, tmp_path, caplog, reset, offset
):
    broker.of[0].cut(6)
    broker.of[0].append(*range(40))
    right, _ = right_offsets(broker, tmp_path, offset_reset=reset)
    assert right == {TP("pages", 0): offset}
    (line,) = [one.getMessage() for one in caplog.records if one.levelno == logging.WARNING]
    assert line == (
        "pages-0: the log of this topic was cut at offset 6; it had been read up to 10; "
        f"reading goes on at offset {offset}"
    )


def test_a_topic_that_was_recreated_is_read_from_its_start(broker, tmp_path, caplog):
    broker.recreate()
    broker.of[0].append(*range(30))
    right, _ = right_offsets(broker, tmp_path, offset_reset="latest")
    assert right == {TP("pages", 0): 0}
    assert "pages-0: the topic was deleted and created again; reading goes on at" in caplog.text


def test_a_partition_that_was_never_read_begins_at_its_start(tmp_path, caplog):
    broker = MemoryBroker()
    broker.of[0].append(*range(9))
    broker.of[0].expire(4)
    assert right_offsets(broker, tmp_path)[0] == {TP("pages", 0): 4}
    assert caplog.text == ""


@pytest.mark.parametrize("is_done", [False, True])
def test_an_offset_that_cannot_be_set_right_keeps_the_log_that_it_is_of(
    broker, tmp_path, monkeypatch, is_done
):
    """Another rebalance may begin meanwhile, and what is read until then may be committed."""
    read_in = broker.of[0].state(None).snapshot
    broker.of[0].cut(6)
    broker.of[0].append(*range(8))
    monkeypatch.setattr(app, "ask_for_logs", lambda _access, question: question(broker))
    own_app, gone_to = build_app(config(tmp_path), "cleaner"), []

    async def go_to(offsets):
        gone_to.append(offsets)
        return is_done

    own_app._consumer = SimpleNamespace(go_to=go_to)
    asyncio.run(own_app._set_offsets_right("pages", [0]))
    assert gone_to == [{TP("pages", 0): 6}]
    offset = 6 if is_done else 11
    broker.commit(0, offset, own_app.snapshots[0])
    assert (own_app.snapshots[0] == read_in) is not is_done
    assert right_offsets(broker, tmp_path)[0] == ({} if is_done else {TP("pages", 0): 6})


class App:
    """An App that has partitions, and what it has received and fetched of them."""

    def __init__(self, assigned, received, snapshots):
        self._assigned, self.snapshots = assigned, snapshots
        self.gaps = SimpleNamespace(received=lambda: received)

    @property
    def assigned(self):
        return self._assigned() if callable(self._assigned) else self._assigned


def look(broker, received=None, assigned=(0,), partitions=1):
    """What a watchdog sees that has the snapshots of the commits."""
    committed = asyncio.run(broker.committed("", ""))
    snapshots = {number: place.snapshot for number, place in committed.items()}
    app = App(assigned, received or {}, snapshots)
    role = SimpleNamespace(app=app, group="", topic="pages", config=config(Path(), partitions))
    return asyncio.run(check_logs(broker, role))


def test_partitions_that_were_added_are_a_problem(broker, tmp_path, monkeypatch):
    said = "documents has 1 partitions, and this process began with 3"
    assert look(broker, partitions=3).problem == said
    ended = []
    monkeypatch.setattr(app, "end_process", lambda reason, **_: ended.append(reason))
    own_app = build_app(config(tmp_path, partitions=3), "cleaner")
    asyncio.run(own_app._right_offsets("pages", [0], broker))
    assert ended == [f"{said}; the process ends to be started again"]


def test_records_that_wait_are_counted_from_the_committed_offset(broker):
    broker.of[0].append(*range(7))
    observed = look(broker, received={0: 14})
    assert (observed.lagging, observed.waiting, observed.problem) == ({0: 10}, 7, "")


def test_expired_records_do_not_wait(broker):
    broker.of[0].append(*range(7))
    broker.of[0].expire(15)
    assert look(broker).waiting == 2


def test_a_shorter_log_is_lag_and_a_problem_at_once(broker):
    broker.of[0].cut(0)
    broker.of[0].append(*range(4))
    observed = look(broker)
    assert (observed.lagging, observed.waiting) == ({0: 0}, 4)
    assert observed.problem.startswith("pages-0: the log of this topic was cut at offset 0")


@pytest.mark.parametrize("kept", [10, 12, 14])
def test_records_that_were_fetched_after_the_last_look_and_lost_are_a_problem(
    broker, kept, monkeypatch
):
    fetched, log = FetchedEpochs(), broker.of[0]
    monkeypatch.setattr(watchdog, "FETCHED", fetched)
    log.append(*range(4))
    for offset in range(14):
        fetched.note("pages", 0, batch([], base_offset=offset, epoch=log.epoch))
    assert fetched.of("pages", 0) == {0: 14}
    log.cut(kept)
    log.append(*range(20))
    fetched.note("pages", 0, batch([], base_offset=20, epoch=log.epoch))
    observed = look(broker, received={0: 21})
    if kept == 14:
        assert observed.problem == ""
        assert fetched.of("pages", 0) == {}
    else:
        assert observed.problem == (
            f"pages-0: the log of this topic was cut at offset {kept}; it had been read up to 14 or "
            "further"
        )


def test_a_topic_recreated_is_a_problem_even_before_anything_was_committed(broker):
    broker.recreate()
    broker.of[0].append(*range(10))
    assert "deleted and created again" in look(broker).problem
    broker = MemoryBroker()
    broker.of[0].append(1)
    broker.commit(0, 0, broker.of[0].state(None).snapshot)
    broker.recreate()
    assert "deleted and created again" in look(broker, received={0: 1}).problem


def test_a_look_during_which_partitions_are_assigned_says_nothing(broker):
    broker.of[0].cut(3)
    sets = [frozenset([0]), frozenset([0, 1])]
    assert look(broker, assigned=lambda: sets.pop(0)).problem == ""


def test_a_process_that_lost_its_partitions_with_the_topic_sees_the_new_one(broker):
    assert look(broker, assigned=()).problem == ""
    broker.recreate()
    assert look(broker, assigned=()).problem == "pages: the topic was deleted and created again"


def test_a_process_that_is_given_partitions_of_a_new_topic_ends(broker, tmp_path, monkeypatch):
    # The broker deletes what was committed for a topic with it, so the commits show nothing.
    broker.offsets.clear()
    ended = []
    monkeypatch.setattr(app, "end_process", ended.append)
    own_app = build_app(config(tmp_path), "cleaner")
    asyncio.run(own_app._right_offsets("pages", [0], broker))
    assert ended == []
    broker.recreate()
    asyncio.run(own_app._right_offsets("pages", [0], broker))
    assert ended == [
        "pages: the topic was deleted and created again; the process ends to be started again"
    ]


@pytest.mark.parametrize("somebody_has_it", [False, True])
def test_a_process_without_partitions_ends_when_records_wait_that_nobody_has(
    broker, monkeypatch, somebody_has_it
):
    broker.of[0].append(*range(7))
    broker.assigned = {0} if somebody_has_it else set()
    observed = look(broker, assigned=())
    assert observed.unassigned == ({} if somebody_has_it else {0: 10})
    ended, joined = [], []

    async def is_waiting(*_):
        return True

    monkeypatch.setattr(watchdog, "end_process", ended.append)
    monkeypatch.setattr(watchdog, "_is_work_waiting", is_waiting)
    role = SimpleNamespace(
        app=SimpleNamespace(join_again=lambda: joined.append(1)), group="g", topic="pages",
        config=config(Path()), inner_progress=count().__next__,
    )  # fmt: skip

    async def looks():
        patience = Patience(0, time.monotonic())
        for _ in range(2):
            await act(role, observed, patience)

    asyncio.run(looks())
    line = (
        "g: committed offsets {0: 10} of pages have not moved for 0 s although no process has them; "
        "the process ends to be started again"
    )
    assert ended == ([] if somebody_has_it else [line])
    assert joined == ([] if somebody_has_it else [1])


def test_commits_carry_the_marks(broker, tmp_path, monkeypatch):
    done = {}

    async def commit(offsets):
        done.update(offsets)

    monkeypatch.setattr(
        AIOKafkaConsumerThread, "_create_consumer", lambda *_: SimpleNamespace(commit=commit)
    )
    thread = object.__new__(_LogConsumerThread)
    snapshot = broker.of[0].state(None).snapshot
    thread.app = SimpleNamespace(snapshots={0: snapshot})
    offsets = {TopicPartition("pages", n): OffsetAndMetadata(7, "") for n in (0, 1)}
    asyncio.run(thread._create_consumer(None).commit(offsets))
    assert {one.partition: place.offset for one, place in done.items()} == {0: 7, 1: 7}
    snapshots = {one.partition: decode_snapshot(place.metadata) for one, place in done.items()}
    assert snapshots == {0: snapshot, 1: None}


@pytest.mark.parametrize(
    ("error", "is_recreated", "line"),
    [
        (OffsetOutOfRangeError({PAGES_0: 7}), False, "pages-0: the log has no offset 7"),
        (OffsetOutOfRangeError({PAGES_0: 7}), True, f"pages-0: {OTHER_TOPIC}"),
        (NoOffsetForPartitionError(PAGES_0), False, "pages-0: no offset is committed"),
        (NoOffsetForPartitionError(PAGES_0), True, f"pages-0: {OTHER_TOPIC}"),
    ],
)
def test_a_process_whose_next_offset_is_not_there_ends_with_one_line(
    broker, tmp_path, monkeypatch, error, is_recreated, line
):
    ended = []
    monkeypatch.setattr(app, "end_process", ended.append)
    monkeypatch.setattr(app, "ask_for_logs", lambda _access, question: question(broker))
    thread = object.__new__(_LogConsumerThread)
    thread.app = build_app(config(tmp_path), "cleaner")
    thread.app.snapshots[0] = broker.of[0].state(None).snapshot
    if is_recreated:
        broker.recreate()

    async def refuse(*_arguments, **_options):
        raise error

    monkeypatch.setattr(AIOKafkaConsumerThread, "_fetch_records", refuse)
    with pytest.raises(type(error)):
        asyncio.run(thread._fetch_records(None, set()))
    assert ended == [f"{line}; the process ends to be started again"]
