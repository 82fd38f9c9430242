"""Tombstones that were decided from a log and come into another one remove nothing."""

import asyncio
import random
from collections import Counter
from concurrent.futures import Future
from contextlib import asynccontextmanager, closing
from itertools import count

import pytest

from schemas.codec import encode_msgpack
from schemas.document import DocumentRecord, document_key
from tests.workers.builders import document, packed
from tests.workers.kafka.builders import kafka_config, received
from tests.workers.kafka.logs.memory_broker import MemoryBroker
from workers.kafka import owned_partitions
from workers.kafka.broker.access import BrokerAccess
from workers.kafka.logs import tombstones
from workers.kafka.logs.tombstones import DECIDED_FROM_HEADER, TombstoneCheck
from workers.kafka.refresher import Refresher
from workers.processes.messages import Failure, LearnResult
from workers.settings import load_settings

SITES = ("a.com", "b.com")


class Documents(MemoryBroker):
    """The topic `documents`, with what its clients need of a broker; nothing in it leads a second time."""

    def record(self, key, value, snapshot=None):
        log = self.of[0]
        headers = ((DECIDED_FROM_HEADER, snapshot.encode()),) if snapshot else ()
        log.append(received(offset=log.end, key=key, value=value, headers=headers))

    async def ask(self, _address, question):
        return await question(self)

    @asynccontextmanager
    async def consumer(self, _address):
        yield self

    async def range(self, _consumer, starts, ends):
        ((_, start),), ((_, end),) = starts.items(), ends.items()
        for record in self.of[0].records[start:end]:
            yield record


class Inline:
    """A pool whose work is done at once; it learns every document and fits no model."""

    def submit(self, _site, step, *arguments):
        done = Future()
        done.set_result(step(*arguments))
        return done

    def run(self, _site, task, _deadline_s):
        if hasattr(task, "body"):
            return LearnResult(packed(b"\x01" * 8)), 1
        return Failure("", "no models here", ""), 1


class Outputs:
    """Sends to `documents`; something may happen to the log while a send is under way."""

    def __init__(self, broker, before_send):
        self._broker = broker
        self._before_send = before_send

    def send(self, record, headers=()):
        assert isinstance(record, DocumentRecord)
        key = document_key(record.site, record.source)
        return self._sent(key, encode_msgpack(record), None)

    def forget(self, keys, snapshot):
        for key in keys:
            yield self._sent(key, None, snapshot)

    async def _sent(self, key, value, snapshot):
        self._before_send()
        self._broker.record(key, value, snapshot)
        return asyncio.sleep(0)


@pytest.fixture
def documents(monkeypatch):
    broker = Documents()

    async def nothing(*_):
        return 0

    monkeypatch.setattr(owned_partitions, "ask_for_logs", broker.ask)
    monkeypatch.setattr(tombstones, "ask_for_logs", broker.ask)
    monkeypatch.setattr(owned_partitions, "plain_consumer", broker.consumer)
    monkeypatch.setattr(owned_partitions, "read_range", broker.range)
    monkeypatch.setattr(owned_partitions, "settled_offset", nothing)
    monkeypatch.setattr(owned_partitions, "received_from_aiokafka", lambda record: record)
    return broker


class Process:
    """A refresher of one partition."""

    def __init__(self, broker, state, before_send=lambda: None):
        settings = load_settings(window_pages_max=4, window_floor_pages=2, revisions=False)
        self._broker = broker
        self._app = Refresher(kafka_config(state, settings=settings), Inline())
        self._app._site_settings_follower.ready.set()
        self._app.outputs = Outputs(broker, before_send)
        self._app._owned.assign([0])
        asyncio.run(self._app._take_over(0))
        self.position = self.windows.store.next_offset

    @property
    def windows(self):
        return self._app._owned.opened()[0]

    def read(self, most=1000):
        """Take in what has arrived, as the stream does."""
        records = self._broker.of[0].records[self.position : self.position + most]
        if records:
            asyncio.run(self._app._batch_of(0, records))
            self.position = records[-1].offset + 1

    def look(self):
        """Look at the log; answers whether all that was read is still there."""
        state = self._broker.of[0].state(self.windows.snapshot)
        is_kept = self.position <= min(state.kept, state.end)
        if is_kept:
            self.windows.note_log(state.snapshot)
        return is_kept

    def pages(self):
        store = self.windows.store
        return {site: [one.id for one in store.window(site)] for site in SITES}

    def close(self):
        self._app.close()


def written(rng, number):
    """A document of one of a few URLs."""
    site = rng.choice(SITES)
    made = document(number, site=site, url=f"https://{site}/{rng.randrange(8)}")
    return document_key(made.site, made.source), encode_msgpack(made)


def compacted(broker):
    """The topic after its cleaner has kept the last record of each key."""
    documents = Documents()
    last = {record.key: record for record in broker.of[0].records}
    for record in broker.of[0].records:
        if last[record.key] is record and record.value is not None:
            documents.record(record.key, record.value)
    return documents


def pages_of(broker, path, monkeypatch):
    """What a new worker makes of the topic."""
    for module in (owned_partitions, tombstones):
        monkeypatch.setattr(module, "ask_for_logs", broker.ask)
    monkeypatch.setattr(owned_partitions, "plain_consumer", broker.consumer)
    monkeypatch.setattr(owned_partitions, "read_range", broker.range)
    with closing(Process(broker, path)) as process:
        return process.pages()


def without_nulls(broker):
    documents = Documents()
    for record in broker.of[0].records:
        if record.value is not None:
            documents.record(record.key, record.value)
    return documents


def test_a_null_value_that_comes_into_a_cut_log_removes_nothing(documents, tmp_path, monkeypatch):
    cuts = [4]
    process = Process(documents, tmp_path / "one", lambda: cuts and documents.of[0].cut(cuts.pop()))
    for number in range(5):
        made = document(number, site=SITES[0])
        documents.record(document_key(made.site, made.source), encode_msgpack(made))
    process.read()
    values = [record.value for record in documents.of[0].records]
    assert values[4:] == [None]
    assert not process.look()
    process.close()
    again = Process(documents, tmp_path / "one")
    pages = again.pages()
    assert pages[SITES[0]] == [f"page:{number}" for number in range(4)]
    again.close()
    assert [record.value for record in documents.of[0].records] == [*values, values[0]]
    assert pages_of(compacted(documents), tmp_path / "two", monkeypatch) == pages


@pytest.mark.parametrize("seed", range(12))
def test_windows_are_those_of_what_the_log_holds_whenever_it_is_cut(
    documents, tmp_path, monkeypatch, seed
):
    """A refresher that reads, sends, looks, crashes and loses its state, over a log that is cut."""
    rng, numbers, states = random.Random(seed), count(), count()
    log, happened = documents.of[0], Counter()

    def cut():
        happened["cuts"] += 1
        log.cut(rng.randint(max(0, log.end - 8), log.end))

    def before_send():
        if rng.random() < 0.1:
            cut()
            happened["sends under way"] += 1

    path = tmp_path / str(next(states))
    process = Process(documents, path, before_send)
    for _ in range(40):
        step = rng.random()
        if step < 0.5:
            for _ in range(rng.randint(1, 4)):
                documents.record(*written(rng, next(numbers)))
        elif step < 0.75:
            process.read(rng.randint(1, 9))
        elif step < 0.85:
            log.elect() if rng.random() < 0.5 else cut()
        if step > 0.9 or not process.look():
            process.close()
            if step > 0.95:
                path = tmp_path / str(next(states))
            process = Process(documents, path, before_send)
    process.close()
    for _ in range(3):  # what is sent again is read, and what leaves again is removed
        with closing(Process(documents, path)) as last:
            last.read()
            last.read()
            pages = last.pages()
    expected = pages_of(without_nulls(documents), tmp_path / "expected", monkeypatch)
    assert pages == expected
    assert pages_of(compacted(documents), tmp_path / "compacted", monkeypatch) == expected
    assert happened["cuts"]


@pytest.mark.parametrize(
    ("change", "holds"),
    [
        (lambda log: None, True),
        (lambda log: log.elect(), True),
        (lambda log: log.cut(10), True),
        (lambda log: log.cut(9), False),
        (lambda log: log.cut(0), False),
    ],
    ids=["intact", "another leader", "cut beyond", "cut", "emptied"],
)
def test_a_tombstone_counts_while_the_records_that_were_read_are_there(documents, change, holds):
    documents.of[0].append(*range(10))
    snapshot = documents.of[0].state(None).snapshot
    change(documents.of[0])
    documents.of[0].append(*range(20))
    documents.record(b"a.com\0pages-0-0", None, snapshot)
    documents.record(b"a.com\0pages-0-1", None)
    null, foreign = documents.of[0].records[-2:]
    judge = TombstoneCheck(BrokerAccess(""), "documents")
    assert asyncio.run(judge.counts(null)) is holds
    assert asyncio.run(judge.counts(foreign))


def test_a_tombstone_decided_from_another_topic_does_not_count(documents):
    documents.of[0].append(*range(10))
    snapshot = documents.of[0].state(None).snapshot
    documents.recreate()
    documents.of[0].append(*range(20))
    documents.record(b"a.com\0pages-0-0", None, snapshot)
    assert not asyncio.run(
        TombstoneCheck(BrokerAccess(""), "documents").counts(documents.of[0].records[-1])
    )
