"""Pages that are cleaned at once become what they become one by one."""

import pytest

from schemas.codec import encode_json
from templ_core.page_level.model.model_file import shipped_model
from tests.kafka.small_feed import write_small_feed
from workers.feeds.files import read_feed
from workers.feeds.reading import Reading
from workers.lab.in_process import InProcess
from workers.local.local_state import LocalState
from workers.local.runner import Stream
from workers.pipeline.actions import Dead
from workers.processes.messages import PAGES_AT_ONCE, CleanTask
from workers.settings import load_settings

SETTINGS = load_settings(changes=True, quality=True, site_events=True)


class Spy(InProcess):
    """Performs tasks, and remembers how many pages each had that was to clean some."""

    def __init__(self):
        super().__init__(shipped_model())
        self.sizes = []

    def run(self, site, task, deadline_s):
        if isinstance(task, CleanTask):
            self.sizes.append(len(task.pages))
        return super().run(site, task, deadline_s)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Pages of two sites that come again, go, and get another design halfway."""
    folder = tmp_path_factory.mktemp("feeds")
    shares = {"again_share": 0.1, "gone_share": 0.05}
    feeds = [
        write_small_feed(folder / f"{seed}.jsonl", pages=120, sites=2, seed=seed, **shares)
        for seed in (1, 2)
    ]
    return list(read_feed(feeds, Reading()))


def processed(pages, at_once):
    """All that a worker says of pages, so many at once, and the sizes of its tasks."""
    runner = Spy()
    stream = Stream(LocalState(None, SETTINGS), runner, SETTINGS, revises=True)
    said = []
    for first in range(0, len(pages), at_once):
        for outcome, following in stream.process_pages(pages[first : first + at_once]):
            assert not isinstance(outcome, Dead)
            said += [encode_json(one) for one in (outcome.record, *following)]
    return said, runner.sizes


def test_pages_at_once_become_what_they_become_one_by_one(pages):
    one_by_one, single = processed(pages, 1)
    at_once, sizes = processed(pages, PAGES_AT_ONCE)
    assert at_once == one_by_one
    assert set(single) == {1}
    assert max(sizes) == PAGES_AT_ONCE
    # The model of a site is fitted earlier than foreseen when its design changes.
    assert sum(single) < sum(sizes) < 1.1 * sum(single)
    assert len(sizes) < len(single) / 2
