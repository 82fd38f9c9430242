"""A failed step of a worker ends its process, and its traceback is logged."""

import asyncio
import logging
from types import SimpleNamespace

import pytest
from aiokafka.errors import KafkaConnectionError

from workers.errors import DiskProblem, FeedProblem
from workers.kafka import app
from workers.kafka.app import essential


@pytest.fixture
def reasons(monkeypatch):
    """Reasons for which the process would have ended."""
    found = []
    monkeypatch.setattr(app, "end_process", found.append)
    return found


def run(error, *, should_stop=False):
    async def step():
        raise error

    asyncio.run(essential(SimpleNamespace(should_stop=should_stop), "cleaning", step))


def errors(caplog):
    return [record for record in caplog.records if record.levelno >= logging.ERROR]


def test_an_unforeseen_failure_is_logged_whole_and_once(reasons, caplog):
    run(KeyError("a fault of ours"))
    (record,) = errors(caplog)
    assert record.exc_info[0] is KeyError
    assert "cleaning" in record.getMessage()
    assert "in step" in caplog.text
    assert len(reasons) == 1


def test_a_foreseen_failure_is_its_message_alone(reasons, caplog):
    run(DiskProblem("cannot write state: the disk is full"))
    assert errors(caplog) == []
    (reason,) = reasons
    assert "the disk is full" in reason


def test_a_failure_during_the_stop_of_the_worker_is_none(reasons, caplog):
    with pytest.raises(asyncio.CancelledError):
        run(KeyError("the producer is gone"), should_stop=True)
    assert errors(caplog) == []
    assert reasons == []


def test_a_feed_that_is_wrong_ends_the_process_for_good(monkeypatch, caplog):
    ends = []
    monkeypatch.setattr(app, "end_process", lambda *given: ends.append(given))
    run(FeedProblem("most pages are dead letters"))
    assert ends[0] == ("most pages are dead letters", FeedProblem.exit_code)
    assert errors(caplog) == []


def test_a_broker_that_is_away_is_no_fault_of_ours(reasons, caplog):
    run(KafkaConnectionError("unable to bootstrap"))
    assert errors(caplog) == []
    (reason,) = reasons
    assert "unable to bootstrap" in reason
