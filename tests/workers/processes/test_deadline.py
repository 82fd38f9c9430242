"""A task is late by the processor time of its child, never by the clock on the wall."""

import os
import signal
import threading
import time

import msgspec
import psutil
import pytest

from tests.workers.builders import page
from workers.pipeline.actions import Dead
from workers.pipeline.site_engine import SiteEngine
from workers.processes.deadline import (
    LOOK_S,
    Deadline,
    DeadlineExceeded,
    processor_clock,
    processor_s,
)
from workers.processes.messages import Cleaned
from workers.processes.pool import Pool

GOOD = b"<html><title>T</title><body><p>" + b"A sentence of some words, and more. " * 20
LOOKS = round(2.0 / LOOK_S)


def looks_until_late(deadline, processor_times):
    """How many looks pass before the task counts as late, and why; None = it never does."""
    for number, used_s in enumerate(processor_times, 1):
        try:
            deadline.look(used_s)
        except DeadlineExceeded as late:
            return number, str(late)
    return None


def test_a_task_that_works_is_late_by_its_processor_time():
    busy = (10 + LOOK_S * number for number in range(1, 1000))
    number, reason = looks_until_late(Deadline(2.0, 10.0), busy)
    assert number in {LOOKS, LOOKS + 1}
    assert reason == "no result within 2 s of processor time"


def test_a_task_that_stands_still_is_late_by_the_number_of_looks():
    number, reason = looks_until_late(Deadline(2.0, 0.0), (0.0 for _ in range(1000)))
    assert number == LOOKS
    assert "no work on one for 2 s" in reason


def test_a_child_that_rarely_gets_a_processor_is_not_late():
    starved = (0.001 * (number // (LOOKS - 1)) for number in range(1, 1000))
    assert looks_until_late(Deadline(2.0, 0.0), starved) is None


def test_the_processor_time_of_a_process_is_its_own():
    clock = processor_clock(os.getpid())
    before = processor_s(clock)
    assert before == pytest.approx(time.process_time(), abs=1.0)
    sum(range(10**6))
    assert processor_s(clock) > before
    with pytest.raises(OSError, match="process"):
        processor_clock(2**22 + 1)


def clean_while(pool, settings, body, disturb):
    """Clean a page while a disturbance runs that begins with the page."""
    thread = threading.Thread(target=disturb)
    thread.start()
    outcome = SiteEngine(pool, settings).clean(page(1, body))
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
    outcome = SiteEngine(pool, settings).clean(page(1, GOOD + b"POISON-HANG"))
    pool.close()
    assert isinstance(outcome, Dead)
    assert outcome.letter.attempts == 2
    assert outcome.letter.message == "no result, and no work on one for 0.3 s"
