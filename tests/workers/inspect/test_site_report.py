import json
import signal
import subprocess
import sys
import time

import html5lib
import msgspec
import pytest

from tests.workers.builders import write_lines
from workers.inspect.site_report import site_figures, site_report, site_text
from workers.inspect.site_view import CleaningVariant, view_site
from workers.lab.simulate.feed import FeedSettings, simulate_feed
from workers.settings import load_settings
from workers.state.site_copy import copied_sites, copy_site


@pytest.fixture(scope="module")
def site(feed):
    """The site of the first page of the feed."""
    return json.loads(feed.read_text().splitlines()[0])["site"]


def test_figures_are_those_of_the_window(state, site, feed):
    view = view_site(state, site, load_settings())
    figures = site_figures(view, CleaningVariant.of(load_settings()))
    urls = {
        one["url"] for one in map(json.loads, feed.read_text().splitlines()) if one["site"] == site
    }
    assert {one["url"] for one in figures.fit_over_time} <= urls
    assert figures.window_pages == view.state.pages == len(view.window)
    assert figures.documents == view.record.documents
    assert sum(one["pages"] for one in figures.refreshes) == figures.window_pages
    assert sum(one["pages"] for one in figures.learning_curve) == figures.cleaned_pages
    assert figures.learning_curve[-1]["word_f1"] > 0.9
    assert sum(one.pages for one in figures.kinds) == figures.cleaned_pages
    assert figures.kinds[0].pages >= 2
    assert figures.kinds[0].template
    assert figures.string_count >= len(figures.strings) > 0
    assert 0 <= figures.repeated_ratio < 0.05


def test_the_report_has_everything_and_fetches_nothing(templ_process, state, site, tmp_path):
    out = tmp_path / "site.html"
    done = templ_process("inspect", "site", site, "--state", state, "--out", out)
    text = done.stdout.decode()
    given = json.loads(templ_process("inspect", "site", site, "--state", state, "--json").stdout)
    assert given["site"] == site
    assert {"kinds", "strings", "fit_over_time", "learning_curve"} <= given.keys()
    assert text.startswith(site)
    assert "strings" in text
    report = out.read_text()
    for title in (
        "Fit over time", "Learning curve", "Containers", "Repeated strings",
        "History of refreshes", "Kind of page 1",
    ):  # fmt: skip
        assert f"<h2>{title}" in report
    tree = html5lib.parse(report, namespaceHTMLElements=False)
    assert len([one for one in tree.iter() if str(one.tag).endswith("svg")]) >= 2
    tags = {str(one.tag).rpartition("}")[2] for one in tree.iter()}
    assert not tags & {"script", "img", "link", "iframe", "object", "form"}
    assert "http-equiv" in report


def test_a_redesign_is_marked(state, site):
    view = view_site(state, site, load_settings())
    figures = site_figures(view, CleaningVariant.of(load_settings()))
    middle = figures.fit_over_time[len(figures.fit_over_time) // 2]["time_ms"]
    figures = msgspec.structs.replace(figures, redesign_time_ms=middle)
    assert "The design changed." in site_report(figures)
    assert "the design changed at" in site_text(figures)


def test_a_state_directory_is_read_while_a_worker_uses_it(tmp_path):
    """Copies are made all the while; a killed run leaves a state that goes on as if nobody had looked."""
    feed, state = tmp_path / "feed.jsonl", tmp_path / "state"
    pages = list(simulate_feed(FeedSettings(genre="news", sites=4, pages=240, seed=8)))
    write_lines(feed, (one.record() for one in pages))
    command = [
        sys.executable, "-m", "workers", "run", feed, "--out", tmp_path / "out.jsonl", "--force",
        "--state", state,
    ]  # fmt: skip
    settings, copies = load_settings(), 0
    for kills in range(3):
        worker = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        try:
            until = time.monotonic() + 60
            while worker.poll() is None and time.monotonic() < until:
                if not list(state.glob("windows-*/CURRENT")):
                    time.sleep(0.05)
                    continue
                for site in copied_sites(state):
                    copy = copy_site(state, site, settings)
                    if copy.windows is not None and copy.models.get(site) is not None:
                        documents = list(copy.windows.window(site))
                        assert len(documents) == copy.windows.site_state(site).pages
                        copies += 1
                if copies > 20 * (kills + 1):
                    break
        finally:
            worker.send_signal(signal.SIGKILL)
            worker.wait()
    assert copies > 20
    pages_of_sites = []
    for folder in (state, tmp_path / "undisturbed"):
        done = subprocess.run(
            [*command[:-1], folder], capture_output=True, timeout=110, check=False
        )
        assert done.returncode == 0, done.stderr
        pages_of_sites.append({site: one.pages for site, one in copied_sites(folder).items()})
    assert pages_of_sites[0] == pages_of_sites[1]
