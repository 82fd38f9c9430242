"""Texts of log lines and messages that stay on one line, whatever names a feed has."""

import logging
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from schemas.source import Source

from templ_core.patterns import pattern

_CONTROL = pattern("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Characters that begin a line, command a terminal, or cannot be written."""
_INDENT = "    "
_TRACE_PARENT = pattern(rb"00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")
"""The header `traceparent` of W3C Trace Context, version 00."""

Fields = Mapping[str, object]
"""The fields of a log line beside its message."""
_about: ContextVar[Callable[[], Fields] | None] = ContextVar("about", default=None)
"""Returns the fields of the page that this thread works on; None while it works on none."""


def one_line(text: object) -> str:
    """Return text with its control characters escaped as in Python, so that it is one line."""
    return _CONTROL.sub(lambda found: ascii(found[0])[1:-1], str(text))


def counted(count: int, noun: str) -> str:
    """Return a number with its noun, which takes an s in the plural.

    >>> counted(1, "page"), counted(2, "page")
    ('1 page', '2 pages')
    """
    return f"{count} {noun}{'' if count == 1 else 's'}"


def escape_log_arguments(record: logging.LogRecord) -> bool:
    """Escape what a message was filled with, and indent the lines of a traceback; return that the record passes.

    A page or a site may have any name, so without this filter a feed could write lines of the log that
    look like those of a worker. An argument after a line feed in the message is a traceback, whose lines stay lines.
    """
    if record.__dict__.setdefault("is_escaped", False):
        return True
    record.is_escaped = True
    if isinstance(record.args, tuple) and record.args:
        *names, last = record.args
        is_traceback = str(record.msg).endswith("\n%s")
        record.args = (*map(_escaped, names), _indented(last) if is_traceback else _escaped(last))
    elif not record.args:
        record.msg = one_line(record.msg)
    if record.exc_info and record.exc_info[0] is not None:
        record.exc_text = _indented("".join(traceback.format_exception(*record.exc_info)))
    return True


def record_fields(
    place: "Source", headers: Iterable[tuple[str, bytes | None]] = (), site: str | None = None
) -> Fields:
    """Return the fields of a log line about a record."""
    fields = {
        "topic": place.topic,
        "partition": place.partition,
        "offset": place.offset,
        "site": site,
        "trace_id": trace_id_of(headers),
    }
    return {name: value for name, value in fields.items() if value is not None}


def trace_id_of(headers: Iterable[tuple[str, bytes | None]]) -> str | None:
    """Return the trace id in the header `traceparent`; None without one that can be read.

    >>> trace_id_of([("traceparent", b"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")])
    '0af7651916cd43dd8448eb211c80319c'
    >>> trace_id_of([("traceparent", b"nonsense")])
    """
    values = [value for name, value in headers if name == "traceparent"]
    match = _TRACE_PARENT.fullmatch(values[0] or b"") if len(values) == 1 else None
    return match[1].decode() if match else None


@contextmanager
def lines_about(fields: Callable[[], Fields]) -> Iterator[None]:
    """Give the lines that this thread logs meanwhile these fields, which are asked for with each line."""
    token = _about.set(fields)
    try:
        yield
    finally:
        _about.reset(token)


def present_fields() -> Fields:
    """Return the fields of the page that this thread works on; none while it works on none."""
    fields = _about.get()
    return fields() if fields is not None else {}


def _escaped(value: object) -> object:
    return value if isinstance(value, int | float) else one_line(value)


def _indented(text: object) -> str:
    return "\n".join(_INDENT + one_line(line) for line in str(text).rstrip().split("\n"))
