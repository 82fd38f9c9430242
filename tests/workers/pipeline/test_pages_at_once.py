"""Pages that are cleaned at once become what they become one by one."""

from types import SimpleNamespace

import msgspec
import pytest

from schemas.codec import encode_json
from templ_core.page_level.model.model_file import shipped_model
from tests.kafka.small_feed import write_small_feed
from workers.feeds.files import read_feed
from workers.feeds.reading import Reading
from workers.lab.in_process import InProcess
from workers.local import runner
from workers.local.local_state import LocalState
from workers.local.runner import LearningCleaner, LocalWorker
from workers.pipeline.actions import Dead
from workers.processes.messages import PAGES_AT_ONCE, CleanTask
from workers.settings import load_settings

OPTIONS = {"quality": True, "observed": True}
SMALL_WINDOWS = {"window_pages_max": 12, "window_newest_pages": 4, "window_floor_pages": 4}


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
        for seed in (3, 4)
    ]
    return list(read_feed(feeds, Reading()))


def processed(pages, settings, at_once):
    """All that a worker says of pages, so many at once, and the sizes of its tasks."""
    spy = Spy()
    stream = LearningCleaner(LocalState(None, settings), spy, settings, revises=True)
    said = []
    for first in range(0, len(pages), at_once):
        for outcome, following in stream.process_pages(pages[first : first + at_once]):
            assert not isinstance(outcome, Dead)
            said += [encode_json(one) for one in (outcome.record, *following)]
    return said, spy.sizes


@pytest.mark.parametrize("bounds", [{}, SMALL_WINDOWS], ids=["growing", "full"])
def test_pages_at_once_become_what_they_become_one_by_one(pages, bounds):
    settings = load_settings(**OPTIONS, **bounds)
    one_by_one, single = processed(pages, settings, 1)
    at_once, sizes = processed(pages, settings, PAGES_AT_ONCE)
    assert at_once == one_by_one
    assert set(single) == {1}
    assert len(sizes) < len(single)
    if not bounds:
        assert max(sizes) == PAGES_AT_ONCE
        # The model of a site is fitted earlier than foreseen when its design changes.
        assert sum(single) < sum(sizes) < 1.1 * sum(single)


class Deferred:
    """Work that is done when somebody waits for it."""

    def __init__(self, lanes, pages):
        self._lanes = lanes
        self._pages = pages

    def exception(self):
        self.result()

    def result(self):
        self._lanes.given_before_waiting.append(len(self._lanes.given))
        return [(SimpleNamespace(record=one, document=None), []) for one in self._pages]


class Lanes:
    """Stands in for a pool, and remembers how many lanes had been given work whenever somebody waited."""

    def __init__(self, _settings, lanes):
        self._lanes = lanes
        self.given = set()
        self.given_before_waiting = []

    def lane_number(self, site):
        return int(site) % self._lanes

    def submit(self, site, _work, pages):
        self.given.add(self.lane_number(site))
        return Deferred(self, pages)

    def close(self):
        pass


@pytest.mark.parametrize("count", [30, 300])
@pytest.mark.parametrize("lanes", [1, 3, 16, 50])
def test_all_lanes_have_work_before_outputs_are_waited_for_which_come_in_order(
    pages, tmp_path, monkeypatch, lanes, count
):
    monkeypatch.setattr(runner, "Pool", Lanes)
    feed = [msgspec.structs.replace(pages[0], site=str(number)) for number in range(count)]
    worker = LocalWorker(tmp_path / "state", load_settings(), workers=lanes)
    said = [one.site for one in worker.run(iter(feed))]
    worker.close()
    assert said == [one.site for one in feed]
    assert worker._pool.given_before_waiting[0] == min(lanes, count)
