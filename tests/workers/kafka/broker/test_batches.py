"""Batches hold the events that have arrived, bounded in number and in bytes."""

import asyncio
from types import SimpleNamespace

import pytest

from workers.kafka.broker.batches import BatchBuffer


def events(*sizes_bytes):
    return [SimpleNamespace(message=SimpleNamespace(value=bytes(size))) for size in sizes_bytes]


@pytest.mark.parametrize(
    ("most_events", "most_bytes", "first"), [(3, 1000, 3), (10, 100, 2), (10, 10, 1)]
)
async def test_adding_to_a_full_batch_waits_until_it_is_taken(most_events, most_bytes, first):
    coming = events(60, 60, 60, 60)
    order = iter(coming)
    buffer = BatchBuffer(lambda: next(order), most_events, most_bytes)

    async def bring():
        for event in coming:
            assert await buffer.add(event.message.value) is event.message.value

    bringing = asyncio.ensure_future(bring())
    taken = []
    while len(taken) < len(coming):
        await asyncio.wait_for(buffer.has_events.wait(), 5)
        await asyncio.sleep(0)
        batch = buffer.take()
        assert len(batch) == min(first, len(coming) - len(taken))
        taken += batch
    await bringing
    assert taken == coming
    assert buffer.take() == []
