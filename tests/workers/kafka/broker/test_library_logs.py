import logging

from aiokafka.errors import GroupCoordinatorNotAvailableError, KafkaConnectionError

from workers.kafka.broker.library_logs import (
    RepeatedMessageFilter,
    is_problem,
    without_expected_traceback,
)


def record(name, message, *arguments):
    return logging.LogRecord(name, logging.ERROR, "", 0, message, arguments, None)


def test_repeated_messages_of_libraries_are_dropped_and_our_own_are_not():
    now = [0.0]
    repeats = RepeatedMessageFilter(30, lambda: now[0])
    unable = record("aiokafka.client", "Unable connect to node %s", 1)
    assert [repeats.filter(unable) for _ in range(3)] == [True, False, False]
    assert repeats.filter(record("aiokafka.client", "something else"))
    assert all(repeats.filter(record("templ", "ours")) for _ in range(3))
    now[0] = 31.0
    assert repeats.filter(unable)


def test_what_a_library_calls_an_error_and_is_none_is_not_logged():
    failed = "Group Coordinator Request failed: %s"
    service = "workers.kafka.patches"
    assert not is_problem(record("aiokafka", failed, GroupCoordinatorNotAvailableError()))
    assert is_problem(record("aiokafka", failed, KafkaConnectionError("away")))
    assert not is_problem(record(service, "[^--X]: Thread keepalive is not responding..."))
    assert not is_problem(
        record("aiokafka", "Heartbeat failed for group %s because it is rebalancing", "g")
    )
    assert is_problem(record("aiokafka", "Unable connect to node with id %s: %s", 1, OSError()))
    assert is_problem(record("templ", "the group waits because it is rebalancing"))


def test_a_broker_that_is_away_has_no_traceback_and_a_fault_has():
    for error, is_kept in ((KafkaConnectionError("away"), False), (ValueError("fault"), True)):
        told = record("mode.worker", "Error: %r", error)
        told.exc_info = type(error), error, None
        assert without_expected_traceback(told)
        assert bool(told.exc_info) == is_kept
