"""A child process that answers one message after another, each within a deadline.

Deadlines are in processor time: a busy or paused machine makes no task late.
"""

import ctypes
import os
import signal
import subprocess
import time
from contextlib import suppress
from multiprocessing.connection import Connection

from workers.child_program import start_program
from workers.errors import WorkerError
from workers.processes.child_start import encode_set_up

CHECK_S = 0.1
"""Time between two checks of a child that has not answered yet, in seconds."""
_MOVED_S = 0.0005
"""Processor time between two checks from which on a child counts as working, in seconds.

A scheduler gives a process that can run more than this at once, and a child that only waits uses less.
"""
_LIBC = ctypes.CDLL(None, use_errno=True)
_END_S = 1.0
"""Longest time that a process takes to end once its connection is closed, in seconds."""
_START_LIMIT_S = 60.0
"""Longest processor time that a child may take to start, in seconds."""


class DeadlineExceeded(Exception):
    """The error that a child took too long; the message says in what way."""


class Deadline:
    """Decides from the processor time of a child whether its task takes too long.

    It counts checks and never reads the wall clock. So a machine that was paused between two checks,
    or gave its time to others, costs a task nothing.
    """

    def __init__(self, limit_s: float, processor_s: float) -> None:
        """Begin a task of a child that has used `processor_s` before.

        `limit_s` is the longest processor time of the task, and the longest time for which the child may use no
        processor.
        """
        self._limit_s = limit_s
        self._begun_s = self._last_s = processor_s
        self._idle_checks = 0

    def check(self, processor_s: float) -> None:
        """Take note of the processor time of a child that gave no answer for `CHECK_S`.

        Raises:
            DeadlineExceeded: The task has used too much processor time, or none for too long.
        """
        if processor_s - self._begun_s >= self._limit_s:
            raise DeadlineExceeded(f"no result within {self._limit_s:g} s of processor time")
        is_idle = processor_s - self._last_s < _MOVED_S
        self._idle_checks = self._idle_checks + 1 if is_idle else 0
        self._last_s = processor_s
        if self._idle_checks * CHECK_S >= self._limit_s:
            raise DeadlineExceeded(f"no result, and no work on one for {self._limit_s:g} s")


def processor_clock(pid: int) -> int:
    """Return the clock of a process's processor time for `time.clock_gettime`, which gives seconds.

    Raises:
        OSError: There is no such process.
    """
    clock = ctypes.c_int()
    error = _LIBC.clock_getcpuclockid(pid, ctypes.byref(clock))
    if error:
        raise OSError(error, os.strerror(error))
    return clock.value


class ChildLost(Exception):
    """The error that a child has ended instead of answering."""

    was_killed = False
    """Whether a signal has killed it, most probably by the kernel because memory was short; no task causes that."""


class ChildNotStarted(ChildLost):
    """The error that a child was killed while it started, or that the machine has no room for one."""

    was_killed = True


class ChildProcess:
    """A child process and the connection to it; for one thread at a time."""

    def __init__(self, module: str, memory_bytes: int, first_message: bytes | None = None) -> None:
        """Start a child that runs a module, or take over one that was started ahead, without waiting for it.

        The module begins with `child_start.connect_to_parent`. The first message is sent before anything that the child answers.

        Raises:
            ChildNotStarted: The machine has no room for another process.
        """
        try:
            self._process, connection = start_program(module)
        except OSError as error:
            raise ChildNotStarted(f"cannot be started: {error.strerror}") from None
        self._clock = processor_clock(self._process.pid)
        self._connection = Connection(connection.detach())
        self._ready = False
        self._first_messages = [encode_set_up(memory_bytes)]
        if first_message is not None:
            self._first_messages.append(first_message)
        self._module = module

    def call(self, message: bytes, deadline_s: float) -> bytes:
        """Return the child's answer to a message, within a deadline that begins when the child has started.

        Raises:
            DeadlineExceeded: The child did not answer in time.
            ChildLost: The child has ended; `ChildNotStarted` where it was killed before it began.
            WorkerError: The child did not start, and would not the next time.
        """
        try:
            self._wait_until_ready()
            self._connection.send_bytes(message)
            return self._answer(deadline_s)
        except (EOFError, OSError):
            lost = ChildLost()
            lost.was_killed = self._exit_code() == -signal.SIGKILL
            raise lost from None

    def _exit_code(self) -> int | None:
        """Return the exit code of a child that has closed its connection; None if it still runs."""
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(_END_S)
        return None

    def _answer(self, limit_s: float) -> bytes:
        deadline = Deadline(limit_s, time.clock_gettime(self._clock))
        while not self._connection.poll(CHECK_S):
            deadline.check(time.clock_gettime(self._clock))
        return self._connection.recv_bytes()

    def _wait_until_ready(self) -> None:
        if self._ready:
            return
        with suppress(EOFError, OSError, DeadlineExceeded):
            self._ready = bool(self._answer(_START_LIMIT_S))
        if not self._ready:
            code = self._exit_code()
            if code is not None and code < 0:
                raise ChildNotStarted(
                    f"was killed by {signal.Signals(-code).name} while it started"
                )
            raise WorkerError(
                f"a child process did not start (python -m {self._module}); see its messages above"
            )
        for message in self._first_messages:
            self._connection.send_bytes(message)

    def is_running(self) -> bool:
        """Return whether the child has not ended."""
        return self._process.poll() is None

    def kill(self) -> None:
        """End the child at once."""
        self._process.kill()
        self._process.wait()
        self._connection.close()
