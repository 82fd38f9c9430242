"""Reading up to an offset, and on from there, on a real broker."""

import asyncio

from schemas.topics import PAGES
from workers.kafka.broker.plain_clients import plain_consumer, plain_producer, read_until


async def offsets_read(stream, end, count):
    """Send so many records at once; answers the offsets that are read up to the end, and those after it."""
    async with plain_producer(stream.access, 1 << 20) as producer:
        for number in range(count):
            await producer.send(stream.prefix + PAGES, b"%d" % number, b"key", 0)
    (topic,) = (one for one in stream.partitions(PAGES) if one.partition == 0)
    async with plain_consumer(stream.access) as consumer:
        consumer.assign([topic])
        consumer.seek(topic, 0)
        before = [
            one.offset async for records in read_until(consumer, {topic: end}) for one in records
        ]
        after = []
        while len(before) + len(after) < count:
            after.append((await consumer.getone(topic)).offset)
    return before, after


def test_records_that_were_fetched_beyond_the_end_come_next(stream):
    assert asyncio.run(asyncio.wait_for(offsets_read(stream, 4, 10), 30)) == (
        [0, 1, 2, 3],
        [4, 5, 6, 7, 8, 9],
    )
