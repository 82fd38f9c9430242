"""A worker waits a bounded time for its broker, and says so in one line."""

import socket

import pytest

from workers.errors import BrokerProblem
from workers.kafka.supervisor import wait_for_broker


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def test_a_broker_that_is_there_is_not_waited_for():
    told = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        wait_for_broker(f"127.0.0.1:{free_port()}, 127.0.0.1:{port}", told.append)
    assert told == []


@pytest.mark.parametrize("broker", ["127.0.0.1:{}", "no such host:1", "127.0.0.1:port"])
def test_a_broker_that_cannot_be_reached_is_told_once_and_ends_with_69(broker):
    told, name = [], broker.format(free_port())
    with pytest.raises(BrokerProblem, match="cannot reach the broker") as problem:
        wait_for_broker(name, told.append, wait_s=1.5)
    assert problem.value.exit_code == 69
    assert [line.startswith(f"waiting up to 1.5 s for the broker {name} (") for line in told] == [
        True
    ]
