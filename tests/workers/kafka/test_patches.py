"""What the Kafka libraries do by themselves; a test that fails says that a replacement is needless by now."""

import asyncio
import dataclasses
import random
import threading
from importlib.metadata import version
from types import SimpleNamespace

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, ConsumerRecord, TopicPartition, codec
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import CorruptRecordException, KafkaConnectionError, OffsetOutOfRangeError
from aiokafka.producer import producer, sender
from aiokafka.protocol.metadata import MetadataRequest
from aiokafka.record import default_records
from aiokafka.record._crecords import default_records as compiled_records
from aiokafka.record.default_records import DefaultRecordBatchBuilder, _DefaultRecordBatchPy
from aiokafka.record.memory_records import MemoryRecords
from faust.transport.drivers.aiokafka import AIOKafkaConsumerThread, Consumer
from faust.types import TP, Message
from mode.utils.queues import FlowControlEvent, ThrowableQueue

from tests.workers.kafka.builders import kafka_config
from tests.workers.raw_batches import ZSTD, Zeros, batch
from workers.kafka import patches
from workers.kafka.app import build_app
from workers.kafka.logs.fetched import EMPTY_TAILS
from workers.kafka.patches import (
    BoundedResult,
    ByteQueue,
    LogConsumer,
    PatientClient,
    ThreadedRequest,
    WatchedRecords,
    compress_off_loop,
    compress_quickly,
    pause_without_broker,
)

GOOD = (b"key", b"<p>Words", [])
QUICKEST, SLOWEST = 4, 2
"""What gzip's ninth byte says of the level (RFC 1952, section 2.3.1)."""
PAGES_0 = TopicPartition("pages", 0)
MIB = 1 << 20


def test_the_versions_are_those_that_the_module_names():
    for name in ("aiokafka", "faust-streaming", "mode-streaming"):
        assert f"{name} {version(name)}" in patches.__doc__


def of_aiokafka(raw):
    """The records of a batch as aiokafka's own class reads them."""
    (original,) = WatchedRecords.__bases__
    return original(PAGES_0, MemoryRecords(raw), None, 0, None, None, True, 0)


def test_aiokafka_raises_for_a_header_name_that_is_not_utf_8():
    with pytest.raises(UnicodeDecodeError):
        list(of_aiokafka(batch([GOOD, (b"key", b"", [(b"\xff", b"")])])))


def test_aiokafka_raises_for_a_wrong_checksum():
    raw = bytearray(batch([GOOD]))
    raw[-1] ^= 1
    with pytest.raises(CorruptRecordException):
        list(of_aiokafka(bytes(raw)))


def test_aiokafka_reads_a_record_of_any_size():
    (record,) = of_aiokafka(batch([(b"key", Zeros(65 * MIB), [])], ZSTD))
    assert len(record.value) == 65 * MIB


def test_aiokafka_hands_over_any_number_of_bytes_at_once():
    (original,) = BoundedResult.__bases__
    state = SimpleNamespace(paused=False, position=0, consumed_to=lambda _position: None)
    place = SimpleNamespace(active=True, state_value=lambda _topic: state)
    records = of_aiokafka(batch([(b"key", Zeros(2 * MIB), [])] * 32, ZSTD))
    result = original(PAGES_0, assignment=place, partition_records=records, backoff=0)
    assert len(result.getall(32)) == 32


def test_records_of_aiokafka_do_not_name_the_leader_that_wrote_them():
    names = {one.name for one in dataclasses.fields(ConsumerRecord)}
    assert "offset" in names
    assert not any("epoch" in name for name in names)


class Batch:
    """A batch of a producer that knows in which threads it was asked for its bytes."""

    def __init__(self):
        self.asked_in = []

    def get_data_buffer(self):
        self.asked_in.append(threading.get_ident())
        return b"records"

    def done_noack(self):
        self.is_done = True


async def compressed_in(handler):
    """The thread in which a request compresses its batch first."""
    sent, batch = [], Batch()

    class Client:
        async def send(self, _node, request):
            sent.append(request)

    producer = SimpleNamespace(
        client=Client(), _acks=0, _request_timeout_ms=1, _txn_manager=None, _retry_backoff=0
    )
    await handler(producer, {TopicPartition("cleaned", 0): batch}).do(0)
    assert batch.is_done
    assert len(sent) == 1
    return batch.asked_in[0]


async def test_aiokafka_compresses_on_the_loop_and_this_worker_in_a_thread(monkeypatch):
    (original,) = ThreadedRequest.__bases__
    assert await compressed_in(original) == threading.get_ident()
    monkeypatch.setattr(sender, "SendProduceReqHandler", original)
    compress_off_loop()
    assert await compressed_in(sender.SendProduceReqHandler) != threading.get_ident()


def test_aiokafka_compresses_all_at_the_slowest_level_and_this_worker_at_the_quickest(monkeypatch):
    def sent(value):
        batch = DefaultRecordBatchBuilder(2, 1, 0, -1, -1, -1, 1 << 20)
        batch.append(0, 1, b"key", value, [])
        raw = bytes(batch.build())
        (record,) = of_aiokafka(raw)
        assert record.value == value
        return raw[_DefaultRecordBatchPy.HEADER_STRUCT.size :]

    text, dense = b"It rains. " * 4000, random.Random(7).randbytes(40_000)
    for module in (default_records, compiled_records):
        monkeypatch.setattr(module, "gzip_encode", codec.gzip_encode)
    assert sent(text)[8] == sent(dense)[8] == SLOWEST
    compress_quickly()
    assert sent(text)[8] == QUICKEST
    assert len(sent(text)) < len(text) / 50
    assert dense in sent(dense)


async def test_aiokafka_asks_for_a_leader_again_at_once_and_this_worker_after_a_pause(monkeypatch):
    pauses_s = []

    async def sleep(seconds):
        pauses_s.append(seconds)

    (original,) = PatientClient.__bases__
    monkeypatch.setattr(producer, "AIOKafkaClient", original)
    monkeypatch.setattr(asyncio, "sleep", sleep)
    for replaced in (False, True):
        if replaced:
            pause_without_broker()
        client = AIOKafkaProducer(bootstrap_servers="127.0.0.1:1").client
        assert not await client._metadata_update(client.cluster, {"cleaned"})
        assert pauses_s == ([0.1] if replaced else [])


def test_aiokafka_knows_neither_topic_ids_nor_other_requests():
    assert max(one.API_VERSION for one in MetadataRequest._CLASSES) < 10  # ids came with 10
    assert not [name for name in dir(AIOKafkaAdminClient) if "send" in name and name[0] != "_"]


async def test_a_queue_of_mode_takes_any_number_of_bytes():
    control = FlowControlEvent()
    control.resume()
    event = SimpleNamespace(message=SimpleNamespace(value=bytes(MIB)))
    full = []
    for kind, options in ((ThrowableQueue, {}), (ByteQueue, {"most_bytes": MIB})):
        queue = kind(maxsize=10, flow_control=control, **options)
        await queue.put(event)
        full.append(queue.full())
    assert full == [False, True]


@pytest.fixture
def app(tmp_path):
    return build_app(kafka_config(tmp_path), "cleaner")


async def test_a_consumer_of_faust_reads_aborted_transactions_and_this_one_does_not(app):
    loop = asyncio.get_running_loop()
    made = app._new_consumer()
    assert isinstance(made, LogConsumer)
    original = AIOKafkaConsumerThread(made, loop=loop)
    assert original._create_consumer(loop)._isolation_level == "read_uncommitted"
    assert made._new_consumer_thread()._create_consumer(loop)._isolation_level == "read_committed"


async def test_faust_commits_offsets_without_metadata():
    done = {}

    async def commit(offsets):
        done.update(offsets)

    thread = object.__new__(AIOKafkaConsumerThread)
    thread._consumer = SimpleNamespace(commit=commit, assignment=lambda: {TP("pages", 0)})
    thread.tp_last_committed_at = {}
    await thread._commit({TP("pages", 0): 7})
    assert [(one.offset, one.metadata) for one in done.values()] == [(7, "")]


async def test_faust_ends_where_a_rebalance_has_left_nothing_to_commit(app):
    loop = asyncio.get_running_loop()
    ours = app._new_consumer()
    for thread in (AIOKafkaConsumerThread(ours, loop=loop), ours._new_consumer_thread()):
        crashed = []

        async def crash(reason, crashed=crashed):
            crashed.append(reason)

        thread.crash = crash
        thread._consumer = thread._create_consumer(loop)
        thread._consumer.assignment = set
        subscription = thread._consumer._subscription
        subscription.subscribe({"pages"})
        subscription.assign_from_subscribed([])
        is_made = await thread._commit({PAGES_OF_FAUST: 7})
        is_of_faust = type(thread) is AIOKafkaConsumerThread
        assert (is_made, [type(one) for one in crashed]) == (
            (False, [ValueError]) if is_of_faust else (True, [])
        )


PAGES_OF_FAUST = TP("pages", 0)


def received(offset, generation=0):
    """A record that faust hands to an agent."""
    return Message("pages", 0, offset, 0.0, 0, [], None, b"", None, generation_id=generation)


@pytest.fixture
def consumers(app):
    """A consumer of faust and one of this worker, of the same partition."""
    app.topics.acks_enabled_for = lambda _topic: True
    app.producer.flush = nothing_to_wait_for
    made = []
    for kind in (Consumer, LogConsumer):
        app.transport.Consumer = kind
        own = app._new_consumer()
        own.assignment = lambda: {PAGES_OF_FAUST}
        own._active_partitions = {PAGES_OF_FAUST}
        made.append(own)
    return made


async def nothing_to_wait_for():
    return None


def offsets_to_commit(consumer):
    return consumer._filter_committable_offsets(consumer._filter_tps_with_pending_acks())


async def test_faust_commits_nothing_where_no_record_was_acknowledged(consumers):
    theirs, ours = consumers
    EMPTY_TAILS.note("pages", 0, 0, 3)
    assert not offsets_to_commit(theirs)
    assert offsets_to_commit(ours) == {PAGES_OF_FAUST: 3}
    EMPTY_TAILS.drop("pages", 0)


async def test_the_offset_of_the_last_owner_is_not_committed_again(consumers):
    """It would be compared with the present log, which may be another one."""
    _, ours = consumers
    ours._committed_offset[PAGES_OF_FAUST] = 476
    assert not offsets_to_commit(ours)


async def test_offsets_of_partitions_that_were_taken_away_are_not_set_right(consumers):
    _, ours = consumers
    done = []

    async def commit(offsets):
        done.append(offsets)
        return len(done) > 1

    async def seek_wait(offsets):
        done.append(offsets)

    ours._thread.commit, ours._thread.seek_wait = commit, seek_wait
    assert not await ours.go_to({TP("pages", 9): 464})
    assert done == []
    right = {PAGES_OF_FAUST: 464}
    assert not await ours.go_to(right)
    assert await ours.go_to(right)
    assert done == [right] * 3


async def test_faust_commits_behind_a_record_that_it_has_skipped(consumers):
    theirs, ours = consumers
    for consumer in consumers:
        consumer.ack(received(7))  # as a stream does with a record of an ended assignment
    assert offsets_to_commit(theirs) == {PAGES_OF_FAUST: 8}
    assert not offsets_to_commit(ours)


async def test_faust_commits_nothing_behind_a_record_that_it_has_dropped(consumers):
    theirs, ours = consumers
    for consumer in consumers:
        consumer._committed_offset[PAGES_OF_FAUST] = 5
        later = received(7)
        consumer.ack(later)
    ours.finish(later)
    assert not offsets_to_commit(theirs)
    assert offsets_to_commit(ours) == {PAGES_OF_FAUST: 8}


async def test_faust_takes_a_commit_that_failed_for_one_that_was_made(consumers):
    for consumer, tries in zip(consumers, (1, 2), strict=True):
        made = []

        async def commit(offsets, made=made):
            made.append(dict(offsets))
            return len(made) == 2

        consumer._thread.commit = commit
        message = received(7)
        consumer.ack(message)
        if isinstance(consumer, LogConsumer):
            consumer.finish(message)
        for _ in range(3):
            await consumer.force_commit()
        assert made == [{PAGES_OF_FAUST: 8}] * tries


async def test_a_record_of_an_assignment_that_has_ended_is_left_to_the_next_one(app, consumers):
    _, ours = consumers
    app.consumer_generation_id = 2
    ours.finish(received(7, generation=1))
    assert not offsets_to_commit(ours)
    ours.finish(received(7, generation=2))
    assert offsets_to_commit(ours) == {PAGES_OF_FAUST: 8}


def test_aiokafka_cannot_be_told_to_join_its_group_again():
    assert not [name for name in dir(AIOKafkaConsumer) if "rejoin" in name or "rebalance" in name]


async def test_faust_prints_a_traceback_of_a_broker_that_is_gone(app, capsys):
    gone = KafkaConnectionError("Connection closed")
    loop, consumer, reported = asyncio.get_running_loop(), app._new_consumer(), []
    app.on_lost_broker = reported.append
    for thread in (AIOKafkaConsumerThread(consumer, loop=loop), consumer._new_consumer_thread()):
        thread.on_crash("{0} crashed: {1!r}", "thread", gone)
        assert "crashed: KafkaConnectionError" in capsys.readouterr().err
    assert reported == [gone]  # which ends the process before anything is printed


async def test_faust_tells_no_app_of_an_offset_that_the_log_does_not_have():
    class Away:
        def fetch_context(self):
            raise OffsetOutOfRangeError({PAGES_0: 7})

    fetcher = SimpleNamespace(_closed=False, _subscriptions=Away())
    thread = object.__new__(AIOKafkaConsumerThread)
    thread.consumer = SimpleNamespace(flow_active=True)
    with pytest.raises(OffsetOutOfRangeError):
        await thread._fetch_records(SimpleNamespace(_closed=False, _fetcher=fetcher), set())
