"""Every test here needs a broker."""

from pathlib import Path

import pytest

from tests.kafka import stream as streams
from tests.kafka.stream import Stream

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker("kafka")


@pytest.fixture
def stream(request, prefix, tmp_path):
    """Topics of the test's own, and the workers that it starts on them; they are stopped at its end.

    They are on the shared broker, unless the test asks for one that it may stop.
    """
    broker = "stoppable_broker" if "stoppable_broker" in request.fixturenames else "kafka_broker"
    running = Stream(request.getfixturevalue(broker), prefix, tmp_path)
    yield running
    running.stop_all()


@pytest.fixture(scope="module", autouse=True)
def _forked_commands(fork_server):
    streams.fork_server = fork_server
    with fork_server.forking_children():
        yield
    streams.fork_server = None


@pytest.fixture
def whole_processes(monkeypatch):
    """Have commands and workers start as users start them, each process below its parent."""
    monkeypatch.setattr(streams, "fork_server", None)
