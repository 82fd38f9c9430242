"""Log messages of one line each, whatever a feed puts into the names that they speak of."""

import logging
import re
import traceback

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Characters that begin a line, command a terminal, or cannot be written."""
_INDENT = "    "


def one_line(text: object) -> str:
    """Return text with its control characters escaped as in Python, so that it is one line."""
    return _CONTROL.sub(lambda found: ascii(found[0])[1:-1], str(text))


def escape_log_arguments(record: logging.LogRecord) -> bool:
    """Escape what a message was filled with, and indent the lines of a traceback.

    A page or a site may have any name, so without this a feed could write lines of the log that
    look like those of a worker. It is a filter that passes every record.

    Args:
        record: The record, which is changed. An argument after a line feed in the message is a
            traceback, whose lines stay lines.
    """
    if record.__dict__.setdefault("is_escaped", False):
        return True
    record.is_escaped = True
    if isinstance(record.args, tuple) and record.args:
        *names, last = record.args
        is_traceback = record.msg.endswith("\n%s")
        record.args = (*map(_escaped, names), _indented(last) if is_traceback else _escaped(last))
    elif not record.args:
        record.msg = one_line(record.msg)
    if record.exc_info and record.exc_info[0] is not None:
        record.exc_text = _indented("".join(traceback.format_exception(*record.exc_info)))
    return True


def set_up_logging(process: str) -> None:
    """Have this process write log lines that begin with the time and its name, from INFO on."""
    logging.basicConfig(
        level=logging.INFO, format=f"%(asctime)s {process} %(levelname)s %(message)s"
    )


def _escaped(value: object) -> object:
    return value if isinstance(value, int | float) else one_line(value)


def _indented(text: object) -> str:
    return "\n".join(_INDENT + one_line(line) for line in str(text).rstrip().split("\n"))
