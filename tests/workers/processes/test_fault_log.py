"""A fault of templ itself is logged with its whole traceback, and a refused page is not."""

import logging

from templ_core.page_level.model.model_file import shipped_model
from tests.workers.builders import page
from workers.pipeline.site_engine import SiteEngine
from workers.processes import tasks
from workers.settings import Settings


def faults(caplog):
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]


def test_a_fault_in_a_child_is_logged_once_with_the_source_of_its_page(
    poison_pool, poison_settings, caplog
):
    cleaner = SiteEngine(poison_pool, poison_settings)
    cleaner.clean(page(7, b"<p>Some words. POISON-RAISE"))
    (message,) = faults(caplog)
    assert "page pages-0-7" in message
    assert "Traceback (most recent call last)" in message
    assert "in read_or_fail" in message
    assert "ValueError: bad page" in message


def test_a_refused_page_logs_no_traceback(poison_pool, poison_settings, caplog):
    cleaner = SiteEngine(poison_pool, poison_settings)
    for number, body in enumerate((b"", b"%PDF-1.4 \xe2\xe3\xcf\xd3", b"<p>POISON-KILL")):
        cleaner.clean(page(number, body))
    assert faults(caplog) == []


def test_a_fault_in_this_process_is_logged_with_the_source_of_its_page(monkeypatch, caplog):
    def fail(*_arguments, **_options):
        raise KeyError("a fault of ours")

    cleaner = SiteEngine(tasks.InProcess(shipped_model()), Settings())
    monkeypatch.setattr(tasks, "read_document", fail)
    dead = cleaner.clean(page(7, b"<p>Some words."))
    assert "a fault of ours" in dead.letter.message
    assert "Traceback" not in dead.letter.message
    (message,) = faults(caplog)
    assert "page pages-0-7" in message
    assert "KeyError: 'a fault of ours'" in message
    assert "Traceback" in message
