"""Creating and checking topics on a real broker."""

import asyncio
import logging
import socket

import pytest
from aiokafka.admin import NewTopic

from schemas.topics import DEFAULT_PARTITIONS, TOPICS
from tests.kafka.broker import access, make_topics
from workers.errors import BrokerProblem, TopicProblem, UsageProblem
from workers.kafka.broker import admin as topics_admin
from workers.kafka.broker.access import BrokerAccess
from workers.kafka.broker.admin import (
    check_topics,
    connected_admin,
    create_topics,
    partition_count,
)
from workers.settings import load_settings

ALL = list(TOPICS)
NEEDED = list(topics_admin.WORKER_RIGHTS)


async def wrong_topic(broker, prefix, name, *, partitions=2, **changed):
    settings = {key.replace("_", "."): value for key, value in changed.items()}
    config = TOPICS[name].config() | settings
    await make_topics(broker.address, NewTopic(prefix + name, partitions, 1, topic_configs=config))


async def test_create_is_idempotent(kafka_broker, prefix):
    created = await create_topics(access(kafka_broker, prefix), 3)
    assert created == [prefix + name for name in ALL]
    assert await create_topics(access(kafka_broker, prefix), 3) == []
    assert await create_topics(access(kafka_broker, prefix)) == []
    assert await check_topics(access(kafka_broker, prefix), 3) == []
    assert await check_topics(access(kafka_broker, prefix)) == []
    assert await partition_count(access(kafka_broker, prefix)) == 3


async def test_create_adds_what_is_missing(kafka_broker, prefix):
    await wrong_topic(kafka_broker, prefix, "site-models", partitions=2)
    created = await create_topics(access(kafka_broker, prefix))
    assert prefix + "site-models" not in created
    assert len(created) == len(ALL) - 1
    assert await partition_count(access(kafka_broker, prefix)) == 2


async def test_create_without_a_number_takes_the_default(kafka_broker, prefix):
    await create_topics(access(kafka_broker, prefix), replication_factor=1)
    assert await partition_count(access(kafka_broker, prefix)) == DEFAULT_PARTITIONS


async def test_creating_twice_at_once_is_fine(kafka_broker, prefix):
    both = [create_topics(access(kafka_broker, prefix), 2) for _ in range(2)]
    first, second = await asyncio.gather(*both)
    assert sorted(first + second) == sorted(prefix + name for name in ALL)
    assert await check_topics(access(kafka_broker, prefix), 2) == []


async def test_create_beside_a_wrong_topic_creates_nothing(kafka_broker, prefix):
    await wrong_topic(kafka_broker, prefix, "cleaned", cleanup_policy="delete")
    with pytest.raises(TopicProblem, match=r"nothing created: .*cleaned: cleanup\.policy"):
        await create_topics(access(kafka_broker, prefix), 2)
    problems = await check_topics(access(kafka_broker, prefix))
    assert sum("no such topic" in problem for problem in problems) == len(NEEDED) - 1


async def test_another_creates_a_wrong_topic_meanwhile(kafka_broker, prefix, monkeypatch):
    await wrong_topic(kafka_broker, prefix, "site-models", partitions=3)
    states = topics_admin._states

    async def nothing_yet(admin, its_prefix):
        monkeypatch.setattr(topics_admin, "_states", states)
        return {}

    monkeypatch.setattr(topics_admin, "_states", nothing_yet)
    with pytest.raises(TopicProblem, match="site-models: has 3 partitions, needs 2"):
        await create_topics(access(kafka_broker, prefix), 2)


async def test_more_copies_than_brokers(kafka_broker, prefix):
    with pytest.raises(BrokerProblem, match="--replication-factor"):
        await create_topics(access(kafka_broker, prefix), 2, replication_factor=3)


async def test_a_prefix_that_no_topic_can_have(kafka_broker):
    with pytest.raises(BrokerProblem, match="cannot create no/good"):
        await create_topics(access(kafka_broker, "no/good"), 2)


async def test_missing_topics(kafka_broker, prefix):
    problems = await check_topics(access(kafka_broker, prefix))
    assert len(problems) == len(NEEDED)
    more = await check_topics(access(kafka_broker, prefix), rights=topics_admin.WATCH_RIGHTS)
    command = f"templ topics create --broker {kafka_broker.address} --prefix {prefix}"
    optional = [
        f"{prefix}{name}: no such topic; create it: {command}"
        for name in ("page-changes", "page-copies", "site-events", "fingerprints")
    ]
    assert [one for one in more if one not in problems] == optional
    assert problems[0] == f"{prefix}pages: no such topic; create it: {command}"
    with pytest.raises(TopicProblem, match="documents: no such topic"):
        await partition_count(access(kafka_broker, prefix))


@pytest.mark.parametrize(
    ("name", "setting", "value", "needs"),
    [
        ("documents", "cleanup_policy", "delete", "must be compact"),
        ("pages", "cleanup_policy", "compact,delete", "must be delete"),
        ("site-models", "max_message_bytes", "1048588", "needs 8388608 or more"),
        ("pages.dlq", "max_message_bytes", "8388608", "needs 8454144 or more"),
        ("pages", "retention_ms", "3600000", "needs 604800000 or more"),
    ],
)
async def test_wrong_setting(kafka_broker, prefix, name, setting, value, needs):
    await wrong_topic(kafka_broker, prefix, name, **{setting: value})
    for other in set(ALL) - {name}:
        await wrong_topic(kafka_broker, prefix, other)
    key = setting.replace("_", ".")
    change = f"--topic {prefix}{name} --add-config {key}={TOPICS[name].config()[key]}"
    command = f"kafka-configs.sh --bootstrap-server {kafka_broker.address} --alter {change}"
    expected = f"{prefix}{name}: {key} is {value}, {needs}; {command}"
    assert await check_topics(access(kafka_broker, prefix), 2) == [expected]


async def test_larger_and_longer_is_fine(kafka_broker, prefix):
    more = {"retention_ms": "-1", "max_message_bytes": "16777216"}
    await wrong_topic(kafka_broker, prefix, "pages", partitions=7, **more)
    await create_topics(access(kafka_broker, prefix), 2)
    assert await check_topics(access(kafka_broker, prefix), 2) == []


async def test_partitions_that_differ(kafka_broker, prefix):
    for name in ALL:
        count = {"site-models": 3, "cleaned": 5, "pages": 1}.get(name, 2)
        await wrong_topic(kafka_broker, prefix, name, partitions=count)
    (models,) = await check_topics(access(kafka_broker, prefix))
    assert models.startswith(f"{prefix}site-models: has 3 partitions, needs 2; ")
    assert "templ seed --from-prefix" in models
    pages, again = await check_topics(access(kafka_broker, prefix), 2)
    assert again == models
    assert pages.startswith(f"{prefix}pages: has 1 partitions, needs 2 or more; ")
    assert pages.endswith(f"--topic {prefix}pages --alter --partitions 2")
    others = await check_topics(access(kafka_broker, prefix), 3)
    assert [line.split(":")[0].removeprefix(prefix) for line in others] == [
        "pages",
        "documents",
        "site-settings",
    ]
    more = await check_topics(access(kafka_broker, prefix), 4)
    assert len(more) == 4
    assert sum("templ seed --from-prefix" in line for line in more) == 3


async def test_pages_alone_has_too_few_partitions(kafka_broker, prefix):
    await wrong_topic(kafka_broker, prefix, "pages", partitions=1)
    for name in set(ALL) - {"pages"}:
        await wrong_topic(kafka_broker, prefix, name)
    (pages,) = await check_topics(access(kafka_broker, prefix), 2)
    assert pages.startswith(f"{prefix}pages: has 1 partitions, needs 2 or more; kafka-topics.sh ")
    assert pages.endswith("--alter --partitions 2")


@pytest.fixture(params=["nothing listens", "never answers", "hangs up", "speaks otherwise"])
async def unreachable(request, unused_tcp_port):
    """HOST:PORT of something that is no broker."""
    if request.param == "nothing listens":
        yield f"127.0.0.1:{unused_tcp_port}"
        return
    quiet = asyncio.Event()

    async def serve(_reader, writer):
        if request.param == "speaks otherwise":
            writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 10)
        if request.param == "never answers":
            await quiet.wait()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", unused_tcp_port, family=socket.AF_INET)
    async with server:
        yield f"127.0.0.1:{unused_tcp_port}"
        quiet.set()


@pytest.mark.parametrize("call", [create_topics, check_topics, partition_count])
async def test_unreachable_broker_is_one_clear_error(
    unreachable, call, prefix, caplog, monkeypatch
):
    monkeypatch.setattr(
        topics_admin, "REQUEST_TIMEOUT_MS", 600_000
    )  # the limit of the whole call counts
    monkeypatch.setattr(topics_admin, "TIME_LIMIT_SECONDS", 1.0)
    with pytest.raises(BrokerProblem) as caught, caplog.at_level(logging.INFO):
        await call(BrokerAccess(unreachable, prefix=prefix))
    assert str(caught.value).startswith(f"cannot reach Kafka at {unreachable}:")
    assert "\n" not in str(caught.value)
    assert [record for record in caplog.records if record.name.startswith("aiokafka")] == []


@pytest.mark.parametrize("address", ["localhost:kafka", "localhost", "", ":1", "h:99999"])
def test_an_address_that_is_none(address):
    with pytest.raises(UsageProblem, match="the address of a broker is HOST:PORT, not"):
        BrokerAccess.of(address, load_settings())


async def test_clients_side_by_side_are_silent_and_no_other_is(unused_tcp_port, caplog):
    """Two that overlapped left the log of the library off for as long as the process lived."""
    library = logging.getLogger("aiokafka.conn")
    broker, others = BrokerAccess(f"127.0.0.1:{unused_tcp_port}"), []

    async def connect(delay_s):
        await asyncio.sleep(delay_s)
        with pytest.raises(BrokerProblem):
            async with connected_admin(broker):
                pass

    async def log_meanwhile():
        for number in range(5):
            library.warning("other client %d", number)
            others.append(f"other client {number}")
            await asyncio.sleep(0.01)

    await asyncio.gather(connect(0), connect(0.005), log_meanwhile())
    library.warning("afterwards")
    lines = [one.message for one in caplog.records if one.name.startswith("aiokafka")]
    assert lines == [*others, "afterwards"]
