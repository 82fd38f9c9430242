"""Calls in turn, each timed; one that raises costs the others nothing."""

import time
from collections.abc import Callable, Mapping
from typing import Any

import msgspec


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """What one call gave."""

    value: Any
    """None where it raised."""
    seconds: float
    failure: str | None
    """What it raised, in one line."""


def take_turns(calls: Mapping[str, Callable[[], Any]], first: int) -> dict[str, Turn]:
    """What every call gives, by name.

    Args:
        calls: What to call, by name.
        first: Which of them begins, modulo their number: who comes first finds cold caches.
    """
    names = list(calls)
    start = first % max(len(names), 1)
    return {name: _call(calls[name]) for name in names[start:] + names[:start]}


def _call(call: Callable[[], Any]) -> Turn:
    began = time.perf_counter()
    value, failure = None, None
    try:
        value = call()
    except Exception as error:  # noqa: BLE001 - other people's code on any page; it is reported
        failure = f"{type(error).__name__}: {error}".splitlines()[0]
    return Turn(value=value, seconds=time.perf_counter() - began, failure=failure)
