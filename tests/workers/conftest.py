import os
import subprocess
import sys
from functools import partial

import pytest

from templ_core.page_level.model.model_file import encode_model
from tests.workers.builders import other_page_model, write_lines
from workers.lab.simulate.feed import FeedSettings, simulate_feed
from workers.processes.pool import Pool
from workers.settings import load_settings


@pytest.fixture(scope="session")
def feed(tmp_path_factory):
    """Path of a file with 60 synthetic pages of three sites."""
    path = tmp_path_factory.mktemp("feed") / "feed.jsonl"
    pages = simulate_feed(FeedSettings(genre="news", sites=3, pages=60, seed=3))
    return write_lines(path, (page.record() for page in pages))


def checked(run):
    """Return a function that runs `templ`, checks its exit code, and returns the finished process."""

    def run_and_check(*arguments, expect=0, stdin=None, **environment):
        done = run(*map(str, arguments), stdin=stdin, environment={**os.environ, **environment})
        message = done.stderr.decode()
        assert "Traceback" not in message
        assert done.returncode == expect, message
        return done

    return run_and_check


@pytest.fixture(scope="session")
def templ(fork_server):
    """Run `templ` in a fork, as `checked` says."""
    return checked(partial(fork_server.run, "workers"))


@pytest.fixture(scope="session")
def templ_process():
    """Run `templ` as its users start it, with all its imports; for one test or two of each command."""

    def run(*arguments, stdin, environment):
        command = [sys.executable, "-m", "workers", *arguments]
        return subprocess.run(
            command, capture_output=True, input=stdin, timeout=280, env=environment, check=False
        )

    return checked(run)


@pytest.fixture(scope="session")
def cleaned(templ, feed, tmp_path_factory):
    """What `templ run` has made of the feed, with segments; the state directory is beside it."""
    folder = tmp_path_factory.mktemp("cleaned")
    out = folder / "out.jsonl"
    templ("run", feed, "--out", out, "--segments", "--state", folder / "state")
    return out


@pytest.fixture(scope="session")
def selected(tmp_path_factory):
    """Path of a file with pages of two sites whose content is named by a selector."""
    path = tmp_path_factory.mktemp("selected") / "pages.jsonl"
    records = [
        {
            "site": site,
            "url": f"http://{site}/{number}",
            "html": f"<body><ul><li><a href=/>Home of {site}</a><li><a href=/a>About</a></ul>"
            f"<div id=main><p>Story {number} has many words of its own.</p></div></body>",
            "gold_selector": "#main",
        }
        for site in ("a.org", "b.org")
        for number in range(3)
    ]
    return write_lines(path, records)


@pytest.fixture(scope="session")
def selected_state(templ, selected, tmp_path_factory):
    """A state directory with what `templ run` has learned of these sites, its output beside it."""
    folder = tmp_path_factory.mktemp("selected-state")
    templ("run", selected, "--out", folder / "out.jsonl", "--state", folder / "state")
    return folder / "state"


@pytest.fixture
def model_file(tmp_path):
    """Path of a file with a page model other than the shipped one."""
    path = tmp_path / "own.bin"
    path.write_bytes(encode_model(other_page_model()))
    return path


@pytest.fixture(scope="module")
def poison_settings():
    """Settings of child processes that fail when a page asks for it, with a deadline of two seconds."""
    return load_settings(
        child_module="tests.workers.poison_child", page_deadline_s=2.0, child_memory_bytes=1 << 30
    )


@pytest.fixture(scope="module")
def forked_children(fork_server):
    """Children of the test process are forked meanwhile."""
    with fork_server.forking_children():
        yield


@pytest.fixture(scope="module")
def poison_pool(poison_settings, forked_children):
    pool = Pool(poison_settings, children=2)
    yield pool
    pool.close()
