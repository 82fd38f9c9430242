"""A worker says once that it is ready, idle, without its broker, and with it again."""

from workers.kafka.watchdog import IDLE_AFTER_S, StatusLines

BOTH = frozenset({0, 1})
READY = "ready: all site models are read; partitions 0, 1 of pages assigned"
IDLE = "idle: nothing waits in pages"


def lines():
    return StatusLines("all site models are read", "pages")


def test_ready_is_said_once_and_again_with_other_partitions():
    status = lines()
    assert status.looked("site models are being read", BOTH, 0, 0) == []
    assert status.looked("", BOTH, 5, 1) == [READY]
    assert status.looked("", BOTH, 5, 2) == []
    assert status.looked("", frozenset({1}), 5, 3) == [
        "ready: all site models are read; partition 1 of pages assigned"
    ]
    assert status.looked("partitions are being assigned", frozenset(), 0, 4) == []
    (none,) = status.looked("", frozenset(), 0, 5)
    assert none.endswith("no partition of pages is assigned, since other workers have them all")
    assert status.looked("", frozenset(), 0, 6 + IDLE_AFTER_S) == []


def test_idle_is_said_once_after_a_while_without_waiting_records():
    status = lines()
    assert status.looked("", BOTH, 0, 0) == [READY]
    assert status.looked("", BOTH, 3, IDLE_AFTER_S) == []
    assert status.looked("", BOTH, 0, IDLE_AFTER_S + 1) == []
    assert status.looked("", BOTH, 0, 2 * IDLE_AFTER_S) == []
    assert status.looked("", BOTH, 0, 2 * IDLE_AFTER_S + 1) == [IDLE]
    assert status.looked("", BOTH, 0, 5 * IDLE_AFTER_S) == []
    assert status.looked("", BOTH, 1, 6 * IDLE_AFTER_S) == []
    assert status.looked("", BOTH, 0, 7 * IDLE_AFTER_S) == []
    assert status.looked("", BOTH, 0, 8 * IDLE_AFTER_S) == [IDLE]


def test_a_broker_is_gone_once_and_back_once_and_the_worker_goes_on_as_it_was():
    status = lines()
    assert status.looked("", BOTH, 0, 0) == [READY]
    assert status.looked("", BOTH, 0, IDLE_AFTER_S) == [IDLE]
    (gone,) = status.gone("connection refused", 20)
    assert gone.endswith("it does: connection refused")
    assert status.gone("no route", 30) == []
    assert status.looked("", BOTH, 0, 45) == ["the broker is back after 25 s"]
    assert status.looked("", BOTH, 0, 90) == []
