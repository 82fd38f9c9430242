"""Child processes of the laboratory start anew, whatever threads their parent has."""

import multiprocessing
import os
import threading

import pytest

from workers.lab.job_processes import map_in_processes


def place(number, factor):
    return number * factor, os.getpid(), multiprocessing.get_start_method(allow_none=True)


@pytest.mark.parametrize("jobs", [1, 2])
def test_rows_come_in_order_and_several_jobs_are_spawned_processes(jobs):
    ended = threading.Event()
    thread = threading.Thread(target=ended.wait)
    thread.start()
    try:
        found = list(map_in_processes(jobs, place, range(4), [10] * 4))
    finally:
        ended.set()
        thread.join()
    assert [one[0] for one in found] == [0, 10, 20, 30]
    assert (os.getpid() in {one[1] for one in found}) == (jobs == 1)
    assert jobs == 1 or {one[2] for one in found} == {"spawn"}
