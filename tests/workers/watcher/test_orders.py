"""Copies are reported alike in whatever order partitions are read, and however many watchers share them."""

from typing import NamedTuple

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.cleaned import DeletedRecord, Fingerprint, Observed
from schemas.codec import encode_msgpack
from schemas.fingerprint import FingerprintRecord, Original, fingerprint_key
from schemas.page_copy import PageCopyRecord
from schemas.source import Source
from templ_core.duplicates import is_near
from tests.workers.builders import cleaned_text
from workers.settings import Settings
from workers.state.content_index import ContentIndex
from workers.watcher.file_watch import FileWatch
from workers.watcher.watch import CopyEnded, Watch
from workers.watcher.watch_store import WatchStore

SITES = ("a.example", "b.example", "c.example")
"""Each has a partition of its own."""
TEXT = " ".join(f"word{number}" for number in range(80))
CONTENTS = (0, (1 << 6) - 1, (1 << 12) - 1, 1 << 63 | 0xFFFF << 20)
"""The first is near the second, and the second near the third, which is not near the first."""
OBSERVED = Observed(charset="utf-8", repeated_ratio=None, language=None, left_out=[])


class Fetch(NamedTuple):
    """A page as it is published at a time; without a content it is gone."""

    now_ms: int
    site: str
    url: str
    content: int | None


def record_of(offset, fetch):
    source = Source("pages", 0, offset)
    if fetch.content is None:
        # Of a null value whose headers do not say the site only the URL is known.
        return DeletedRecord(url=fetch.url, site="", id=str(offset), source=source)
    key = Fingerprint(algorithm="simhash64-3gram", bits=64, value=f"{fetch.content:016x}")
    return msgspec.structs.replace(
        cleaned_text(fetch.site, "", TEXT), url=fetch.url, fetched_at=f"2026-01-01T00:{offset:02}:00Z",
        source=source, fingerprint=key, observed=OBSERVED,
    )  # fmt: skip


def expected_copies(fetches):
    """The copies and their originals by the newest contents of all pages."""
    known = {}
    for now_ms, site, url, content in fetches:
        page = fingerprint_key(site, url)
        if content is None:
            known.pop(page, None)
        elif page not in known or not is_near(known[page][1], content):
            known[page] = now_ms, content
    copies = {}
    for page, (_, content) in known.items():
        near = [(ms, one) for one, (ms, other) in known.items() if is_near(content, other)]
        first, (site, url) = min(near)[1].decode().split("\0"), page.decode().split("\0")
        if first[0] != site:
            copies[url] = first[1]
    return copies


class World:
    """Partitions of `cleaned`, and watchers that tell each other what they publish."""

    def __init__(self, fetches, watchers, pages_max=100):
        self.bounds = msgspec.structs.replace(Settings().window, pages_max=pages_max)
        self.cleaned = {site: [] for site in SITES}
        for fetch in fetches:
            records = self.cleaned[fetch.site]
            records.append((fetch.now_ms, record_of(len(records), fetch)))
        self.fingerprints = []
        self.copies = {}
        self.committed = dict.fromkeys(SITES, 0)
        self.owner = dict.fromkeys(SITES, 0)
        self.watchers = [Watcher(self) for _ in range(watchers)]

    def watcher_of(self, site):
        return self.watchers[self.owner[site]]

    def settle(self):
        """Let everything that waits be done."""
        for site in SITES:
            while self.committed[site] < len(self.cleaned[site]):
                self.watcher_of(site).take(site)
        for _ in range(2):  # judging publishes no fingerprints
            for watcher in self.watchers:
                watcher.follow(len(self.fingerprints))
                watcher.judge()


class Watcher:
    """A watcher with its index and its stores."""

    def __init__(self, world):
        self._world = world
        self._contents = ContentIndex(None, 1000)
        self._stores = {}
        self._followed = 0

    def _watch(self, site):
        if site not in self._stores:
            store = self._stores[site] = WatchStore(None, self._world.bounds)
            store.begin_silently(self._world.committed[site])
        return Watch(self._stores[site], self._contents)

    def own(self, site):
        """Bring the store of a site up to what is committed."""
        watch = self._watch(site)
        while watch.store.next_offset < self._world.committed[site]:
            self._take(site, watch)

    def take(self, site, *, crashes=False):
        """Take the next record of a site; the process may end before its store has it."""
        self.own(site)
        if self._world.committed[site] < len(self._world.cleaned[site]):
            self._take(site, self._watch(site), crashes=crashes)
            if not crashes:
                self._world.committed[site] += 1

    def _take(self, site, watch, *, crashes=False):
        offset = watch.store.next_offset
        now_ms, record = self._world.cleaned[site][offset]
        if isinstance(record, DeletedRecord):
            reports, change = watch.delete(record)
        else:
            noticed, change = watch.take(record, now_ms)
            reports = noticed.records(record)
        if crashes:
            return
        if offset < watch.store.silent_until:
            reports = [one for one in reports if isinstance(one, PageCopyRecord)]
        watch.store.skip(offset) if change is None else watch.store.apply(change, (), offset)
        self._publish(reports)

    def assigned(self, *sites):
        """Take sites over."""
        for site in sites:
            self.own(site)
            reported = {
                Original(url, site): original
                for url, original in self._world.copies.items()
                if site in url
            }
            self._contents.compare(reported, site.__eq__)

    def restart(self, *, loses_contents, loses_stores):
        """Start again with what is left, and read all fingerprints first."""
        if loses_contents:
            self._contents, self._followed = ContentIndex(None, 1000), 0
        if loses_stores:
            self._stores.clear()
        self.follow(len(self._world.fingerprints))
        self.assigned(*(site for site in SITES if self._world.watcher_of(site) is self))

    def follow(self, count):
        """Read this number of fingerprints."""
        for offset in range(
            self._followed, min(self._followed + count, len(self._world.fingerprints))
        ):
            key, value = self._world.fingerprints[offset]
            self._contents.put(key, value, 0, offset)
            self._followed += 1

    def judge(self):
        """Judge the pages again that are due and whose partitions are this watcher's."""
        due = self._contents.due()
        for due_page in due:
            if self._world.watcher_of(due_page.page.site) is self:
                self.own(due_page.page.site)
                watch = self._watch(due_page.page.site)
                reports, change = watch.judge_again(due_page.page)
                if change is not None:
                    watch.store.apply(change)
                self._publish(reports)
            elif due_page.page.site in self._stores:
                continue
            self._contents.settle([due_page])

    def _publish(self, reports):
        for report in reports:
            if isinstance(report, PageCopyRecord):
                self._world.copies[report.url] = report.duplicate_of
            elif isinstance(report, CopyEnded):
                self._world.copies.pop(report.url, None)
            elif isinstance(report, FingerprintRecord):
                key = fingerprint_key(report.site, report.url).decode()
                value = None if report.key is None else encode_msgpack(report)
                self._contents.expect(report)
                self._world.fingerprints.append((key, value))


@st.composite
def feeds(draw):
    now_ms, fetches = 0, []
    for _ in range(draw(st.integers(1, 12))):
        now_ms += draw(st.integers(0, 1))
        site = draw(st.sampled_from(SITES))
        url = f"https://{site}/{draw(st.integers(0, 1))}"
        content = draw(st.sampled_from((*CONTENTS, None)))
        fetches.append(Fetch(now_ms, site, url, content))
    return fetches


STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            ("take", "take", "follow", "judge", "move", "restart", "lose index", "lose all")
        ),
        st.sampled_from(SITES),
        st.integers(0, 2),
    ),
    max_size=40,
)


def take_steps(world, steps):
    """Do what may happen to watchers: each step has a site, and the number of a watcher that it is for."""
    for step, site, number in steps:
        owner, other = world.watcher_of(site), world.watchers[number % len(world.watchers)]
        if step == "take":
            owner.take(site)
        elif step == "follow":
            other.follow(2)
        elif step == "judge":
            other.judge()
        elif step == "move":
            world.owner[site] = number % len(world.watchers)
            other.assigned(site)
        else:
            owner.take(site, crashes=True)
            owner.restart(loses_contents=step.startswith("lose"), loses_stores=step == "lose all")


@settings(max_examples=400, deadline=None)
@given(feeds(), STEPS, st.integers(1, 3), st.integers(1, 3))
def test_copies_do_not_depend_on_the_order_of_reading(fetches, steps, watchers, pages_max):
    world = World(fetches, watchers, pages_max)
    take_steps(world, steps)
    world.settle()
    assert world.copies == expected_copies(fetches)


@settings(max_examples=200, deadline=None)
@given(feeds())
def test_files_report_the_same_copies(fetches):
    watch, copies = FileWatch(None, Settings(), finds_copies=True), {}
    for offset, fetch in enumerate(fetches):
        record = record_of(offset, fetch)
        noticed = watch.take(record)
        reports = noticed.others if fetch.content is None else noticed.records(record)
        for report in reports:
            if isinstance(report, PageCopyRecord):
                copies[report.url] = report.duplicate_of
            elif isinstance(report, CopyEnded):
                copies.pop(report.url, None)
        if fetch.content is None:
            copies.pop(fetch.url, None)
    watch.close()
    in_order = [fetch._replace(now_ms=number) for number, fetch in enumerate(fetches)]
    assert copies == expected_copies(in_order)
