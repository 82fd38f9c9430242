"""One event is one line of the log, whatever a feed puts into the names that the line speaks of."""

import io
import logging

import pytest

import workers
from workers.log_lines import escape_log_arguments, one_line

FORGED = "a.org\n2026-11-22 10:00:00 cleaner CRITICAL all is lost\x1b[2J\u2028x"


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
    log.warning("the model of %s could not be fitted: %s (%d)", FORGED, ValueError(FORGED), 7)
    log.warning(f"no arguments, {FORGED}")  # noqa: G004
    first, second = lines()
    escaped = r"a.org\n2026-11-22 10:00:00 cleaner CRITICAL all is lost\x1b[2J\u2028x"
    assert first == f"WARNING the model of {escaped} could not be fitted: {escaped} (7)"
    assert second == f"WARNING no arguments, {escaped}"


def test_the_lines_of_a_traceback_are_indented(lines):
    log = logging.getLogger(workers.LOG_NAME)
    try:
        int(FORGED)
    except ValueError:
        log.exception("a fault of templ itself while %s", "cleaning")
    log.error("a fault of templ itself while %s:\n%s", FORGED, "Traceback:\n  File x\nKeyError")
    found = lines()
    begins = [line for line in found if not line.startswith("    ")]
    assert len(begins) == 2
    assert all(line.startswith("ERROR a fault") for line in begins)
    assert found[-3:] == ["    Traceback:", "      File x", "    KeyError"]


def test_a_handler_escapes_what_libraries_log_and_templs_lines_only_once():
    record = logging.makeLogRecord({"msg": "got %s", "args": (FORGED,)})
    assert escape_log_arguments(record)
    once = record.getMessage()
    assert escape_log_arguments(record)
    assert record.getMessage() == once
    assert "\n" not in once


def test_plain_text_of_any_script_stays_as_it_is():
    assert one_line("https://例え.jp/ä?q=\\n") == "https://例え.jp/ä?q=\\n"
