"""Child processes for CPU work, with deadlines and memory limits.

All work of a site goes to the same child. A child that dies is replaced.
"""

import logging
import threading
import zlib
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import suppress
from typing import ParamSpec, TypeVar

import msgspec

from workers.errors import WorkerError
from workers.lru_cache import LruCache
from workers.processes.child_process import (
    ChildLost,
    ChildNotStarted,
    ChildProcess,
    DeadlineExceeded,
)
from workers.processes.messages import (
    MODELS_IN_MEMORY,
    CleanResult,
    CleanTask,
    Failure,
    ModelledTask,
    RefitResult,
    RefitTask,
    Result,
    Task,
    log_fault,
)
from workers.settings import Settings

_ATTEMPTS = 2
"""Attempts at a task whose child dies, is late or lacks memory.

That may be the fault of the machine, or of what the child has done before.
"""
_KILLED_ATTEMPTS = 6
"""Attempts at a task whose child the kernel kills; the task is not the cause, since a child has a memory limit."""
_FIRST_PAUSE_S = 0.5
"""Pause after a child was killed, which doubles each time; the six attempts take 15 seconds."""

_DIED = f"its process was killed {_KILLED_ATTEMPTS} times"
log = logging.getLogger("templ")

P = ParamSpec("P")
T = TypeVar("T")
Modelled = TypeVar("Modelled", bound=ModelledTask)


class _Children:
    """Starts the children of a pool, and one that is ready when another has died.

    A child takes a second of processor time to start; the pages behind one that kills its child would wait for it.
    """

    def __init__(self, settings: Settings, page_model: bytes, *, has_spare: bool) -> None:
        self._settings = settings
        self._page_model = page_model
        self._lock = threading.Lock()
        self._spare: ChildProcess | None = None
        self._is_closed = False
        if has_spare:
            self._start_spare()

    def start(self) -> ChildProcess:
        """Return a new child.

        Raises:
            ChildNotStarted: The machine has no room for another process.
        """
        settings = self._settings
        return ChildProcess(settings.child_module, settings.child_memory_bytes, self._page_model)

    def replace(self) -> ChildProcess:
        """Return a child in place of one that has ended: the spare one, if it has not ended too.

        Raises:
            ChildNotStarted: The machine has no room for another process.
        """
        with self._lock:
            child, self._spare = self._spare, None
            if child is None or not child.is_running():
                if child is not None:
                    child.kill()
                child = self.start()
            self._start_spare()
            return child

    def _start_spare(self) -> None:
        if not self._is_closed:
            with suppress(ChildNotStarted):
                self._spare = self.start()

    def close(self) -> None:
        """End the spare child."""
        with self._lock:
            self._is_closed = True
            if self._spare is not None:
                self._spare.kill()
            self._spare = None


class _Lane:
    """A child process and the thread that talks to it; the tasks of a lane run in order."""

    def __init__(self, children: _Children) -> None:
        self._children = children
        self._child: ChildProcess | None = None
        with suppress(ChildNotStarted):  # the first task tries it again
            self._child = children.start()
        self._encoder = msgspec.msgpack.Encoder()
        self._decoder = msgspec.msgpack.Decoder(Result)
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._sent: LruCache[tuple[str, str], bool] = LruCache(MODELS_IN_MEMORY)
        self.attempts = self.restarts = 0
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="lane")

    def run(self, task: Task, deadline_s: float) -> tuple[Result, int]:
        with self._lock:
            attempt = killed = 0
            while True:
                if self._closing.is_set():
                    raise CancelledError
                attempt += 1
                try:
                    result, is_final = self._attempt(task, deadline_s)
                except ChildLost as lost:
                    killed += 1
                    self._take_killed(lost, killed)
                    if killed < _KILLED_ATTEMPTS:
                        continue
                    result, is_final = Failure("ProcessDied", _DIED, "lost"), True
                if is_final or attempt - killed >= _ATTEMPTS:
                    return result, attempt

    def _take_killed(self, lost: ChildLost, killed: int) -> None:
        """Wait after the kernel has killed a child, which is no fault of its task; more memory may be free then.

        Raises:
            WorkerError: Children are killed while they start, and were the last times.
        """
        self._drop_child()
        self.restarts += 1
        if killed == _KILLED_ATTEMPTS and isinstance(lost, ChildNotStarted):
            raise WorkerError(
                f"a child process {lost}, {killed} times: the machine lacks memory, or may have no further process"
            )
        pause_s = _FIRST_PAUSE_S * 2 ** (killed - 1)
        log.warning(
            "a child process %s; it is tried again in %g s", str(lost) or "was killed", pause_s
        )
        self._closing.wait(pause_s)

    def _attempt(self, task: Task, deadline_s: float) -> tuple[Result, bool]:
        """Return the result of a task, and whether another attempt cannot give a better one.

        Raises:
            ChildLost: The child was killed, which is no fault of the task.
        """
        self.attempts += 1
        if self._child is None:
            self._child = self._children.replace()
        try:
            result = self._ask(self._child, task, deadline_s)
            if not (isinstance(result, Failure) and result.failure == "memory"):
                return result, True
            is_final = _is_tried_later(task)
        except DeadlineExceeded as late:
            # A late fit is tried again when more documents have come; it would hold up all others.
            is_final = isinstance(task, RefitTask) or _is_tried_later(task)
            result = Failure("DeadlineExceeded", str(late), "lost")
        except ChildLost as lost:
            if lost.was_killed:
                raise
            is_final = _is_tried_later(task)
            result = Failure("ProcessDied", "its process died", "lost")
        self._drop_child()
        self.restarts += 1
        return result, is_final

    def _ask(self, child: ChildProcess, task: Task, deadline_s: float) -> Result:
        answer = child.call(self._encoder.encode(self._without_known_models(task)), deadline_s)
        result: Result = self._decoder.decode(answer)
        if isinstance(result, Failure) or (isinstance(result, CleanResult) and result.has_failed):
            self._sent.clear()
        elif isinstance(result, RefitResult) and isinstance(task, RefitTask):
            self._sent.put((task.site, result.version), value=True)
        return result

    def _without_known_models(self, task: Task) -> Task:
        """Return the task without the bytes of the site models that the child has already."""
        if isinstance(task, CleanTask):
            known = [self._without_known_model(page) for page in task.pages]
            return CleanTask(known, task.is_tried_later)
        return self._without_known_model(task) if isinstance(task, ModelledTask) else task

    def _without_known_model(self, task: Modelled) -> Modelled:
        if task.model is None:
            return task
        key = task.model.site, task.model.version
        if self._sent.get(key):
            known = msgspec.structs.replace(task.model, body=b"")
            return msgspec.structs.replace(task, model=known)
        self._sent.put(key, value=True)
        return task

    def _drop_child(self) -> None:
        if self._child is not None:
            self._child.kill()
        self._child = None
        self._sent.clear()

    def forget(self) -> None:
        """End the child, and with it all that it has in memory; the next task starts another one."""
        with self._lock:
            self._drop_child()

    def begin_closing(self) -> None:
        """Begin no further task."""
        self._closing.set()

    def close(self) -> None:
        self.thread.shutdown(cancel_futures=True)
        self._drop_child()


class Pool:
    """Lanes of child processes; all work of one site runs in one lane, in the order of the calls."""

    def __init__(self, settings: Settings, children: int, *, has_spare: bool = False) -> None:
        """Start the children, at least one; a spare one is there from the beginning, or from the first death on.

        Raises:
            SettingsProblem: The page model cannot be used.
        """
        page_model = b""
        if settings.page_model is not None:  # only a model of a user's own is tried here
            from workers.processes.page_model import read_model_file  # noqa: PLC0415 - it imports the core

            page_model = read_model_file(settings.page_model)
        self._children = _Children(settings, page_model, has_spare=has_spare)
        self._lanes = [_Lane(self._children) for _ in range(children)]

    def run(self, site: str, task: Task, deadline_s: float) -> tuple[Result, int]:
        """Return the result of a task and the number of attempts, see `TaskRunner`.

        The call blocks; make it from the site's lane, in a function given to `submit`.

        Raises:
            CancelledError: The pool is being closed.
        """
        result, attempts = self._lane(site).run(task, deadline_s)
        log_fault(f"performing a {type(task).__name__} of {site}", result)
        return result, attempts

    def attempts(self) -> int:
        """Return how often tasks were given to the children."""
        return sum(lane.attempts for lane in self._lanes)

    def restarts(self) -> int:
        """Return how many children were dropped because they died, were late or lacked memory."""
        return sum(lane.restarts for lane in self._lanes)

    def submit(
        self, site: str, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> "Future[T]":
        """Have `work` run on the thread of the site's lane, after what was submitted before."""
        return self._lane(site).thread.submit(work, *args, **kwargs)

    def forget(self, site: str) -> None:
        """End the child of a site's lane, so that nothing of the site stays in its memory.

        The call blocks; make it from the site's lane, in a function given to `submit`.
        """
        self._lane(site).forget()

    def close(self) -> None:
        """Drop work that has not begun, wait for the tasks that the children have, and end them."""
        for lane in self._lanes:
            lane.begin_closing()
        for lane in self._lanes:
            lane.close()
        self._children.close()

    def lane_number(self, site: str) -> int:
        """Return the number of the lane of a site."""
        return zlib.crc32(site.encode()) % len(self._lanes)

    def _lane(self, site: str) -> _Lane:
        return self._lanes[self.lane_number(site)]


def _is_tried_later(task: Task) -> bool:
    """Return whether the pages of a task are tried again later, each by itself, if the task fails."""
    return isinstance(task, CleanTask) and task.is_tried_later
