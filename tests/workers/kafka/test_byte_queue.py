"""The events that wait for an agent are bounded in bytes."""

import asyncio
from types import SimpleNamespace

from mode.utils.queues import FlowControlEvent

from workers.kafka.patches import ByteQueue


def event(size_bytes):
    return SimpleNamespace(message=SimpleNamespace(value=bytes(size_bytes) if size_bytes else None))


async def test_a_queue_is_full_at_its_limit_of_bytes_until_some_are_taken():
    control = FlowControlEvent()
    control.resume()
    queue = ByteQueue(maxsize=10, flow_control=control, clear_on_resume=True, most_bytes=100)
    for size_bytes in (40, 0, 70):
        assert not queue.full()
        await queue.put(event(size_bytes))
    assert queue.full()
    late = asyncio.ensure_future(queue.put(event(5)))
    await asyncio.sleep(0)
    assert not late.done()
    await queue.get()
    await asyncio.wait_for(late, 5)
    assert queue.qsize() == 3
    queue.clear()
    assert not queue.full()


async def test_a_queue_is_full_at_its_limit_of_records():
    control = FlowControlEvent()
    control.resume()
    queue = ByteQueue(maxsize=2, flow_control=control, most_bytes=100)
    for _ in range(2):
        await queue.put(event(1))
    assert queue.full()
