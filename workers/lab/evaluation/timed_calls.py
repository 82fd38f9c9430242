"""Calls that are timed one after the other; an error in one does not affect the others."""

import time
from collections.abc import Callable, Mapping
from typing import Any

import msgspec


class TimedCall(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one call and its time."""

    value: Any
    """What the call returned; None if it raised an error."""
    seconds: float
    failure: str | None
    """The error in one line, or None."""


def time_calls(calls: Mapping[str, Callable[[], Any]], first: int) -> dict[str, TimedCall]:
    """Run every call, and return its result and time by name.

    Args:
        calls: What to call, by name.
        first: Number of the call that runs first, modulo the number of calls. It should differ
            from page to page, since the first call finds cold caches.
    """
    names = list(calls)
    start = first % max(len(names), 1)
    return {name: _call(calls[name]) for name in names[start:] + names[:start]}


def _call(call: Callable[[], Any]) -> TimedCall:
    began = time.perf_counter()
    value, failure = None, None
    try:
        value = call()
    except Exception as error:  # noqa: BLE001 - other people's code on any page; it is reported
        failure = f"{type(error).__name__}: {error}".splitlines()[0]
    return TimedCall(value=value, seconds=time.perf_counter() - began, failure=failure)
