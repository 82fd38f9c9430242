import logging

from aiokafka.errors import KafkaConnectionError

from workers.kafka.broker.log_filter import RepeatedMessageFilter, without_expected_traceback


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


def test_a_broker_that_is_away_has_no_traceback_and_a_fault_has():
    for error, is_kept in ((KafkaConnectionError("away"), False), (ValueError("fault"), True)):
        told = record("mode.worker", "Error: %r", error)
        told.exc_info = type(error), error, None
        assert without_expected_traceback(told)
        assert bool(told.exc_info) == is_kept
