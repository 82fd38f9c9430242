"""The lock of a cleaner that threads share, which a fork beside them leaves in order.

A child process that is forked has only the thread that has forked it. A lock that another thread holds at that moment
is never released there, and what that thread was changing stays half changed. So a fork waits until the calls
that run have ended, and holds up new ones meanwhile.
"""

import os
import threading
from types import TracebackType
from weakref import WeakSet

_GATE = threading.Lock()
"""Held by a fork; a call passes it before it begins, so that a fork does not wait forever."""
_held: list["CallLock"] = []
"""The locks that the present fork holds."""


class CallLock:
    """Lets one thread after the other in; the thread that is in may enter again."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        with _GATE:
            _LOCKS.add(self)

    def __enter__(self) -> None:
        """Wait until the thread that is in has left."""
        with _GATE:
            pass
        self._lock.acquire()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Leave."""
        self._lock.release()

    def hold(self) -> None:
        """Wait until the thread that is in has left, even while a fork holds up others."""
        self._lock.acquire()


_LOCKS: WeakSet[CallLock] = WeakSet()


def _before_fork() -> None:
    _GATE.acquire()
    _held.extend(_LOCKS)
    for lock in _held:
        lock.hold()


def _after_fork() -> None:
    while _held:
        _held.pop().__exit__(None, None, None)
    _GATE.release()


os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
