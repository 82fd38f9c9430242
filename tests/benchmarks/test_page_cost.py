"""Tests that the benchmark runs, on synthetic pages; no time is asserted."""

import pytest

from tests.benchmarks import page_cost
from tests.workers.builders import write_lines
from workers.lab.simulate.feed import FeedSettings, simulate_feed


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "feed.jsonl"
    pages = simulate_feed(FeedSettings(sites=2, pages=4))
    return str(write_lines(path, (page.record() for page in pages)))


def test_every_tool_is_timed_together_with_the_bare_parse(corpus, capsys):
    page_cost.main([corpus, "--pages", "3", "--rounds", "1"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("3 pages")
    assert [line.split()[0] for line in lines[2:]] == [
        "lxml.html", "templ,", "resiliparse", "trafilatura",
    ]  # fmt: skip


def test_stages_and_the_rest_add_up_to_the_page(corpus, capsys, monkeypatch):
    for module, attribute in page_cost.STAGES.values():
        monkeypatch.setattr(f"{module}.{attribute}", page_cost.attribute_of(module, attribute))
    page_cost.main([corpus, "--stages", "--rounds", "1"])
    rows = [line.rsplit(None, 4) for line in capsys.readouterr().out.splitlines()[1:]]
    times_ms = {row[0].strip(): float(row[1]) for row in rows}
    assert set(times_ms) == {"bare parse", *page_cost.STAGES, "the rest", "whole page"}
    parts = sum(times_ms.values()) - times_ms["bare parse"] - times_ms["whole page"]
    assert parts == pytest.approx(times_ms["whole page"], abs=0.02)


def test_memory_is_printed_after_each_pass(corpus, capsys):
    page_cost.main([corpus, "--memory", "--pages", "2"])
    assert capsys.readouterr().out.count("MB resident") == page_cost.MEMORY_PASSES
