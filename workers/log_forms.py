"""The log of a process: where its lines go, in which form, and from which level on.

structlog is imported with the first line that is written, so a command that logs nothing does not
wait for it.
"""

import logging
import sys
import textwrap
import threading
from collections.abc import MutableMapping
from datetime import UTC, datetime
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Any, Literal, TextIO

import msgspec

from workers.log_lines import escape_log_arguments, one_line, present_fields

if TYPE_CHECKING:
    from structlog.typing import Processor

LogFormat = Literal["auto", "json", "console"]
"""The form of log lines; `auto` is `console` on a terminal and `json` elsewhere."""
_LEVELS = ("debug", "info", "warning", "error", "critical")
_ONE_OF_THEM = f"({'|'.join(_LEVELS)})"
LogLevels = Annotated[
    str,
    msgspec.Meta(
        pattern=rf"^{_ONE_OF_THEM}(,[\w.]+={_ONE_OF_THEM})*$",
        extra={"form": "such as `info,aiokafka=debug`"},
    ),
]
"""The lowest level that is logged, then those of single loggers."""
_LIBRARIES = ("aiokafka", "faust", "mode", "workers")
"""Loggers that say too much below `warning`; mode names the loggers of its services after modules."""
_FIELDS = ("topic", "partition", "offset", "site", "trace_id")
"""Fields that a line has where they are known."""
log = logging.getLogger("templ")


class LogSetUp(msgspec.Struct, frozen=True):
    """How a process logs."""

    role: str
    """What the process is, such as `cleaner`; each line has it."""
    log_format: LogFormat = "auto"
    log_level: LogLevels = "info"


def set_up_logging(set_up: LogSetUp) -> None:
    """Have this process write its log to standard error; a process that has a log keeps it."""
    root = logging.getLogger()
    if root.handlers:
        return
    root.addHandler(LogHandler(set_up))
    levels = dict.fromkeys(_LIBRARIES, "warning")
    least, *others = set_up.log_level.split(",")
    for name in _LIBRARIES:
        levels[name] = max("warning", least, key=_LEVELS.index)
    levels |= dict(level.split("=") for level in others)
    root.setLevel(least.upper())
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level.upper())
    logging.captureWarnings(capture=True)
    sys.excepthook = _log_fault
    threading.excepthook = lambda fault: _log_fault(
        fault.exc_type, fault.exc_value, fault.exc_traceback
    )


def present_set_up() -> LogSetUp | None:
    """Return how this process logs; None where it has no log of ours."""
    handlers = (
        handler for handler in logging.getLogger().handlers if isinstance(handler, LogHandler)
    )
    return next((handler.set_up for handler in handlers), None)


class LogHandler(logging.StreamHandler[TextIO]):
    """Writes each record as one line to what is standard error at that time."""

    def __init__(self, set_up: LogSetUp) -> None:
        super().__init__(sys.stderr)
        self.set_up = set_up

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        if self.formatter is None:
            self.formatter = log_formatter(self.set_up, is_terminal=sys.stderr.isatty())
        escape_log_arguments(record)
        return self.formatter.format(record)

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record; a progress bar puts itself in the place of standard error meanwhile."""
        self.stream = sys.stderr
        super().emit(record)


def log_formatter(set_up: LogSetUp, *, is_terminal: bool) -> logging.Formatter:
    """Return what makes lines of records."""
    from structlog.processors import JSONRenderer  # noqa: PLC0415 - see above
    from structlog.stdlib import ProcessorFormatter  # noqa: PLC0415

    is_json = set_up.log_format == "json" or (set_up.log_format == "auto" and not is_terminal)

    def fields(_logger: object, _method: str, event: MutableMapping[str, Any]) -> dict[str, Any]:
        line = _line_fields(event["_record"], event["event"], set_up.role, indents=not is_json)
        return line | {name: value for name, value in event.items() if name.startswith("_")}

    renderer = JSONRenderer(serializer=_json) if is_json else _console_renderer(colors=is_terminal)
    return ProcessorFormatter(
        foreign_pre_chain=[fields], processors=[ProcessorFormatter.remove_processors_meta, renderer]
    )


def _console_renderer(*, colors: bool) -> "Processor":
    from structlog.dev import ConsoleRenderer, plain_traceback  # noqa: PLC0415

    return ConsoleRenderer(
        colors=colors,
        pad_event_to=0,
        timestamp_key="time",
        sort_keys=False,
        exception_formatter=plain_traceback,
    )


def _line_fields(
    record: logging.LogRecord, message: str, role: str, *, indents: bool
) -> dict[str, Any]:
    """Return the fields of a line in their order; an indented traceback has no line that looks like a record."""
    event, trace = message, ""
    if str(record.msg).endswith("\n%s"):
        event, _, trace = message.partition(":\n")
    at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
    line: dict[str, Any] = {
        "time": at.replace("+00:00", "Z"),
        "level": record.levelname.lower(),
        "logger": record.name,
        "role": role,
        "event": one_line(event),
    }
    known = {**present_fields(), **record.__dict__}
    for name in _FIELDS:
        value = known.get(name)
        if value is not None:
            line[name] = value if isinstance(value, int) else one_line(value)
    trace = "\n".join(text for text in (trace, record.exc_text) if text)
    if trace:
        line["exception"] = trace if indents else textwrap.dedent(trace)
    return line


def _json(line: dict[str, Any], **_options: object) -> str:
    return msgspec.json.encode(line).decode()


def _log_fault(
    kind: type[BaseException], fault: BaseException | None, trace: TracebackType | None
) -> None:
    """Log an uncaught exception, which Python would print in many lines."""
    if fault is not None:
        log.critical("a fault of templ itself", exc_info=(kind, fault, trace))
