"""Partitions come and go while work on them is under way."""

import asyncio
import time
from types import SimpleNamespace

import pytest

from schemas.codec import encode_msgpack
from schemas.document import document_key
from tests.workers.builders import document
from workers.kafka.broker.access import BrokerAccess
from workers.kafka.broker.received import Received
from workers.kafka.config import KafkaConfig
from workers.kafka.logs.resume import LogSnapshot
from workers.kafka.refresher_app import RefresherApp
from workers.kafka.traces import Traces
from workers.settings import load_settings

NOT_OURS = 3


def config(state):
    return KafkaConfig(
        broker=BrokerAccess("127.0.0.1:1"),
        prefix="",
        partitions=4,
        cleaned_partitions=4,
        state=state,
        instance="one",
        settings=load_settings(),
    )


@pytest.fixture
def refresher(tmp_path):
    return RefresherApp(config(tmp_path), pool=None)


async def of_a_known_log(owned, number):
    """Stands in for the recovery of windows."""
    owned.opened()[number].snapshot = LogSnapshot("a", 0, 0)


def test_a_partition_that_was_taken_away_is_not_opened_again(refresher, tmp_path):
    record = document(1)
    message = Received(
        topic="documents",
        partition=NOT_OURS,
        offset=0,
        timestamp_ms=0,
        key=document_key(record.site, record.source),
        value=encode_msgpack(record),
    )

    async def late():
        await refresher._revoked(refresher.app, [SimpleNamespace(partition=NOT_OURS)])
        await refresher._batch_of(NOT_OURS, [message])
        await refresher._take_over(NOT_OURS)

    asyncio.run(late())
    assert not (tmp_path / f"windows-{NOT_OURS}").exists()


class NotedTraces(Traces):
    """Notes the offsets of the records that would have a span."""

    def __init__(self):
        self.offsets = []

    def begin(self, messages, began_ns):
        self.offsets += [one.offset for one in messages]
        return super().begin(messages, began_ns)


def test_documents_that_are_old_or_known_have_no_span(tmp_path, poison_pool, monkeypatch):
    traces, record, now_ms = NotedTraces(), document(1), time.time() * 1000
    refresher = RefresherApp(config(tmp_path), poison_pool, traces)
    refresher._settings_follower.ready.set()
    refresher._owned.assign([0])
    monkeypatch.setattr(refresher._owned, "_recover", of_a_known_log)
    messages = [
        Received(
            topic="documents", partition=0, offset=offset, timestamp_ms=int(now_ms - age_ms),
            key=document_key(record.site, record.source), value=encode_msgpack(record),
        )
        for offset, age_ms in enumerate((7_200_000, 1000))
    ]  # fmt: skip
    for _ in range(2):
        asyncio.run(refresher._batch_of(0, messages))
    assert traces.offsets == [1]
    refresher.close()


def test_records_that_are_no_documents_are_stepped_over(tmp_path, poison_pool, monkeypatch):
    refresher = RefresherApp(config(tmp_path), poison_pool)
    refresher._settings_follower.ready.set()
    refresher._owned.assign([0])
    monkeypatch.setattr(refresher._owned, "_recover", of_a_known_log)
    odd = [(None, None), (None, b"no document"), (b"\xff", None), (b"site\0\xff", b"\x80")]
    messages = [
        Received(
            topic="documents", partition=0, offset=offset, timestamp_ms=0, key=key, value=value
        )
        for offset, (key, value) in enumerate(odd)
    ]
    asyncio.run(refresher._batch_of(0, messages))
    assert refresher.inner_progress() == {0: len(odd)}
    refresher.close()
