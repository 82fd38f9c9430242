"""Real Apache Kafka brokers: one for the whole run, others for tests that stop one; a topic prefix for each test."""

import fcntl
import importlib.util
import os
import re
import shutil
import sys
import tempfile
import threading
import uuid
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Client, Listener
from pathlib import Path
from types import ModuleType
from typing import NamedTuple, TypeVar

import pytest
from aiokafka.admin import NewTopic

from workers.kafka.broker.access import BrokerAccess
from workers.kafka.broker.admin import wait_until_there
from workers.kafka.broker.broker_client import BrokerClient

T = TypeVar("T")

HERE = Path(__file__).parent
RUNNER = HERE.parents[1] / "deploy" / "kafka" / "broker.py"
ASKED_AT = "SHARED_BROKER_ASKED_AT"
"""The variable by which the processes of a run know the socket of the `SharedBroker`."""


def _load_runner() -> ModuleType:
    spec = importlib.util.spec_from_file_location("deploy_kafka_broker", RUNNER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


runner = _load_runner()
CLASSES = runner.CACHE / f"classes-{runner.version()}.jsa"
"""The classes of a broker as Java has them in memory, which halves what a start takes."""
SHORT_LIVED = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""Options for brokers that run for minutes: compiling their code well would take longer than it saves."""
JAVA_OPTIONS = (*SHORT_LIVED, f"-XX:SharedArchiveFile={CLASSES}")
"""The same with `CLASSES`, which Java ignores while they are missing or of another Java."""


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


async def ask(address: str, question: Callable[[BrokerClient], Awaitable[T]]) -> T:
    """What an admin client answers."""
    admin = BrokerClient(bootstrap_servers=address)
    await admin.start()
    try:
        return await question(admin)
    finally:
        await admin.close()


async def make_topics(address: str, *topics: NewTopic) -> None:
    """Create topics, and wait until their partitions have leaders."""

    async def make(admin: BrokerClient) -> None:
        response = await admin.create_topics([*topics])
        assert all(code == 0 for _, code, _ in response.topic_errors)
        await wait_until_there(admin, [one.name for one in topics])

    await ask(address, make)


class PlainBroker(NamedTuple):
    """What tests know of the broker that all of them share; none of them may stop it."""

    address: str
    data: Path


class SharedBroker:
    """Starts a broker when the first process of a run asks for it; it ends with this process."""

    def __init__(self) -> None:
        self._broker: runner.Broker | None = None
        self._listener = Listener(family="AF_UNIX")
        os.environ[ASKED_AT] = self._listener.address
        threading.Thread(target=self._answer, name="shared-broker", daemon=True).start()

    def _answer(self) -> None:
        """Tell each process that asks where the broker is, or why there is none."""
        while True:
            with suppress(OSError, EOFError), self._listener.accept() as process:
                process.send(self._running(process.recv()))

    def _running(self, directory: Path) -> PlainBroker | str:
        try:
            if self._broker is None:
                self._broker = started_broker(directory)
        except runner.BrokerError as error:
            return str(error)
        return PlainBroker(self._broker.address, self._broker.data)

    def stop(self) -> None:
        """Stop the broker, if any, and remove its files."""
        if self._broker is not None:
            stop_and_remove(self._broker)


def started_broker(directory: Path) -> runner.Broker:
    """Start a broker."""
    prepare()
    broker = runner.Broker(directory, java_options=JAVA_OPTIONS)
    broker.start()
    return broker


def prepare() -> None:
    """Have what all brokers need; one process of a parallel run makes it, while the others wait."""
    runner.CACHE.mkdir(parents=True, exist_ok=True)
    with (runner.CACHE / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        runner.fetch()
        if not CLASSES.exists():
            _keep_classes()


def _keep_classes() -> None:
    """Have a broker that starts and stops write `CLASSES`."""
    with tempfile.TemporaryDirectory(dir=runner.CACHE) as scratch:
        written = Path(scratch) / "classes"
        options = (*SHORT_LIVED, f"-XX:ArchiveClassesAtExit={written}")
        broker = runner.Broker(Path(scratch) / "broker", java_options=options)
        broker.start()
        process = broker._process
        broker.stop()
        if process.returncode >= 0 and written.exists():  # it was not killed while it wrote
            written.rename(CLASSES)


def stop_and_remove(broker: runner.Broker) -> None:
    """Stop a broker, and remove its files."""
    broker.stop()
    shutil.rmtree(broker.data, ignore_errors=True)


@pytest.fixture(scope="session")
def _java(pytestconfig) -> None:
    if missing := runner.missing_tool():
        if pytestconfig.getoption("--require-kafka"):
            pytest.fail(f"{missing} is not installed", pytrace=False)
        pytest.skip(f"needs Java and Maven: {missing} is not installed")


@pytest.fixture(scope="session")
def kafka_broker(_java, tmp_path_factory) -> PlainBroker:
    """The broker that all tests share, also those of other processes of a parallel run."""
    with Client(os.environ[ASKED_AT]) as shared:
        shared.send(tmp_path_factory.mktemp("kafka-broker"))
        shared_broker = shared.recv()
    if isinstance(shared_broker, str):
        pytest.fail(shared_broker, pytrace=False)
    return shared_broker


@pytest.fixture(scope="module")
def _broker_of_module(_java, tmp_path_factory) -> Iterator[runner.Broker]:
    try:
        broker = started_broker(tmp_path_factory.mktemp("own-broker"))
    except runner.BrokerError as error:
        pytest.fail(str(error), pytrace=False)
    yield broker
    stop_and_remove(broker)


@pytest.fixture
def stoppable_broker(_broker_of_module) -> runner.Broker:
    """A broker of the module's own with `stop()`, `kill()` and `start()`; it runs when a test begins."""
    _broker_of_module.start()
    return _broker_of_module


@pytest.fixture
def prefix(request) -> str:
    """Begins the names of this test's topics and groups, so that tests can share the broker."""
    name = re.sub(r"[^a-z0-9]+", "-", request.node.name.lower())[:60].strip("-")
    return f"{name}-{uuid.uuid4().hex[:8]}."
