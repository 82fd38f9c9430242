"""Methods of an object that threads share: a call waits until the call of another thread has ended."""

import functools
from collections.abc import Callable
from threading import RLock
from typing import Concatenate, ParamSpec, Protocol, TypeVar


class Locked(Protocol):
    """An object with a lock."""

    _lock: RLock


_Self = TypeVar("_Self", bound=Locked)
_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


def one_at_a_time(
    method: Callable[Concatenate[_Self, _Arguments], _Result],
) -> Callable[Concatenate[_Self, _Arguments], _Result]:
    """Have a method of an object hold the lock of the object while it runs."""

    @functools.wraps(method)
    def locked(self: _Self, /, *args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
        with self._lock:
            return method(self, *args, **kwargs)

    return locked
