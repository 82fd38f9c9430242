"""Schedules that hypothesis makes and shrinks, and seeds; `python -m tests.faults.schedules` takes a million steps."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from tests.faults.schedules import HOUR_MS, SITES, URLS, YEAR_MS, World, check_seed
from workers.pipeline.site_engine import SiteEngine
from workers.state.window_store import WindowStore
from workers.watcher.watch_store import WatchStore

CRASHES = st.none() | st.integers(0, 11)
SHIFTS_MS = st.sampled_from([0, -HOUR_MS, HOUR_MS, -30 * HOUR_MS, -YEAR_MS, YEAR_MS])


class Schedules(RuleBasedStateMachine):
    """Any order of what may happen to a cleaner and a refresher."""

    def __init__(self):
        super().__init__()
        self.world = World()

    @rule(
        site=st.sampled_from(SITES), url=st.integers(0, URLS), shift=SHIFTS_MS, gone=st.booleans()
    )
    def fetch(self, site, url, shift, gone):
        self.world.fetch(site, url, shift, is_gone=gone)

    @rule(crash=CRASHES)
    def clean(self, crash):
        self.world.clean(crash)

    @rule(crash=CRASHES)
    def learn(self, crash):
        self.world.learn(crash)

    @rule(crash=CRASHES)
    def watch(self, crash):
        self.world.watch(crash)

    @rule()
    def new_watcher(self):
        self.world.new_watcher()

    @rule(pages=st.integers(1, 5))
    def repeat(self, pages):
        self.world.repeat(pages)

    @rule(records=st.integers(1, 9))
    def repeat_documents(self, records):
        self.world.repeat_documents(records)

    @rule(by_ms=SHIFTS_MS)
    def jump(self, by_ms):
        self.world.jump(by_ms)

    @rule()
    def new_machine(self):
        self.world.new_machine()

    def teardown(self):
        assert list(self.world.violations()) == []


TestSchedules = Schedules.TestCase
TestSchedules.settings = settings(max_examples=40, stateful_step_count=60, deadline=None)


@pytest.mark.parametrize("seed", [126, 134, 176, 184, 1805, *range(1000, 1008)])
def test_random_schedules_end_as_they_should(seed):
    assert check_seed(seed)[0] == []


@pytest.mark.parametrize(
    ("of", "name", "fault"),
    [
        (SiteEngine, "next_superseded", lambda *_: []),
        (WindowStore, "delete_url", lambda store, _record, offset: store.skip(offset)),
        (WatchStore, "begin_silently", lambda store, _offset: store.skip(store.next_offset)),
    ],
)
def test_the_simulator_notices_a_fault(monkeypatch, of, name, fault):
    monkeypatch.setattr(of, name, fault)
    assert any(check_seed(seed)[0] for seed in range(20))
