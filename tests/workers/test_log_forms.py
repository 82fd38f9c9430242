"""A record is one JSON object of one line, or a line for people, whatever its names hold."""

import io
import json
import logging
import os
import socket
import subprocess
import sys
from functools import partial
from multiprocessing.connection import Connection

import pytest

import workers
from schemas.source import Source
from workers.errors import SettingsProblem
from workers.log_forms import LogHandler, LogSetUp, log_formatter
from workers.log_lines import (
    escape_log_arguments,
    lines_about,
    one_line,
    record_fields,
    trace_id_of,
)
from workers.processes import child_start
from workers.settings import load_settings

FORGED = 'a.org\n{"level":"critical"}\x1b[2J\x85\u2028\ud800"é'
ESCAPED = r'a.org\n{"level":"critical"}\x1b[2J\x85\u2028\ud800"é'
TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
PARENT = f"00-{TRACE_ID}-b7ad6b7169203331-01".encode()


@pytest.fixture
def logged(monkeypatch):
    """Return a function that logs with a form, and returns the lines."""

    def log_with(log_format, write, name="templ"):
        monkeypatch.setattr("sys.stderr", io.StringIO())
        log, handler = logging.getLogger(name), LogHandler(LogSetUp("cleaner", log_format))
        log.addHandler(handler)
        write(log)
        log.removeHandler(handler)
        # Not splitlines: a line feed alone ends a line of a log.
        return sys.stderr.getvalue().removesuffix("\n").split("\n")

    return log_with


def fail(log):
    try:
        int(FORGED.replace("\ud800", ""))
    except ValueError:
        log.exception("no number in %s", FORGED)


def test_a_line_of_json_has_its_fields_in_order_and_what_is_known_of_its_page(logged):
    def write(log):
        source, headers = Source("pages", 1, 22), [("traceparent", PARENT)]
        with lines_about(partial(record_fields, source, headers, FORGED)):
            log.warning("bad %s", FORGED)
        log.error("later")

    first, later = map(json.loads, logged("auto", write))
    assert list(first) == [
        "time", "level", "logger", "role", "event",
        "topic", "partition", "offset", "site", "trace_id",
    ]  # fmt: skip
    assert first["time"].endswith("Z")
    assert first["event"] == f"bad {ESCAPED}"
    assert first["site"] == ESCAPED
    assert (first["partition"], first["offset"], first["trace_id"]) == (1, 22, TRACE_ID)
    assert (later["level"], later["logger"], later["role"]) == ("error", "templ", "cleaner")
    assert "site" not in later


def test_an_exception_is_one_field_of_json_and_indented_for_people(logged):
    (line,) = logged("json", fail)
    trace = json.loads(line)["exception"].split("\n")
    assert trace[0] == "Traceback (most recent call last):"
    assert trace[1].startswith('  File "')
    assert trace[-1].startswith("ValueError: invalid literal")
    first, *rest = logged("console", fail)
    assert first.endswith(f"[error    ] no number in {ESCAPED} [templ] role=cleaner")
    assert rest[0] == "    Traceback (most recent call last):"
    assert all(one.startswith("    ") for one in rest)


def test_the_traceback_of_a_child_is_a_field_too(logged):
    said = "a fault of templ itself while %s:\n%s"
    (line,) = logged("json", lambda log: log.error(said, FORGED, "Traceback:\n  File x\nKeyError"))
    fields = json.loads(line)
    assert fields["event"] == f"a fault of templ itself while {ESCAPED}"
    assert fields["exception"] == "Traceback:\n  File x\nKeyError"


@pytest.mark.parametrize("log_format", ["json", "console"])
def test_the_lines_of_libraries_are_escaped_alike(logged, log_format):
    def write(log):
        log.error("several\nlines of %s", FORGED)
        log.warning("no arguments, %(x)s\n")

    lines = logged(log_format, write, "aiokafka.consumer")
    assert len(lines) == 2
    events = [json.loads(one)["event"] if log_format == "json" else one for one in lines]
    assert rf"several\nlines of {ESCAPED}" in events[0]
    assert r"no arguments, %(x)s\n" in events[1]


def test_a_terminal_has_colours_and_auto_means_people_there():
    record = logging.makeLogRecord({"msg": "ready", "levelname": "INFO", "name": "templ"})
    escape_log_arguments(record)
    set_up = LogSetUp("cleaner")
    assert "\x1b[" in log_formatter(set_up, is_terminal=True).format(record)
    assert json.loads(log_formatter(set_up, is_terminal=False).format(record))["event"] == "ready"
    plain = log_formatter(LogSetUp("cleaner", "console"), is_terminal=False).format(record)
    assert plain.endswith("[info     ] ready [templ] role=cleaner")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([PARENT], TRACE_ID),
        ([PARENT, PARENT], None),
        ([PARENT + b"\n"], None),
        ([PARENT.upper()], None),
        ([b"00-" + b"0" * 32 + b"-b7ad6b7169203331-01"], None),
        ([b"\xff" * 55], None),
        ([None], None),
        ([], None),
    ],
)
def test_a_trace_id_comes_of_one_right_header_only(values, expected):
    assert trace_id_of([("traceparent", value) for value in values]) == expected


def run(code, **environment):
    """Return the lines on standard error of a process that has logging set up."""
    begin = "import logging, sys\nfrom workers.log_forms import *\n"
    done = subprocess.run(
        [sys.executable, "-c", begin + code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stderr.splitlines()


def test_levels_are_those_of_single_loggers_and_libraries_are_quieter():
    code = (
        "set_up_logging(LogSetUp('run', log_level='info,aiokafka=debug,templ=error'))\n"
        "for name in ('aiokafka.client', 'mode.worker', 'templ', 'other'):\n"
        "    for level in (10, 20, 30, 40): logging.getLogger(name).log(level, level)\n"
    )
    events = [(one["logger"], one["event"]) for one in map(json.loads, run(code))]
    levels = {"aiokafka.client": "10 20 30 40", "mode.worker": "30 40", "templ": "40"}
    levels["other"] = "20 30 40"
    assert events == [(name, one) for name, several in levels.items() for one in several.split()]


def test_faults_of_threads_and_warnings_are_lines_and_silence_imports_nothing():
    code = (
        "set_up_logging(LogSetUp('cleaner'))\n"
        "import threading, warnings\n"
        "print('structlog' in sys.modules, file=sys.stderr)\n"
        "warnings.warn('old')\n"
        "thread = threading.Thread(target=lambda: 1 / 0)\n"
        "thread.start(), thread.join()\n"
        "{}['key']\n"
    )
    imported, warning, thread, own = run(code)
    assert imported == "False"
    assert json.loads(warning)["logger"] == "py.warnings"
    assert json.loads(thread)["exception"].endswith("ZeroDivisionError: division by zero")
    assert json.loads(own)["exception"].endswith("KeyError: 'key'")


def test_a_child_process_logs_as_its_parent_does(monkeypatch):
    ours, theirs = socket.socketpair()
    code = (
        "import logging, os, sys\n"
        "from workers.processes.child import serve_tasks\n"
        f"sys.argv = ['', '{theirs.fileno()}', str(os.getppid())]\n"
        "serve_tasks()\n"
        "logging.getLogger('templ').warning('quiet')\n"
        "logging.getLogger('templ').error('loud')\n"
    )
    with theirs:
        child = subprocess.Popen(
            [sys.executable, "-c", code], pass_fds=[theirs.fileno()], stderr=subprocess.PIPE
        )
    parent = LogSetUp("cleaner", "console", "error")
    monkeypatch.setattr(child_start, "present_set_up", lambda: parent)
    connection = Connection(ours.detach())
    assert connection.recv_bytes() == b"ready"
    connection.send_bytes(child_start.encode_set_up(1 << 30))
    connection.close()
    (line,) = child.communicate()[1].decode().splitlines()
    assert line.endswith("[error    ] loud [templ] role=cleaner-child")


@pytest.mark.parametrize("value", ["loud", "info,aiokafka", "info,=debug", "info,a=loud"])
def test_a_level_that_does_not_exist_stops_the_start(monkeypatch, value):
    monkeypatch.setenv("TEMPL_LOG_LEVEL", value)
    with pytest.raises(SettingsProblem, match="needs a text, such as `info,aiokafka=debug`"):
        load_settings()


FORGED_LINE = "a.org\n2026-11-22 10:00:00 cleaner CRITICAL all is lost\x1b[2J\u2028x"


@pytest.fixture
def lines():
    """Return a function that ends the log and returns its lines."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
    log = logging.getLogger("templ")
    log.addHandler(handler)
    yield lambda: stream.getvalue().splitlines()
    log.removeHandler(handler)


def test_a_line_feed_in_a_site_makes_no_line_of_its_own(lines):
    log = logging.getLogger(workers.LOG_NAME)
    log.warning(
        "the model of %s could not be fitted: %s (%d)", FORGED_LINE, ValueError(FORGED_LINE), 7
    )
    log.warning(f"no arguments, {FORGED_LINE}")  # noqa: G004
    first, second = lines()
    escaped = r"a.org\n2026-11-22 10:00:00 cleaner CRITICAL all is lost\x1b[2J\u2028x"
    assert first == f"WARNING the model of {escaped} could not be fitted: {escaped} (7)"
    assert second == f"WARNING no arguments, {escaped}"


def test_the_lines_of_a_traceback_are_indented(lines):
    log = logging.getLogger(workers.LOG_NAME)
    try:
        int(FORGED_LINE)
    except ValueError:
        log.exception("a fault of templ itself while %s", "cleaning")
    log.error(
        "a fault of templ itself while %s:\n%s", FORGED_LINE, "Traceback:\n  File x\nKeyError"
    )
    logged_lines = lines()
    begins = [line for line in logged_lines if not line.startswith("    ")]
    assert len(begins) == 2
    assert all(line.startswith("ERROR a fault") for line in begins)
    assert logged_lines[-3:] == ["    Traceback:", "      File x", "    KeyError"]


def test_a_handler_escapes_what_libraries_log_and_templs_lines_only_once():
    record = logging.makeLogRecord({"msg": "got %s", "args": (FORGED_LINE,)})
    assert escape_log_arguments(record)
    once = record.getMessage()
    assert escape_log_arguments(record)
    assert record.getMessage() == once
    assert "\n" not in once


def test_plain_text_of_any_script_stays_as_it_is():
    assert one_line("https://例え.jp/ä?q=\\n") == "https://例え.jp/ä?q=\\n"
