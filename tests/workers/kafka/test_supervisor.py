"""The supervisor starts a process for each role, restarts it, and stops all at a signal."""

import os
import signal
import sys
import threading
import time

import msgspec
import pytest

from workers.errors import StateProblem
from workers.kafka.supervisor import RestartPolicy, supervise

WAIT_S = 60
QUICK = RestartPolicy(first_pause_s=0.01, longest_pause_s=0.02, poll_s=0.01)


@pytest.fixture(autouse=True)
def _same_handlers():
    """Signal handlers are those of before after each test."""
    handlers = {one: signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGINT)}
    yield
    for one, handler in handlers.items():
        signal.signal(one, handler)


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
