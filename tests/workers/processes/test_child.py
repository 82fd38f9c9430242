"""A child process: how it ends, its deadline in processor time, its faults, imports and page model."""

import errno
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from multiprocessing.connection import Connection
from pathlib import Path

import msgspec
import numpy as np
import psutil
import pytest

from templ_core.page_level.model.model_file import encode_model, shipped_model
from tests.workers.builders import other_page_model, page
from workers.child_program import CLEANING, start_program
from workers.errors import SettingsProblem, WorkerError
from workers.lab.in_process import InProcess
from workers.pipeline.actions import Dead
from workers.pipeline.page_cleaner import PageCleaner
from workers.processes import child_process, tasks
from workers.processes import pool as pool_module
from workers.processes.child_process import (
    CHECK_S,
    Deadline,
    DeadlineExceeded,
    processor_clock,
)
from workers.processes.child_start import encode_set_up
from workers.processes.messages import Cleaned, CleanTask, PageTask
from workers.processes.options import CONFIG, CleanOptions, RecordForms
from workers.processes.page_model import page_model_of, read_model_file
from workers.processes.pool import Pool
from workers.settings import Settings, load_settings


@pytest.fixture(scope="module")
def forked_children():
    """Children start here as those of a worker do."""


def test_a_child_whose_parent_has_closed_the_connection_says_nothing():
    ours, theirs = socket.socketpair()
    with theirs:
        child = subprocess.Popen(
            [sys.executable, "-m", CLEANING, str(theirs.fileno()), str(os.getpid())],
            pass_fds=[theirs.fileno()],
            stderr=subprocess.PIPE,
        )
    connection = Connection(ours.detach())
    assert connection.recv_bytes() == b"ready"
    connection.send_bytes(encode_set_up(1 << 30))
    connection.send_bytes(read_model_file(None))
    body = b"<p>A sentence of some words, and more." * 20_000
    options = CleanOptions(
        config=CONFIG,
        forms=RecordForms(),
        cleaner_version="",
        page_limit_bytes=1 << 30,
        document_limit_bytes=1 << 30,
    )
    task = CleanTask([PageTask(page=page(1, body), options=options)])
    connection.send_bytes(msgspec.msgpack.encode(task))
    connection.close()
    assert child.communicate()[1] == b""
    assert child.returncode == 0


GOOD = b"<html><title>T</title><body><p>" + b"A sentence of some words, and more. " * 20
CHECKS = round(2.0 / CHECK_S)


def checks_until_late(deadline, processor_times):
    """How many checks pass before the task counts as late, and why; None = it never does."""
    for number, used_s in enumerate(processor_times, 1):
        try:
            deadline.check(used_s)
        except DeadlineExceeded as late:
            return number, str(late)
    return None


def test_a_task_that_works_is_late_by_its_processor_time():
    busy = (10 + CHECK_S * number for number in range(1, 1000))
    number, reason = checks_until_late(Deadline(2.0, 10.0), busy)
    assert number in {CHECKS, CHECKS + 1}
    assert reason == "no result within 2 s of processor time"


def test_a_task_that_stands_still_is_late_by_the_number_of_checks():
    number, reason = checks_until_late(Deadline(2.0, 0.0), (0.0 for _ in range(1000)))
    assert number == CHECKS
    assert "no work on one for 2 s" in reason


def test_a_child_that_rarely_gets_a_processor_is_not_late():
    starved = (0.001 * (number // (CHECKS - 1)) for number in range(1, 1000))
    assert checks_until_late(Deadline(2.0, 0.0), starved) is None


def test_the_processor_time_of_a_process_is_its_own():
    clock = processor_clock(os.getpid())
    before = time.clock_gettime(clock)
    assert before == pytest.approx(time.process_time(), abs=1.0)
    sum(range(10**6))
    assert time.clock_gettime(clock) > before
    with pytest.raises(OSError, match="process"):
        processor_clock(2**22 + 1)


def clean_while(pool, settings, body, disturb):
    """Clean a page while a disturbance runs that begins with the page."""
    thread = threading.Thread(target=disturb)
    thread.start()
    outcome = PageCleaner(pool, settings).clean(page(1, body))
    thread.join()
    return outcome


def test_a_child_that_was_stopped_for_longer_than_the_deadline_blames_no_page(
    poison_settings, tmp_path
):
    entered = tmp_path / "entered"
    pool = Pool(poison_settings, children=1)

    def stop_it():
        while not entered.exists():
            time.sleep(0.01)
        for child in psutil.Process().children():
            if "poison_child" in " ".join(child.cmdline()):
                child.send_signal(signal.SIGSTOP)

    body = GOOD + b"POISON-BUSY " + str(entered).encode() + b"<br>"
    outcome = clean_while(pool, poison_settings, body, stop_it)
    pool.close()
    assert isinstance(outcome, Cleaned)


def test_a_page_that_is_late_in_both_attempts_says_so(poison_settings):
    settings = msgspec.structs.replace(poison_settings, page_deadline_s=0.3)
    pool = Pool(settings, children=1)
    outcome = PageCleaner(pool, settings).clean(page(1, GOOD + b"POISON-HANG"))
    pool.close()
    assert isinstance(outcome, Dead)
    assert outcome.letter.attempts == 2
    assert outcome.letter.message == "no result, and no work on one for 0.3 s"


def killed_at_the_start(monkeypatch, times):
    """Have the next children be killed before they say anything; answers the numbers of their processes."""
    started = []

    def start(module):
        program = start_program(module)
        started.append(program.process.pid)
        if len(started) <= times:
            program.process.kill()
        return program

    monkeypatch.setattr(child_process, "start_program", start)
    monkeypatch.setattr(pool_module, "_FIRST_PAUSE_S", 0.01)
    return started


def test_a_child_that_is_killed_while_it_starts_costs_no_page(poison_settings, monkeypatch):
    started = killed_at_the_start(monkeypatch, 4)
    pool = Pool(poison_settings, children=1)
    outcome = PageCleaner(pool, poison_settings).clean(page(1, GOOD))
    pool.close()
    assert isinstance(outcome, Cleaned)
    assert len(started) >= 5
    assert pool.restarts() >= 3  # a spare child that was killed is replaced before it is used


def test_children_that_are_always_killed_end_the_work_with_one_line(poison_settings, monkeypatch):
    killed_at_the_start(monkeypatch, 99)
    pool = Pool(poison_settings, children=1)
    with pytest.raises(WorkerError, match=r"was killed by SIGKILL while it started, 6 times"):
        PageCleaner(pool, poison_settings).clean(page(1, GOOD))
    pool.close()


def test_a_machine_without_room_for_a_process_is_asked_again(poison_settings, monkeypatch):
    tries = []

    def start(module):
        tries.append(module)
        if len(tries) < 3:
            raise OSError(errno.ENOMEM, "Cannot allocate memory")
        return start_program(module)

    monkeypatch.setattr(child_process, "start_program", start)
    monkeypatch.setattr(pool_module, "_FIRST_PAUSE_S", 0.01)
    pool = Pool(poison_settings, children=1)
    assert isinstance(PageCleaner(pool, poison_settings).clean(page(1, GOOD)), Cleaned)
    pool.close()


def test_a_child_that_the_kernel_kills_during_a_page_blames_no_page(
    poison_settings, tmp_path, monkeypatch
):
    monkeypatch.setattr(pool_module, "_FIRST_PAUSE_S", 0.01)
    pool, kills = Pool(poison_settings, children=1), []
    entered = tmp_path / "entered"

    def kill_it():
        while len(kills) < 3:
            if entered.exists():
                entered.unlink()
                kills.append(pool._lanes[0]._child._process.pid)
                os.kill(kills[-1], signal.SIGKILL)
            time.sleep(0.01)

    body = GOOD + b"POISON-BUSY " + str(entered).encode() + b"<br>"
    outcome = clean_while(pool, poison_settings, body, kill_it)
    pool.close()
    assert isinstance(outcome, Cleaned)
    assert len(set(kills)) == 3


@pytest.mark.parametrize("has_spare", [True, False])
def test_a_spare_child_is_there_when_one_has_died(poison_settings, monkeypatch, has_spare):
    started = killed_at_the_start(monkeypatch, 0)
    pool = Pool(poison_settings, children=2, has_spare=has_spare)
    assert len(started) == 2 + has_spare
    engine = PageCleaner(pool, poison_settings)
    assert isinstance(engine.clean(page(1, GOOD + b"POISON-KILL")), Dead)
    assert len(started) == 2 + has_spare + 1 + (not has_spare)
    spare = pool._children._spare
    assert isinstance(engine.clean(page(2, GOOD)), Cleaned)
    assert spare in [lane._child for lane in pool._lanes]
    assert pool._children._spare.is_running()
    pool.close()
    for pid in started:
        assert not psutil.pid_exists(pid)


def test_the_kernel_kills_a_child_before_its_parent(poison_settings):
    pool = Pool(poison_settings, children=1)
    pid = pool._lanes[0]._child._process.pid
    assert Path(f"/proc/{pid}/oom_score_adj").read_text() == "1000\n"
    pool.close()


def faults(caplog):
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]


def test_a_fault_in_a_child_is_logged_once_with_the_source_of_its_page(
    poison_pool, poison_settings, caplog
):
    cleaner = PageCleaner(poison_pool, poison_settings)
    cleaner.clean(page(7, b"<p>Some words. POISON-RAISE"))
    (message,) = faults(caplog)
    assert "page pages-0-7" in message
    assert "Traceback (most recent call last)" in message
    assert "in read_or_fail" in message
    assert "ValueError: bad page" in message


def test_a_refused_page_logs_no_traceback(poison_pool, poison_settings, caplog):
    cleaner = PageCleaner(poison_pool, poison_settings)
    for number, body in enumerate((b"", b"%PDF-1.4 \xe2\xe3\xcf\xd3", b"<p>POISON-KILL")):
        cleaner.clean(page(number, body))
    assert faults(caplog) == []


def test_a_fault_in_this_process_is_logged_with_the_source_of_its_page(monkeypatch, caplog):
    def fail(*_arguments, **_options):
        raise KeyError("a fault of ours")

    cleaner = PageCleaner(InProcess(shipped_model()), Settings())
    monkeypatch.setattr(tasks, "read_document", fail)
    dead = cleaner.clean(page(7, b"<p>Some words."))
    assert "a fault of ours" in dead.letter.message
    assert "Traceback" not in dead.letter.message
    (message,) = faults(caplog)
    assert "page pages-0-7" in message
    assert "KeyError: 'a fault of ours'" in message
    assert "Traceback" in message


@pytest.mark.parametrize(
    ("module", "unused"),
    [
        ("workers.cli.clean", {"numpy", "lxml", "rocksdict"}),
        ("workers.processes.child", {"pydantic", "rocksdict", "concurrent.futures"}),
    ],
)
def test_a_process_imports_only_what_it_uses(module, unused):
    program = f"import sys, {module}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert not unused & set(done.stdout.decode().split())


ARTICLE = b"<nav><a href=/>Home</a></nav><p>" + b"A sentence of some words, and more. " * 20


def test_children_use_the_page_model_and_records_have_its_version(model_file):
    settings = load_settings(page_model=model_file)
    pool = Pool(settings, children=1)
    model_file.unlink()
    try:
        outcome = PageCleaner(pool, settings).clean(page(1, ARTICLE))
    finally:
        pool.close()
    assert outcome.record.page_model_version == other_page_model().version
    assert outcome.document.page_model_version == other_page_model().version
    assert "Home" in outcome.record.text
    assert 0 < outcome.record.confidence <= 1


def test_without_a_file_the_shipped_model_is_used():
    assert page_model_of(read_model_file(None)) is shipped_model()


def of_one_more_input(network):
    mean, scale = (np.append(one, one[:1]) for one in (network.mean, network.scale))
    first, *others = network.weights
    weights = [np.concatenate([first, first[:1]]), *others]
    return msgspec.structs.replace(network, mean=mean, scale=scale, weights=weights)


def test_a_file_that_is_not_a_page_model_is_reported_in_one_line(tmp_path):
    networks = list(map(of_one_more_input, shipped_model().networks))
    misfit = encode_model(msgspec.structs.replace(shipped_model(), networks=networks))
    (tmp_path / "foreign").write_bytes(b"\x89PNG\r\n\x1a\n")
    (tmp_path / "misfit").write_bytes(misfit)
    said = {"foreign": "not a page model", "misfit": "does not fit", "none": "No such file"}
    for name, words in said.items():
        with pytest.raises(SettingsProblem, match=words) as problem:
            read_model_file(tmp_path / name)
        assert str(tmp_path / name) in str(problem.value)
        assert "\n" not in str(problem.value)
