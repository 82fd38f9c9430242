"""Log filters for what client libraries say too often, or at too great length."""

import logging
import time
from asyncio import CancelledError
from collections.abc import Callable

from aiokafka.errors import KafkaError

_MESSAGES = 512
"""Different messages that are remembered."""


class RepeatedMessageFilter(logging.Filter):
    """Passes a message of a library once in a number of seconds, and templ's own messages always."""

    def __init__(self, after_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        """Remember no message yet.

        Args:
            after_s: Seconds until a message is passed again.
            clock: Returns the present time in seconds.
        """
        super().__init__()
        self._after_s = after_s
        self._clock = clock
        self._logged_at: dict[tuple[str, str], float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the record is to be logged."""
        if record.name == "templ":
            return True
        key, now = (record.name, str(record.msg)), self._clock()
        logged_at = self._logged_at.get(key)
        if logged_at is not None and now - logged_at < self._after_s:
            return False
        if len(self._logged_at) >= _MESSAGES:
            self._logged_at.clear()
        self._logged_at[key] = now
        return True


def without_expected_traceback(record: logging.LogRecord) -> bool:
    """Remove the traceback of a broker that is away, or of a stop, from a record; return True."""
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, (KafkaError, CancelledError)):
        record.exc_info = None
    return True
