import asyncio

from workers import pace
from workers.pace import Pace


def test_what_was_not_sent_for_long_is_not_made_up_for(monkeypatch):
    clock = 0.0
    waited = []

    async def sleep(seconds):
        nonlocal clock
        waited.append(seconds)
        clock += seconds

    monkeypatch.setattr(pace.time, "monotonic", lambda: clock)
    monkeypatch.setattr(pace.asyncio, "sleep", sleep)

    async def send(count):
        for _ in range(count):
            await one.wait()

    one = Pace(10.0)
    asyncio.run(send(11))
    assert abs(clock - 1.0) < 1e-9
    clock += 100.0
    asyncio.run(send(31))
    assert abs(clock - 103.0) < 0.2
