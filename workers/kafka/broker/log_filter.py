"""Clients that cannot reach the broker say so many times a second; once in a while is enough."""

import logging
import time
from collections.abc import Callable

_MESSAGES = 512


class RepeatedMessageFilter(logging.Filter):
    """Lets a message of a library through once in so many seconds; ours always."""

    def __init__(self, after_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._after_s = after_s
        self._clock = clock
        self._said_at: dict[tuple[str, str], float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is to be written."""
        if record.name == "templ":
            return True
        key, now = (record.name, str(record.msg)), self._clock()
        said_at = self._said_at.get(key)
        if said_at is not None and now - said_at < self._after_s:
            return False
        if len(self._said_at) >= _MESSAGES:
            self._said_at.clear()
        self._said_at[key] = now
        return True
