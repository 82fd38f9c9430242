"""Options of the whole test run."""

import gc
import signal
from collections.abc import Generator
from itertools import groupby
from pathlib import Path

import hypothesis
import pytest
from _pytest.doctest import DoctestModule

from tests.fork_server import ForkServer
from tests.kafka.broker import (
    SharedBroker,
    _broker_of_module,
    _java,
    kafka_broker,
    prefix,
    stoppable_broker,
)

__all__ = ["_broker_of_module", "_java", "kafka_broker", "prefix", "stoppable_broker"]

hypothesis.settings.register_profile(
    "busy machine", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("busy machine")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--require-kafka",
        action="store_true",
        help="fail when the Kafka tests would be skipped, or are not part of the run",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Have interrupts end a run that was started in the background, and offer the broker of the run.

    Such a run ignores interrupts, and so would the commands under test.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if not hasattr(config, "workerinput"):  # not a process of a parallel run, but the run itself
        config.add_cleanup(SharedBroker().stop)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave modules beside the tests alone, which `--doctest-modules` would import to look for examples."""
    is_helper = collection_path.suffix == ".py" and not collection_path.name.startswith("test_")
    return True if is_helper else None


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path,
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Look for no examples in tests either; they are in the docstrings of the product."""
    return [one for one in (yield) if not isinstance(one, DoctestModule)]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Spread the modules with Kafka tests between the other modules, those with most tests first.

    They wait more than they compute. So of the processes of a parallel run, which take the next module of the list
    when they have ended one, some compute while others wait. The longest are those beside `kafka/`; they come first, and
    all are spread over the first four fifths, so that none of them is left for the end of the run.
    """
    kafka = [item for item in items if item.get_closest_marker("kafka")]
    others = [item for item in items if not item.get_closest_marker("kafka")]
    if not kafka or not others:
        return
    left = [list(module) for _, module in groupby(kafka, key=lambda item: item.path)]
    left.sort(key=lambda module: (module[0].path.parent.name == "kafka", -len(module)))
    spread: list[pytest.Item] = []
    passed = placed = 0
    for _, module in groupby(others, key=lambda item: item.path):
        some = list(module)
        spread += some
        passed += len(some)
        while left and placed < len(kafka) * passed * 5 // (len(others) * 4):
            whole = left.pop(0)
            spread += whole
            placed += len(whole)
    items[:] = spread


def pytest_collection_finish(session: pytest.Session) -> None:
    gc.freeze()  # each full collection would look at all tests and modules
    if not session.config.getoption("--require-kafka"):
        return
    if not any(item.get_closest_marker("kafka") for item in session.items):
        raise pytest.UsageError("--require-kafka: no Kafka test is part of this run")


@pytest.fixture(scope="session")
def fork_server():
    """Starts commands without their imports; each process of a parallel run has one."""
    server = ForkServer()
    yield server
    server.close()
