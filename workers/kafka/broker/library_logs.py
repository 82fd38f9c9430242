"""The log lines of client libraries, without those that are too frequent, too long or repeated."""

import logging
import time
from asyncio import CancelledError
from collections.abc import Callable
from contextvars import ContextVar

from aiokafka.errors import GroupCoordinatorNotAvailableError, KafkaError

_MESSAGES = 512
"""Different messages that are remembered."""


_NO_PROBLEM = (
    # mode looks at the consumer's thread itself, and a busy machine is late without harm. The
    # probes and the watchdog look at the same thread, and say when it hangs.
    "Thread keepalive is not responding",
    # faust counts rebalances for sensors, and this worker has none.
    "Missing sensor state for rebalance",
    # A commit took longer than the time between two commits; the next one follows it.
    "Timer %s is overlapping",
    # A worker came or went, and the group rebalances.
    "because it is rebalancing",
    # A broker that was started again does not know its members, so they join again.
    "local member_id was not recognized",
)
"""Parts of harmless messages that libraries log as warnings or errors."""

IS_SILENT = ContextVar("IS_SILENT", default=False)
"""Whether the clients of the present task log nothing; other tasks log as usual."""


class RepeatedMessageFilter(logging.Filter):
    """Passes a message of a library once in a number of seconds, and templ's own messages always."""

    def __init__(self, after_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        """Remember no message yet; `after_s` seconds later it is passed again."""
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


def is_problem(record: logging.LogRecord) -> bool:
    """Return whether a record is to be logged: false for what is harmless, whatever its level."""
    if record.name == "templ":
        return True
    # A new broker is creating its topic of offsets; it is asked again until the topic is there.
    if isinstance(record.args, tuple) and any(
        isinstance(argument, GroupCoordinatorNotAvailableError) for argument in record.args
    ):
        return False
    return not any(part in str(record.msg) for part in _NO_PROBLEM)


def without_expected_traceback(record: logging.LogRecord) -> bool:
    """Remove the traceback of a broker that is away, or of a stop, from a record; return True."""
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, (KafkaError, CancelledError)):
        record.exc_info = None
    return True


def _has_log(_record: logging.LogRecord) -> bool:
    return not IS_SILENT.get()


for _name in ("aiokafka", "aiokafka.admin.client", "aiokafka.cluster", "aiokafka.conn"):
    logging.getLogger(_name).addFilter(_has_log)
