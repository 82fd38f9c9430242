"""The supervisor starts a process for each role, waits for the broker, and stops all at a signal."""

import asyncio
import gc
import logging
import os
import signal
import socket
import sys
import threading
import time
from types import SimpleNamespace
from unittest.mock import MagicMock

import msgspec
import pytest

from schemas.topics import TOPICS
from workers.cli import worker
from workers.cli.console import console_command
from workers.errors import BrokerProblem, StateProblem, TopicProblem
from workers.kafka import run_role, supervisor
from workers.kafka.broker.access import BrokerAccess
from workers.kafka.supervisor import RestartPolicy, patiently, supervise, wait_for_broker
from workers.processors import processor_count
from workers.settings import Settings, load_settings
from workers.state.directory import StateDirectory

WAIT_S = 60
QUICK = RestartPolicy(first_pause_s=0.01, longest_pause_s=0.02, poll_s=0.01)


@pytest.fixture(autouse=True)
def _same_handlers():
    """Signal handlers are those of before after each test."""
    handlers = {one: signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGINT)}
    yield
    for signal_number, handler in handlers.items():
        signal.signal(signal_number, handler)


def fake(log, *then):
    """Command of a process that writes its id to a file, and then does what the lines say."""
    lines = [
        "import os, signal, sys, time",
        f"open({str(log)!r}, 'a').write(f'{{os.getpid()}}\\n')",
    ]
    return [sys.executable, "-c", "\n".join([*lines, *then])]


def starts(log):
    return log.read_text().split() if log.exists() else []


def signal_when(condition, signum=signal.SIGTERM):
    """Send this process a signal as soon as a condition holds."""

    def wait():
        until = time.monotonic() + WAIT_S
        while not condition() and time.monotonic() < until:
            time.sleep(0.01)
        os.kill(os.getpid(), signum)

    threading.Thread(target=wait, daemon=True).start()


def is_running(pid):
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGINT])
def test_both_roles_run_until_a_signal_and_are_stopped(tmp_path, signum):
    logs = [tmp_path / "cleaner", tmp_path / "refresher"]
    signal_when(lambda: all(map(starts, logs)), signum)
    code = supervise({log.name: fake(log, "time.sleep(600)") for log in logs}, QUICK)
    assert code == 0
    for log in logs:
        (pid,) = starts(log)
        assert not is_running(pid)


def test_a_role_that_ends_is_started_again_and_the_other_goes_on(tmp_path):
    failing, steady = tmp_path / "failing", tmp_path / "steady"
    signal_when(lambda: len(starts(failing)) >= 3 and starts(steady))
    code = supervise(
        {"cleaner": fake(failing, "sys.exit(70)"), "refresher": fake(steady, "time.sleep(600)")},
        QUICK,
    )
    assert code == 0
    assert len(starts(failing)) >= 3
    assert len(starts(steady)) == 1


def test_a_planned_end_is_no_failure_and_is_started_again_at_once(tmp_path, caplog):
    log = tmp_path / "planned"
    signal_when(lambda: len(starts(log)) >= 3)
    slow = msgspec.structs.replace(QUICK, first_pause_s=600.0)
    with caplog.at_level(logging.INFO):
        assert supervise({"cleaner": fake(log, "sys.exit(75)")}, slow) == 0
    assert {one.levelname for one in caplog.records} == {"INFO"}
    assert caplog.messages[0].startswith("planned restart: cleaner ended")


def test_a_role_that_no_restart_can_mend_ends_the_other_and_gives_its_exit_code(tmp_path):
    steady = tmp_path / "steady"
    wait = f"while not os.path.exists({str(steady)!r}): time.sleep(0.01)"
    hopeless = fake(tmp_path / "hopeless", wait, f"sys.exit({StateProblem.exit_code})")
    code = supervise({"cleaner": hopeless, "refresher": fake(steady, "time.sleep(600)")}, QUICK)
    assert code == StateProblem.exit_code
    assert len(starts(tmp_path / "hopeless")) == 1
    assert not any(map(is_running, starts(steady)))


def test_a_process_that_does_not_stop_is_killed(tmp_path):
    log = tmp_path / "stubborn"
    ignore = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)"
    wait = f"open({str(log)!r}, 'w').write(str(__import__('os').getpid())); import time; time.sleep(600)"
    command = [sys.executable, "-c", f"{ignore}; {wait}"]
    signal_when(lambda: starts(log))
    impatient = msgspec.structs.replace(QUICK, stop_wait_s=0.2)
    assert supervise({"cleaner": command}, impatient) == 0
    assert not any(map(is_running, starts(log)))


def test_pauses_between_restarts_grow_up_to_a_bound(tmp_path, caplog):
    log = tmp_path / "failing"
    signal_when(lambda: len(starts(log)) >= 4)
    with caplog.at_level("WARNING"):
        supervise({"cleaner": fake(log, "sys.exit(1)")}, QUICK)
    pauses = [record.args[2] for record in caplog.records if record.name == "templ"]
    assert pauses[:3] == [0.01, 0.02, 0.02]


def test_a_hopeless_extra_is_not_started_again_and_the_others_go_on(tmp_path, caplog):
    steady, extra = tmp_path / "steady", tmp_path / "extra"
    signal_when(lambda: caplog.messages)
    commands = {
        "cleaner": fake(steady, "time.sleep(600)"),
        "console": fake(extra, f"sys.exit({StateProblem.exit_code})"),
    }
    assert supervise(commands, QUICK, extras={"console"}) == 0
    assert caplog.messages == ["console ended with 73 and is not started again; the worker goes on"]
    assert len(starts(extra)) == 1


@pytest.fixture
def run_cleaner(monkeypatch):
    """Return a function that runs the role `cleaner` on a state directory, with a broker that is away."""
    monkeypatch.setattr(run_role, "_set_up_logging", lambda _role, _settings: None)
    broker = BrokerAccess("127.0.0.1:1")
    return lambda state: run_role.run_role("cleaner", broker, state, load_settings())


def test_the_store_of_models_is_opened_outside_any_event_loop(run_cleaner, monkeypatch, tmp_path):
    async def two_partitions(*_arguments, **_options):
        return dict.fromkeys(TOPICS, 2)

    def open_store(_path):
        with pytest.raises(RuntimeError, match="no running event loop"):
            asyncio.get_running_loop()
        raise StateProblem("the store is in use")

    monkeypatch.setattr(run_role, "_checked_counts", two_partitions)
    monkeypatch.setattr(run_role, "ModelStore", open_store)
    with pytest.raises(StateProblem, match="the store is in use"):
        run_cleaner(tmp_path)
    StateDirectory.open(tmp_path / "cleaner", 2).close()  # its lock was released


def test_a_topic_that_is_missing_is_waited_for_once_the_state_directory_was_used(
    run_cleaner, monkeypatch, tmp_path
):
    async def missing(*_arguments, **_options):
        return ["pages: no such topic"]

    monkeypatch.setattr(run_role, "read_partition_counts", missing)
    monkeypatch.setattr(run_role, "check_topics", missing)
    with pytest.raises(TopicProblem, match="no such topic"):
        run_cleaner(tmp_path)
    StateDirectory.open(tmp_path / "cleaner", 2).close()
    with pytest.raises(BrokerProblem, match="no such topic"):
        run_cleaner(tmp_path)


@pytest.mark.parametrize(("given", "started"), [(None, processor_count()), (3, 3)])
def test_the_settings_bound_the_children_of_a_cleaner(monkeypatch, tmp_path, given, started):
    pool = MagicMock()
    for name in ("open_rebuildable", "Cleaner"):
        monkeypatch.setattr(run_role, name, MagicMock())
    monkeypatch.setattr(run_role, "Pool", pool)
    settings = Settings(cleaner_children=given)
    config = SimpleNamespace(settings=settings, state=tmp_path, broker=BrokerAccess("b:1"))
    with run_role._cleaner(config):
        pass
    pool.assert_called_once_with(settings, children=started, has_spare=True)


def test_what_was_made_at_the_start_is_left_out_of_collections(run_cleaner, monkeypatch, tmp_path):
    async def one_partition(*_arguments, **_options):
        return dict.fromkeys(TOPICS, 1)

    frozen = []
    worker = MagicMock()
    worker.execute_from_commandline = lambda: frozen.append(gc.get_freeze_count())
    monkeypatch.setattr(run_role, "_checked_counts", one_partition)
    monkeypatch.setitem(run_role._OPENED, "cleaner", MagicMock())
    monkeypatch.setattr(run_role, "start_watchdog", MagicMock())
    monkeypatch.setattr(run_role.faust, "Worker", lambda *_arguments, **_options: worker)
    try:
        run_cleaner(tmp_path)
    finally:
        gc.unfreeze()
    assert frozen[0] > 0


def test_a_broker_that_is_there_is_not_waited_for(unused_tcp_port):
    lines = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        wait_for_broker(f"127.0.0.1:{unused_tcp_port}, 127.0.0.1:{port}", lines.append)
    assert lines == []


@pytest.mark.parametrize("broker", ["127.0.0.1:{}", "no such host:1", "127.0.0.1:port"])
def test_a_broker_that_cannot_be_reached_is_told_once_and_ends_with_69(broker, unused_tcp_port):
    lines, name = [], broker.format(unused_tcp_port)
    with pytest.raises(BrokerProblem, match="cannot reach the broker") as problem:
        wait_for_broker(name, lines.append, wait_s=1.5)
    assert problem.value.exit_code == 69
    assert [line.startswith(f"waiting up to 1.5 s for the broker {name} (") for line in lines] == [
        True
    ]


def test_a_broker_that_restarts_is_asked_again():
    lines, answers = [], [BrokerProblem("a:1 closes the connection"), []]

    def ask():
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    assert patiently(ask, lines.append) == []
    assert lines == ["a:1 closes the connection (trying again for up to 20 s)"]
    answers[:] = [BrokerProblem("for good")]
    with pytest.raises(BrokerProblem, match="for good"):
        patiently(ask, lines.append, wait_s=0.0)


def test_every_process_of_a_worker_is_told_its_balance(tmp_path, monkeypatch):
    StateDirectory.open(tmp_path / "cleaner", 1).close()
    started = {}
    monkeypatch.setattr(supervisor, "wait_for_broker", lambda *_: None)
    monkeypatch.setattr(supervisor, "supervise", lambda commands, **_: started.update(commands))
    options = ["--broker", "127.0.0.1:1", "--state", str(tmp_path), "--balance", "recall"]
    monkeypatch.setenv("TEMPL_CONSOLE_PORT", "9190")
    monkeypatch.setattr(worker, "set_up_logging", lambda *_: None)
    with pytest.raises(SystemExit):
        worker.worker_command.main(options, standalone_mode=False)
    assert set(started) == {"cleaner", "refresher", "console"}
    for command in started.values():
        assert command[command.index("--balance") + 1] == "recall"
    assert "balance" in {one.name for one in console_command.params}
