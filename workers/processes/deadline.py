"""Deadlines in processor time: a busy or paused machine makes no task late."""

import ctypes
import os
import time

LOOK_S = 0.1
"""Time between two looks at a child that has not answered yet, in seconds."""
_MOVED_S = 0.0005
"""Processor time between two looks from which on a child counts as working, in seconds.

A scheduler gives a process that can run more than this at once, and a child that only waits uses less.
"""
_LIBC = ctypes.CDLL(None, use_errno=True)


class DeadlineExceeded(Exception):
    """The error that a child took too long; the message says in what way."""


class Deadline:
    """Decides from looks at the processor time of a child whether its task takes too long.

    Only looks are counted, never the clock on the wall. So a machine that was paused between two looks,
    or gave its time to others, costs a task nothing.
    """

    def __init__(self, limit_s: float, processor_s: float) -> None:
        """Begin a task.

        Args:
            limit_s: Longest processor time of the task, and longest time for which the child may use
                no processor, in seconds.
            processor_s: Processor time that the child has used so far, in seconds.
        """
        self._limit_s = limit_s
        self._begun_s = self._last_s = processor_s
        self._idle_looks = 0

    def look(self, processor_s: float) -> None:
        """Take note of a child that gave no answer for `LOOK_S`.

        Args:
            processor_s: Processor time that the child has used so far, in seconds.

        Raises:
            DeadlineExceeded: The task has used too much processor time, or none for too long.
        """
        if processor_s - self._begun_s >= self._limit_s:
            raise DeadlineExceeded(f"no result within {self._limit_s:g} s of processor time")
        is_idle = processor_s - self._last_s < _MOVED_S
        self._idle_looks = self._idle_looks + 1 if is_idle else 0
        self._last_s = processor_s
        if self._idle_looks * LOOK_S >= self._limit_s:
            raise DeadlineExceeded(f"no result, and no work on one for {self._limit_s:g} s")


def processor_clock(pid: int) -> int:
    """Return the clock of a process's processor time for `time.clock_gettime`.

    Raises:
        OSError: There is no such process.
    """
    clock = ctypes.c_int()
    error = _LIBC.clock_getcpuclockid(pid, ctypes.byref(clock))
    if error:
        raise OSError(error, os.strerror(error))
    return clock.value


def processor_s(clock: int) -> float:
    """Return the processor time that the process of a clock has used, in seconds."""
    return time.clock_gettime(clock)
