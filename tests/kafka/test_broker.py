"""The broker under the other tests: what it keeps, how it ends."""

import asyncio
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import NewTopic

from tests.kafka.broker import JAVA_OPTIONS, access, make_topics, runner
from workers.kafka.broker.admin import create_topics

RUNNER = Path(__file__).parents[2] / "deploy" / "kafka" / "broker.py"


async def send(broker, topic, records):
    async with AIOKafkaProducer(
        bootstrap_servers=broker.address, max_request_size=16 << 20
    ) as producer:
        for key, value in records:
            await producer.send_and_wait(topic, value, key=key, partition=0)


async def read_all(broker, topic):
    partition = TopicPartition(topic, 0)
    consumer = AIOKafkaConsumer(bootstrap_servers=broker.address, auto_offset_reset="earliest")
    consumer.assign([partition])
    records = []
    async with consumer:
        end = (await consumer.end_offsets([partition]))[partition]
        while await consumer.position(partition) < end:
            batches = await consumer.getmany(partition, timeout_ms=500)
            records += [(record.key, record.value) for record in batches.get(partition, [])]
    return records


async def test_a_tombstone_reads_back_as_none(kafka_broker, prefix):
    await create_topics(access(kafka_broker, prefix), 1)
    records = [(b"a.example", b"text"), (b"a.example", None), (b"b.example", b"")]
    await send(kafka_broker, prefix + "cleaned", records)
    assert await read_all(kafka_broker, prefix + "cleaned") == records


async def test_the_largest_message_passes(kafka_broker, prefix):
    await create_topics(access(kafka_broker, prefix), 1)
    largest = [(b"a.example", bytes(8_000_000))]
    await send(kafka_broker, prefix + "pages", largest)
    assert await read_all(kafka_broker, prefix + "pages") == largest


@pytest.mark.parametrize("end", ["stop", "kill"])
async def test_a_restart_keeps_topics_and_records(stoppable_broker, prefix, end):
    await create_topics(access(stoppable_broker, prefix), 1)
    await send(stoppable_broker, prefix + "documents", [(b"a.example", b"text")])
    address = stoppable_broker.address
    await asyncio.to_thread(getattr(stoppable_broker, end))
    assert not stoppable_broker.running
    await asyncio.to_thread(stoppable_broker.start)
    assert stoppable_broker.address == address
    await send(stoppable_broker, prefix + "documents", [(b"a.example", None)])
    expected = [(b"a.example", b"text"), (b"a.example", None)]
    assert await read_all(stoppable_broker, prefix + "documents") == expected


async def test_compaction_keeps_the_last_record_of_each_key(kafka_broker, prefix):
    quick = {
        "cleanup.policy": "compact",
        "segment.ms": "100",
        "min.cleanable.dirty.ratio": "0.01",
        "delete.retention.ms": "100",
    }
    topic = prefix + "compacted"
    await make_topics(kafka_broker.address, NewTopic(topic, 1, 1, topic_configs=quick))
    await send(kafka_broker, topic, [(b"a", b"1"), (b"a", b"2"), (b"b", b"1"), (b"b", None)])
    kept = None
    deadline = time.monotonic() + 120
    while kept != [(b"a", b"2")] and time.monotonic() < deadline:
        # Only a segment that is no longer written to is compacted; a later record ends it.
        await asyncio.sleep(0.5)
        await send(kafka_broker, topic, [(b"end", b"")])
        kept = [record for record in await read_all(kafka_broker, topic) if record[0] != b"end"]
    assert kept == [(b"a", b"2")]


@pytest.fixture
def command(kafka_broker, tmp_path):
    """A broker run as a command, ready; and the process of its Java."""
    port = int(kafka_broker.address.split(":")[1])
    free = next(p for p in range(port + 1, port + 500) if not _taken(p))
    process = subprocess.Popen(
        [sys.executable, str(RUNNER), "--port", str(free), "--data", str(tmp_path / "data")],
        env={**os.environ, "JAVA_TOOL_OPTIONS": shlex.join(JAVA_OPTIONS)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        line = process.stdout.readline()
        assert f"127.0.0.1:{free};" in line
        (java,) = psutil.Process(process.pid).children()
        yield process, java
        process.kill()


def _taken(port):
    return any(
        connection.laddr and connection.laddr.port == port
        for connection in psutil.net_connections("tcp4")
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_command_stops_in_good_order(command, number):
    process, java = command
    process.send_signal(number)
    _, errors = process.communicate(timeout=120)
    assert (process.returncode, errors) == (0, "")
    assert not java.is_running()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ties a process to its parent")
def test_no_broker_stays_behind_a_command_that_was_killed(command):
    process, java = command
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    _, alive = psutil.wait_procs([java], timeout=120)
    assert alive == [] or java.status() == psutil.STATUS_ZOMBIE


def test_a_port_that_is_taken_is_one_line(kafka_broker, tmp_path):
    port = kafka_broker.address.split(":")[1]
    done = subprocess.run(
        [sys.executable, str(RUNNER), "--port", port, "--data", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    expected = f"kafka: port {port} is already in use; stop what listens there or use another\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", expected)


def test_a_broker_whose_port_somebody_took_meanwhile_takes_another(kafka_broker, tmp_path):
    broker = runner.Broker(tmp_path / "kafka", java_options=JAVA_OPTIONS)
    with socket.create_server((runner.HOST, taken := broker.port)):
        broker.start()
    try:
        assert broker.port != taken
        assert runner.answers(broker.port)
    finally:
        broker.stop()
