"""When the watchdog may end a process, and when not."""

import asyncio
from contextlib import asynccontextmanager

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import NewTopic, RecordsToDelete

from tests.kafka.broker import make_topics
from tests.kafka.stream import Stream
from workers.kafka.broker.plain_clients import plain_consumer
from workers.kafka.watchdog import StallDetector, _is_work_waiting


def test_work_that_stands_still_is_a_stall_and_work_that_moves_inside_is_not():
    progress = StallDetector(10, 0)
    assert not progress.stalled({0: 5}, 1, inner=1)
    assert not progress.stalled({0: 5}, 9, inner=2)
    assert not progress.stalled({0: 5}, 18, inner=2)
    assert progress.stalled({0: 5}, 19, inner=2)
    assert not progress.stalled({}, 40)


async def ends_reach(broker, partition, offset):
    """Wait until a partition ends at an offset: markers of transactions are written later."""
    async with plain_consumer(broker) as consumer:
        while (await consumer.end_offsets([partition]))[partition] < offset:
            await asyncio.sleep(0.05)


def test_the_end_of_a_transaction_and_expired_records_are_no_work(kafka_broker, prefix, tmp_path):
    stream = Stream(kafka_broker, prefix, tmp_path)
    topic = prefix + "pages"

    async def looks():
        producer = AIOKafkaProducer(
            bootstrap_servers=stream.address, transactional_id=prefix + "crawler"
        )
        async with producer:
            for number in (0, 1):
                async with producer.transaction():
                    await producer.send(topic, b"page", partition=number)
        await ends_reach(stream.access, TopicPartition(topic, 1), 2)
        expired = {TopicPartition(topic, 1): RecordsToDelete(before_offset=2)}
        await stream.ask(lambda admin: admin.delete_records(expired))
        return [
            await _is_work_waiting(stream.access, topic, lagging)
            for lagging in ({0: 0}, {0: 1}, {1: 0}, {0: 1, 1: 0})
        ]

    assert asyncio.run(looks()) == [True, False, False, False]


def test_a_static_leader_that_was_started_again_learns_of_partitions_when_it_joins_again(
    kafka_broker, prefix, tmp_path
):
    topic = prefix + "late"

    @asynccontextmanager
    async def member():
        consumer = AIOKafkaConsumer(
            bootstrap_servers=kafka_broker.address,
            group_id=prefix + "group",
            group_instance_id="one",
            metadata_max_age_ms=500,
        )
        async with consumer:
            consumer.subscribe([topic])
            yield consumer

    async def assigned_by_join():
        async with member() as first:
            while first._coordinator.generation < 1:  # until the group has taken it in
                await first.getmany(timeout_ms=100)
            assert not first.assignment()
        await make_topics(kafka_broker.address, NewTopic(topic, 2, 1))
        async with member() as again:
            await again.getmany(timeout_ms=3000)
            before = len(again.assignment())
            again._coordinator.request_rejoin()
            while not again.assignment():
                await again.getmany(timeout_ms=100)
            return before, len(again.assignment())

    assert asyncio.run(assigned_by_join()) == (0, 2)
