"""Options of the whole test run."""

import signal

import hypothesis
import pytest

from tests.kafka.broker import _running_again, kafka_broker, prefix

__all__ = ["_running_again", "kafka_broker", "prefix"]

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


def pytest_configure() -> None:
    """A run started in the background ignores interrupts, and so would the commands under test."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish(session: pytest.Session) -> None:
    if not session.config.getoption("--require-kafka"):
        return
    if not any(item.get_closest_marker("kafka") for item in session.items):
        raise pytest.UsageError("--require-kafka: no Kafka test is part of this run")
