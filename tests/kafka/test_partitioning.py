"""A site's partition is the one its records really go to."""

import pytest
from aiokafka import AIOKafkaProducer
from aiokafka.partitioner import murmur2

from tests.kafka.broker import access
from workers.kafka.broker.admin import create_topics
from workers.kafka.broker.partitioning import partition_of

JAVA_HASHES = {
    "21": -973932308,
    "foobar": -790332482,
    "a-little-bit-long-string": -985981536,
    "a-little-bit-longer-string": -1486304829,
    "lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8": -58897971,
    "abc": 479470107,
}
SITES = [f"site-{number}.example" for number in range(40)] + ["пример.example", "例え.example", ""]


@pytest.mark.parametrize("text", JAVA_HASHES)
def test_same_hash_as_the_java_client(text):
    assert murmur2(text.encode()) == JAVA_HASHES[text] & 0xFFFFFFFF
    for count in (1, 3, 4, 12):
        assert partition_of(text, count) == (JAVA_HASHES[text] & 0x7FFFFFFF) % count


async def test_records_go_where_it_says(kafka_broker, prefix):
    await create_topics(access(kafka_broker, prefix), 5)
    async with AIOKafkaProducer(bootstrap_servers=kafka_broker.address) as producer:
        for site in SITES:
            sent = await producer.send_and_wait(prefix + "pages", b"page", key=site.encode())
            assert sent.partition == partition_of(site, 5)
