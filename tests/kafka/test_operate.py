"""`templ doctor` and `templ status` on a real broker."""

import asyncio
import json
import time

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import NewTopic
from click.testing import CliRunner

from schemas.codec import encode_msgpack
from schemas.topics import TOPICS
from tests.kafka.broker import access, make_topics
from tests.workers.builders import site_model_record
from workers.cli.doctor import doctor_command
from workers.cli.status import status_command
from workers.errors import TopicProblem
from workers.kafka.broker.admin import WORKER_RIGHTS, create_topics


def run(command, address, prefix, *arguments):
    return CliRunner().invoke(command, ["--broker", address, "--prefix", prefix, *arguments])


def doctor(broker, prefix, *arguments, address=None):
    """Run `templ doctor`; answers its exit code and what it found about the broker and the topics."""
    done = run(doctor_command, address or broker.address, prefix, "--json", *arguments)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, [json.loads(line) for line in done.stdout.splitlines()]


async def create(broker, prefix, partitions, configs):
    await make_topics(
        broker.address,
        *(
            NewTopic(prefix + name, partitions.get(name, 2), 1, topic_configs=config)
            for name, spec in TOPICS.items()
            for config in [spec.config() | configs.get(name, {})]
        ),
    )


async def send(broker, topic, timestamp_ms=None):
    async with AIOKafkaProducer(bootstrap_servers=broker.address) as producer:
        await producer.send_and_wait(topic, b"x", key=b"a", timestamp_ms=timestamp_ms, partition=0)


def test_a_right_set_up_has_no_errors(kafka_broker, prefix, tmp_path):
    asyncio.run(create_topics(access(kafka_broker, prefix), 2))
    _, findings = doctor(kafka_broker, prefix, "--state", str(tmp_path / "state"))
    about_broker = [one for one in findings if one["severity"] == "note"]
    assert "1 broker, Kafka 4." in about_broker[0]["problem"]
    assert "clock of the broker itself cannot be read" in about_broker[1]["problem"]
    assert [one for one in findings if prefix in one["problem"]] == []
    assert not (tmp_path / "state").exists()


def test_every_fault_of_the_topics_is_one_line(kafka_broker, prefix):
    faults = {
        "documents": {"delete.retention.ms": "60000", "cleanup.policy": "compact,delete"},
        "cleaned": {"min.insync.replicas": "2"},
        "pages": {"retention.ms": "3600000", "unclean.leader.election.enable": "true"},
        "site-models": {"max.message.bytes": "1048588"},
    }
    asyncio.run(create(kafka_broker, prefix, {"site-models": 3}, faults))
    code, findings = doctor(kafka_broker, prefix)
    problems = [one["problem"] for one in findings if one["severity"] != "note"]
    assert code == 78
    for words in (
        "documents: delete.retention.ms is 1min",
        "documents: cleanup.policy is compact,delete",
        "documents: records are deleted after 7d",
        "site-models: has 3 partitions, needs 2",
        "cleaned: min.insync.replicas is 2",
        "pages: retention.ms is 3600000",
        "pages: unclean.leader.election.enable is true",
        "site-models: max.message.bytes is 1048588",
    ):
        assert any(one.startswith(prefix + words) for one in problems), (words, problems)
    text = run(doctor_command, kafka_broker.address, prefix)
    *lines, last = text.stdout.splitlines()
    assert len(lines) == len(findings)
    assert last.startswith("not ready: ")
    assert "; kafka-configs.sh --alter" in last


def test_records_from_the_future_and_topics_that_are_missing(kafka_broker, prefix):
    code, findings = doctor(kafka_broker, prefix)
    assert code == 78
    assert sum("no such topic" in one["problem"] for one in findings) == len(WORKER_RIGHTS)
    asyncio.run(create_topics(access(kafka_broker, prefix), 2))
    asyncio.run(send(kafka_broker, prefix + "pages", round(time.time() * 1000) + 1_800_000))
    _, findings = doctor(kafka_broker, prefix)
    (clock,) = (one for one in findings if "after this machine's clock" in one["problem"])
    assert (clock["severity"], f"{prefix}pages has" in clock["problem"]) == ("warning", True)


def test_without_a_broker_the_machine_is_examined(kafka_broker, prefix, unused_tcp_port, tmp_path):
    model = tmp_path / "none"
    address = f"127.0.0.1:{unused_tcp_port}"
    code, findings = doctor(kafka_broker, prefix, "--page-model", str(model), address=address)
    assert code == 78
    assert "does not listen" in findings[0]["problem"]
    assert str(model) in findings[-1]["problem"]


async def join_and_commit(broker, prefix, look):
    """Have a consumer of the cleaner's group read one record of `pages`, and look meanwhile."""
    await create_topics(access(broker, prefix), 2)
    model = site_model_record("v1", site="a.org", documents=8, body=b"model")
    async with AIOKafkaProducer(bootstrap_servers=broker.address) as producer:
        for _ in range(4):
            await producer.send_and_wait(prefix + "pages", b"x", partition=0)
        models = prefix + "site-models"
        await producer.send_and_wait(models, encode_msgpack(model), key=b"a.org", partition=1)
        await producer.send_and_wait(models, None, key=b"b.org", partition=1)
        await producer.send_and_wait(models, b"no model", key=b"c.org", partition=0)
    consumer = AIOKafkaConsumer(
        prefix + "pages",
        bootstrap_servers=broker.address,
        group_id=f"{prefix}templ-cleaner",
        enable_auto_commit=False,
    )
    async with consumer:
        await consumer.commit({TopicPartition(prefix + "pages", 0): 1})
        return await asyncio.to_thread(look)


def test_status_shows_members_lag_and_models(kafka_broker, prefix):
    def look():
        outputs = [
            run(status_command, kafka_broker.address, prefix, *options)
            for options in (["--json"], [], ["--models", "0"])
        ]
        assert [one.exception for one in outputs] == [None] * 3
        return [one.stdout for one in outputs]

    status, text, short = asyncio.run(join_and_commit(kafka_broker, prefix, look))
    cleaner, refresher = json.loads(status)["roles"]
    (member,) = cleaner["members"]
    assert (member["host"], member["partitions"]) == ("127.0.0.1", [0, 1])
    assert (cleaner["state"], cleaner["lag"], cleaner["read_ratio"]) == ("Stable", 3, 0.25)
    assert (refresher["members"], refresher["unassigned"]) == ([], [0, 1])
    (model,) = json.loads(status)["models"]
    assert (model["site"], model["version"], model["documents"]) == ("a.org", "v1", 8)
    assert "1 member; 3 behind in" in text
    assert "partition 0: is at 1, the log ends at 4, 3 behind" in text
    assert "nobody: partitions 0, 1" in text
    assert "a.org  v1  8 documents, 5 bytes" in text
    assert "newest" not in short


def test_status_without_topics_is_one_clear_error(kafka_broker, prefix):
    done = run(status_command, kafka_broker.address, prefix)
    assert isinstance(done.exception, TopicProblem)
    assert f"{prefix}pages: no such topic" in str(done.exception)
