"""`site-models` may lose records: cleaners read what is added, refreshers send what was lost."""

import asyncio
from types import SimpleNamespace

import pytest

from schemas.topics import SITE_MODELS
from tests.workers.kafka.builders import kafka_config
from tests.workers.kafka.logs.memory_broker import MemoryBroker
from workers.kafka.broker.access import BrokerAccess
from workers.kafka.logs import follower
from workers.kafka.logs.resume import LogSnapshot
from workers.kafka.owned_partitions import OwnedPartitions
from workers.kafka.partition_windows import LostModels
from workers.kafka.store_follower import StoreFollower
from workers.site_settings import SettingsOfSites
from workers.state.model_store import ModelStore


class Consumer:
    """Knows where it was sent."""

    def __init__(self):
        self.positions = {}

    def assign(self, partitions):
        self.positions = dict.fromkeys(partitions)

    def seek(self, partition, offset):
        self.positions[partition] = offset


@pytest.fixture
def start(tmp_path, monkeypatch):
    """Returns a function that has a follower start on a broker, and returns where it reads on."""
    models = ModelStore(None)
    config = kafka_config(tmp_path)

    async def never(*_):
        return 0

    monkeypatch.setattr(follower, "settled_offset", never)

    def run(broker):
        async def ask(_address, question):
            return await question(broker)

        monkeypatch.setattr(follower, "ask_for_logs", ask)
        consumer = Consumer()
        asyncio.run(StoreFollower(config, SITE_MODELS, models, SettingsOfSites())._start(consumer))
        return list(consumer.positions.values())

    run.models = models
    yield run
    models.close()


def test_models_are_read_on_in_the_same_log_and_again_in_another(start):
    broker = MemoryBroker()
    broker.of[0].append(*range(8))
    assert start(broker) == [0]
    start.models.skip(0, 7)
    assert start(broker) == [8]
    broker.of[0].elect()
    broker.of[0].append(*range(8))
    assert start(broker) == [8]
    broker.of[0].cut(3)
    assert start(broker) == [0]
    broker.of[0].append(*range(20))  # nothing of it was read before the process ended
    assert start(broker) == [0]
    start.models.skip(0, 5)
    broker.recreate()
    broker.of[0].append(*range(30))
    assert start(broker) == [0]


class Windows:
    """The windows of three sites, one with a model and pages."""

    snapshot = LogSnapshot("documents", 0, 0)
    models_snapshot = None

    @property
    def store(self):
        return self

    def sites(self):
        yield "a.com", SimpleNamespace(model_version="v", pages=3)
        yield "b.com", SimpleNamespace(model_version=None, pages=1)
        yield "c.com", SimpleNamespace(model_version="v", pages=0)

    def note_models_log(self, snapshot):
        self.models_snapshot = snapshot


def test_models_are_published_again_once_when_their_log_has_lost_records():
    windows, published = Windows(), []
    owned = OwnedPartitions(BrokerAccess(""), "documents", lambda _: windows, learn=None)
    broker = MemoryBroker()

    async def publish(number, site, _windows):
        published.append((number, site))

    async def look():
        await LostModels("", "site-models", owned, publish).check(broker)
        return len(published)

    async def looks():
        owned.assign([0])
        async with owned.hold(0):
            pass
        counts = [await look()]
        for change in (
            lambda: broker.of[0].append(*range(9)),
            broker.of[0].elect,
            lambda: broker.of[0].expire(9),
            lambda: None,
            broker.recreate,
            lambda: None,
        ):
            change()
            counts.append(await look())
        return counts

    assert asyncio.run(looks()) == [0, 0, 0, 1, 1, 2, 2]
    assert set(published) == {(0, "a.com")}
    assert windows.models_snapshot.topic_id == broker.of[0].topic_id
