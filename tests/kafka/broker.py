"""A real Apache Kafka broker: one for the whole run, and a topic prefix for each test."""

import fcntl
import importlib.util
import re
import shutil
import sys
import uuid
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TypeVar

import pytest
from aiokafka.admin import AIOKafkaAdminClient, NewTopic

from workers.kafka.broker.access import BrokerAccess
from workers.kafka.broker.admin import wait_until_there

T = TypeVar("T")

HERE = Path(__file__).parent
RUNNER = HERE.parents[1] / "deploy" / "kafka" / "broker.py"
JAVA_OPTIONS = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""Options for brokers that run for minutes: compiling their code well would take longer than it saves."""


def _load_runner() -> ModuleType:
    spec = importlib.util.spec_from_file_location("deploy_kafka_broker", RUNNER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


runner = _load_runner()


@contextmanager
def own_broker(directory: Path) -> Iterator[runner.Broker]:
    """Yield a broker whose files are in a directory; it is stopped at the end."""
    broker = runner.Broker(directory / "kafka")
    broker.start()
    try:
        yield broker
    finally:
        broker.stop()


def access(broker: runner.Broker, prefix: str = "") -> BrokerAccess:
    """How the clients of the project reach a broker that runs for the tests."""
    return BrokerAccess(broker.address, prefix=prefix)


async def ask(address: str, question: Callable[[AIOKafkaAdminClient], Awaitable[T]]) -> T:
    """What an admin client answers."""
    admin = AIOKafkaAdminClient(bootstrap_servers=address)
    await admin.start()
    try:
        return await question(admin)
    finally:
        await admin.close()


async def make_topics(address: str, *topics: NewTopic) -> None:
    """Create topics, and wait until their partitions have leaders."""

    async def make(admin: AIOKafkaAdminClient) -> None:
        response = await admin.create_topics([*topics])
        assert all(code == 0 for _, code, _ in response.topic_errors)
        await wait_until_there(admin, [one.name for one in topics])

    await ask(address, make)


def _fetch_once() -> None:
    """Have one process of a parallel run download Kafka, while the others wait."""
    runner.CACHE.mkdir(parents=True, exist_ok=True)
    with (runner.CACHE / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        runner.fetch()


@pytest.fixture(scope="session")
def kafka_broker(pytestconfig, tmp_path_factory) -> Iterator[runner.Broker]:
    """A running broker with `address`, `stop()`, `kill()` and `start()`."""
    if missing := runner.missing_tool():
        if pytestconfig.getoption("--require-kafka"):
            pytest.fail(f"{missing} is not installed", pytrace=False)
        pytest.skip(f"needs Java and Maven: {missing} is not installed")
    broker = runner.Broker(tmp_path_factory.mktemp("kafka-broker"), java_options=JAVA_OPTIONS)
    try:
        _fetch_once()
        broker.start()
    except runner.BrokerError as error:
        pytest.fail(str(error), pytrace=False)
    try:
        yield broker
    finally:
        broker.stop()
        shutil.rmtree(broker.data, ignore_errors=True)


@pytest.fixture(autouse=True)
def _running_again(request) -> Iterator[None]:
    """A test that stops the broker and fails must not take the others with it."""
    yield
    if "kafka_broker" in request.fixturenames:
        request.getfixturevalue("kafka_broker").start()


@pytest.fixture
def prefix(request) -> str:
    """Begins the names of this test's topics and groups, so that tests can share the broker."""
    name = re.sub(r"[^a-z0-9]+", "-", request.node.name.lower())[:60].strip("-")
    return f"{name}-{uuid.uuid4().hex[:8]}."
