"""A topic that cannot be read for a replay is told, and leaves no connection open."""

import pytest
from aiokafka.errors import GroupAuthorizationFailedError, KafkaConnectionError

from workers.errors import BrokerProblem
from workers.kafka.broker.access import BrokerAccess
from workers.kafka.logs import topic_source
from workers.kafka.logs.topic_source import TopicSource, TopicSpan


@pytest.mark.parametrize("error", [KafkaConnectionError(), GroupAuthorizationFailedError()])
async def test_a_consumer_that_does_not_start_is_told_and_stopped(monkeypatch, error):
    calls = []

    class Consumer:
        def __init__(self, **_options):
            pass

        async def start(self):
            raise error

        async def stop(self):
            calls.append("stop")

    async def one_partition(_broker, _topic):
        return 1

    monkeypatch.setattr(topic_source, "AIOKafkaConsumer", Consumer)
    monkeypatch.setattr(topic_source, "topic_partitions", one_partition)
    span = TopicSpan(topic="pages", group="replay", since_ms=None, until_ms=None)
    with pytest.raises(BrokerProblem, match="b:1 does not give pages"):
        async with TopicSource(BrokerAccess("b:1"), span):
            pass
    assert calls == ["stop"]
