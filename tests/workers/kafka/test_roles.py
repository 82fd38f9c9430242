"""A role opens its stores before its event loop starts, with as many child processes as it may have."""

import asyncio
import gc
import os
from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest

from workers.errors import BrokerProblem, StateProblem, TopicProblem
from workers.kafka import roles
from workers.kafka.broker.access import BrokerAccess
from workers.kafka.traces import Traces
from workers.settings import Settings, load_settings
from workers.state.directory import StateDirectory


def test_the_store_of_models_is_opened_outside_any_event_loop(monkeypatch, tmp_path):
    async def two_partitions(*_arguments, **_options):
        return 2, 2

    def open_store(_path):
        with pytest.raises(RuntimeError, match="no running event loop"):
            asyncio.get_running_loop()
        raise StateProblem("the store is in use")

    monkeypatch.setattr(roles, "_set_up_logging", lambda _role, _settings: None)
    monkeypatch.setattr(roles, "_checked_partitions", two_partitions)
    monkeypatch.setattr(roles, "ModelStore", open_store)
    with pytest.raises(StateProblem, match="the store is in use"):
        roles.run_role("cleaner", BrokerAccess("127.0.0.1:1"), "", tmp_path, load_settings())
    StateDirectory.open(tmp_path / "cleaner", 2).close()  # its lock was released


def test_a_topic_that_is_missing_is_waited_for_once_the_state_directory_was_used(
    monkeypatch, tmp_path
):
    async def missing(*_arguments, **_options):
        return ["pages: no such topic"]

    monkeypatch.setattr(roles, "_set_up_logging", lambda _role, _settings: None)
    monkeypatch.setattr(roles, "read_partition_counts", missing)
    monkeypatch.setattr(roles, "check_topics", missing)
    with pytest.raises(TopicProblem, match="no such topic"):
        roles.run_role("cleaner", BrokerAccess("127.0.0.1:1"), "", tmp_path, load_settings())
    StateDirectory.open(tmp_path / "cleaner", 2).close()
    with pytest.raises(BrokerProblem, match="no such topic"):
        roles.run_role("cleaner", BrokerAccess("127.0.0.1:1"), "", tmp_path, load_settings())


@pytest.mark.parametrize(("given", "started"), [(None, os.cpu_count()), (3, 3)])
def test_the_settings_bound_the_children_of_a_cleaner(monkeypatch, tmp_path, given, started):
    pool = MagicMock()
    for name in ("open_rebuildable", "CleanerApp"):
        monkeypatch.setattr(roles, name, MagicMock())
    monkeypatch.setattr(roles, "Pool", pool)
    settings = Settings(cleaner_children=given)
    config = SimpleNamespace(settings=settings, state=tmp_path, topic=str)
    with roles._cleaner(config, Traces()):
        pass
    pool.assert_called_once_with(settings, children=started)


def test_what_was_made_at_the_start_is_left_out_of_collections(monkeypatch, tmp_path):
    async def one_partition(*_arguments, **_options):
        return 1, 1

    frozen = []
    worker = MagicMock()
    worker.execute_from_commandline = lambda: frozen.append(gc.get_freeze_count())
    monkeypatch.setattr(roles, "_checked_partitions", one_partition)
    for name in ("_set_up_logging", "_cleaner", "start_traces", "start_watchdog"):
        monkeypatch.setattr(roles, name, MagicMock())
    monkeypatch.setattr(roles.faust, "Worker", lambda *_arguments, **_options: worker)
    try:
        roles.run_role("cleaner", BrokerAccess("127.0.0.1:1"), "", tmp_path, load_settings())
    finally:
        gc.unfreeze()
    assert frozen[0] > 0
