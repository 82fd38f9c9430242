"""A simulator of schedules: the engine, its windows and the watcher under crashes, replays, rebalances, disorder and jumps of clocks.

There is no broker, no process and no clock: topics are lists, a disk is a dictionary that survives a crash, and child
processes answer with made-up texts and models at once. So a million steps take minutes, and each failure can be repeated
from its seed:

    python -m tests.faults.schedules --steps 1000000 --seed 1
"""

import random
import sys
from collections import defaultdict
from contextlib import suppress
from unittest import mock

import click
import msgspec

from schemas.cleaned import CleanedRecord, DeletedRecord, Observed
from schemas.document import DocumentRecord, document_key, site_of_key
from templ_core.site_level.window.site_window import url_hash
from templ_core.stored.compact import content_digest
from templ_core.times import rfc3339
from tests.workers.builders import document, packed
from workers.pipeline.actions import Transport, carry_out_now
from workers.pipeline.site_engine import SiteEngine
from workers.processes.messages import (
    Cleaned,
    LearnResult,
    LearnTask,
    RefitResult,
    RefitTask,
    ReviseTask,
    Unchanged,
)
from workers.settings import load_settings
from workers.state import window_store
from workers.state.database import MemoryDatabase
from workers.state.window_store import WindowStore
from workers.watcher import watch_store
from workers.watcher.watch import Watch
from workers.watcher.watch_store import WatchStore

HOUR_MS = 3_600_000
YEAR_MS = 365 * 24 * HOUR_MS
SITES = ("a.com", "b.com")
URLS = 30
"""URLs of a site: enough for both revisions of a text, and few, so that many are fetched again."""
SETTLED_STEPS_MAX = 20_000
"""Steps within which everything must come to rest."""
STEPS_OF_WORLD = 600
"""Steps before a world is checked and left, because a check reads all its topics."""
NEAR_MS = (0, 0, 0, 0, -HOUR_MS, HOUR_MS, -30 * HOUR_MS)
FAR_MS = (*NEAR_MS, -YEAR_MS, YEAR_MS)
"""By how much the clocks of pages may differ: a page dated a year ahead keeps most others out of windows."""
_SUMMARY = packed(b"\x01" * 8)
_TEXT = "The council of {0} met on Monday.\nIt said that {1} bridges of {0} stay open until May."
_OBSERVED = Observed(charset="utf-8", repeated_ratio=None, language=None, left_out=[])


class Crash(BaseException):
    """The end of a process, which nothing may catch."""


class Fuse:
    """Ends a process at a point between two writes or sends."""

    def __init__(self):
        self.left = None
        """Points that are passed before the crash; None = there is none."""

    def point(self):
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                self.left = None
                raise Crash


class Disk(MemoryDatabase):
    """A database that keeps what was written when its process ends before or after a write."""

    def __init__(self, families, fuse):
        super().__init__(families)
        self._fuse = fuse

    def put(self, family, key, value):
        self._fuse.point()
        super().put(family, key, value)
        self._fuse.point()

    def write(self, batch):
        self._fuse.point()
        super().write(batch)
        self._fuse.point()


class Children:
    """Answers tasks at once: a model is the number of its documents, a text its page and its model."""

    def run(self, _site, task, _deadline_s):
        if isinstance(task, LearnTask):
            return LearnResult(_SUMMARY), 1
        if isinstance(task, RefitTask):
            version = content_digest(b"".join(task.window)).hex()
            return RefitResult(version, len(task.window), b"model", 1.0, None), 1
        assert isinstance(task, ReviseTask)
        return self._revised(task), 1

    def _revised(self, task):
        before, documents = task.document, task.model.documents if task.model else 0
        if task.changed_ratio_min and before.source.offset % 3 == 0:
            return Unchanged()
        revised = msgspec.structs.replace(
            before, model_documents=documents, revision=before.revision + 1
        )
        return Cleaned(record=text_of(revised, task.reason), document=revised)


def text_of(page, reason=None):
    """The record of a page's text, which says of what fetch and model it is."""
    return CleanedRecord(
        url=page.url, site=page.site, fetched_at=rfc3339(page.event_time_ms), id=page.id, title="", text=_TEXT.format(page.id, page.model_documents),
        method="page", confidence=1, revision=page.revision, revision_reason=reason, source=page.source,
        site_model_version=None, page_model_version="1", cleaner_version="1", warnings=[], chars_in=0, chars_out=0,
        blocks_kept=0, blocks_removed=0, fingerprint=None, observed=_OBSERVED,
    )  # fmt: skip


def reports_of(watch, record):
    """The reports about a record of `cleaned`, as they are stored until they are sent, and the change of its site."""
    if isinstance(record, DeletedRecord):
        reports, change = watch.delete(record)
    else:
        noticed, change = watch.take(record)
        reports = noticed.records(record)
    return [msgspec.msgpack.encode((type(one).__name__, one)) for one in reports], change


class Topics(Transport):
    """The topics of a simulated broker, where a process may end before and behind each record."""

    def __init__(self, world):
        super().__init__(world.engine.revision)
        self._world = world

    async def send(self, record, headers):
        self._world.send(record)

    async def forget(self, keys):
        for key in keys:
            self._world.forget(key)

    def not_fitted(self, action):
        raise TypeError(action)


class World:
    """A partition of each topic, a cleaner, a refresher and a watcher; the last two may change their machines."""

    def __init__(self):
        self.settings = msgspec.structs.replace(load_settings(), revisions=True)
        self.fuse = Fuse()
        self.pages = []
        """The topic `pages`: (site, URL, time in milliseconds, whether the page is gone)."""
        self.cleaned = []
        self.documents = []
        """The topic `documents`: (key, record or None)."""
        self.models = {}
        self.now_ms = 20 * YEAR_MS
        self.cleaned_to = 0
        self.shifts_ms = FAR_MS
        self.reports = []
        """What the watcher has sent."""
        self.watch_committed = 0
        self.steps = 0
        self.new_machine()
        self.new_watcher()

    # The refresher.

    def new_machine(self):
        """Give the partition to a worker that knows nothing of it."""
        self.disk = Disk(window_store._FAMILIES, self.fuse)
        self.start(0)

    def start(self, position):
        """Start a process on the disk as it is, which reads on from an offset.

        It publishes nothing before it has read what the topic holds now, and then all that is due.
        """
        with mock.patch.object(window_store, "open_database", return_value=self.disk):
            self.store = WindowStore(None, self.settings)
        self.engine = SiteEngine(Children(), self.settings, windows=self.store)
        self.topics = Topics(self)
        self.publishes_from = len(self.documents)
        self.learned_to = min(position, self.publishes_from)
        if self.learned_to == self.publishes_from:
            self._take_over()

    def _take_over(self):
        self._due(site for site, _ in list(self.store.sites()))

    def learn(self, crash_after=None):
        """Learn from the next record, and publish what follows; the process may end on the way."""
        self.steps += 1
        if self.learned_to >= len(self.documents):
            return
        self.fuse.left = crash_after
        try:
            offset = self.learned_to
            key, record = self.documents[offset]
            site = site_of_key(key)
            if record is None:
                if self.store.is_new(offset):
                    self.store.remove(site, key, offset)
            else:
                self.engine.learn(record, offset)
            self.learned_to = offset + 1
            if self.learned_to == self.publishes_from:
                self._take_over()
            elif self.learned_to > self.publishes_from:
                self._due([site])
        except Crash:
            self.restart(self.learned_to)
        finally:
            self.fuse.left = None

    def restart(self, position):
        """Start again behind a crash, which may be repeated at once."""
        self.fuse.left = None
        self.start(position)

    def _due(self, sites):
        for site in sites:
            carry_out_now(self.engine.refresh(site), self.topics)
        while actions := self.engine.next_due():
            carry_out_now(actions, self.topics)

    def send(self, record):
        self.fuse.point()
        if isinstance(record, DocumentRecord):
            self.documents.append((document_key(record.site, record.source), record))
        elif isinstance(record, CleanedRecord | DeletedRecord):
            self.cleaned.append(record)
        else:
            self.models[record.site] = record
        self.fuse.point()

    def forget(self, key):
        self.fuse.point()
        self.documents.append((key, None))

    # The watcher.

    def new_watcher(self):
        """Give the partition of `cleaned` to a watcher that knows nothing of it."""
        self.watch_disk = Disk(watch_store._FAMILIES, self.fuse)
        self.start_watcher()

    def start_watcher(self):
        """Start a process on its disk as it is, which first publishes what its outbox has."""
        with mock.patch.object(watch_store, "open_database", return_value=self.watch_disk):
            self.watched = WatchStore(None, self.settings.window)
        if not self.watched.next_offset:
            self.watched.begin_silently(self.watch_committed)
        self._publish()

    def watch(self, crash_after=None):
        """Watch the next record of `cleaned`, and publish the reports; the process may end on the way."""
        self.steps += 1
        offset = self.watched.next_offset
        if offset >= len(self.cleaned):
            return
        self.fuse.left = crash_after
        try:
            reports, change = reports_of(Watch(self.watched, None), self.cleaned[offset])
            if change is None:
                self.watched.skip(offset)
            else:
                is_reported = offset < self.watched.silent_until
                self.watched.apply(change, [] if is_reported else reports, offset)
            self._publish()
        except Crash:
            self.fuse.left = None
            self.start_watcher()
        finally:
            self.fuse.left = None

    def _publish(self):
        while stored := self.watched.outbox(5):
            for _, record in stored:
                self.fuse.point()
                self.reports.append(record)
            self.watched.drop([number for number, _ in stored])
        self.watch_committed = max(self.watch_committed, self.watched.next_offset)

    # The feed and the cleaner.

    def fetch(self, site, url, shift_ms, *, is_gone=False):
        """Have a page arrive whose clock differs from the others by a time."""
        self.steps += 1
        self.now_ms += 60_000
        self.pages.append((site, f"https://{site}/{url}", self.now_ms + shift_ms, is_gone))

    def jump(self, by_ms):
        """Have all clocks jump."""
        self.steps += 1
        self.now_ms = max(self.now_ms + by_ms, 10 * YEAR_MS)

    def clean(self, crash_after=None):
        """Clean the next page, whose text leaves before its document; the process may end between."""
        self.steps += 1
        if self.cleaned_to >= len(self.pages):
            return
        self.fuse.left = crash_after
        with suppress(Crash):
            number = self.cleaned_to
            site, url, time_ms, is_gone = self.pages[number]
            kind = "deletion" if is_gone else "document"
            made = document(number, site=site, url=url, time_ms=time_ms, kind=kind)
            known = self.models.get(site)
            if is_gone:
                text = DeletedRecord(url=url, site=site, id=made.id, source=made.source)
            else:
                made = msgspec.structs.replace(
                    made, summary=_SUMMARY, model_documents=known.documents if known else 0
                )
                text = text_of(made)
            self.send(text)
            self.send(made)
            self.cleaned_to = number + 1
        self.fuse.left = None

    def repeat(self, pages):
        """Have pages cleaned again whose offsets were not committed before a rebalance."""
        self.steps += 1
        self.cleaned_to = max(0, self.cleaned_to - pages)

    def repeat_documents(self, records):
        """Have documents delivered again, to the same machine."""
        self.steps += 1
        self.start(max(0, self.learned_to - records))

    # What must hold.

    def settle(self):
        """Let everything that waits be done."""
        for _ in range(SETTLED_STEPS_MAX):
            if self.cleaned_to < len(self.pages):
                self.clean()
            elif self.learned_to < len(self.documents):
                self.learn()
            elif self.watched.next_offset < len(self.cleaned):
                self.watch()
            else:
                return
        raise AssertionError("the topics do not come to rest")

    def violations(self):
        """Yield what must not be, once everything is done."""
        self.settle()
        yield from self._lost()
        yield from self._older_above_newer()
        yield from self._revisions()
        yield from self._reports_differ()
        here = self.windows(self.store)
        for is_compacted in (False, True):
            there = self._rebuilt(is_compacted=is_compacted)
            if here != there:
                yield f"windows differ after a replay, compacted={is_compacted}: {here} {there}"

    def _lost(self):
        answered = {one.source.offset for one in self.cleaned}
        learned = {int(key.rpartition(b"-")[2]) for key, _ in self.documents}
        for number in range(len(self.pages)):
            if number not in answered:
                yield f"page {number} has no text"
            if number not in learned:
                yield f"page {number} has a text without a document"

    def _older_above_newer(self):
        last = {one.url: one for one in self.cleaned}
        for site in SITES:
            for record in self.store.window(site):
                found = last[record.url]
                if found.source != record.source and not self._is_of_forgotten_deletion(found):
                    yield f"{record.url}: last is {found.id}, the newest known is {record.id}"
        for url, record in last.items():
            key = record.site.encode() + b"\0" + url_hash(url)
            newest = self.store.newest(record.site, key)
            if isinstance(newest, str) and not isinstance(record, DeletedRecord):
                yield f"{url}: last is {record.id}, and it was deleted by {newest}"

    def _is_of_forgotten_deletion(self, deletion):
        """Whether an output is a deletion published again by a refresher that was behind, and that was too old thereafter.

        The window no longer knew it when it came to the newer fetch, so nothing tells it to publish that once more.
        """
        if not isinstance(deletion, DeletedRecord) or deletion.id != str(deletion.source):
            return False
        key = deletion.site.encode() + b"\0" + url_hash(deletion.url)
        return self.store.deletion(key) is None

    def _revisions(self):
        revised = defaultdict(set)
        for text in self.cleaned:
            if isinstance(text, CleanedRecord) and text.revision_reason not in (None, "superseded"):
                revised[text.source].add(text.revision)
        for source, numbers in revised.items():
            if len(numbers) > 2:
                yield f"{source} was revised {len(numbers)} times"

    def _reports_differ(self):
        """The reports depend on the records of `cleaned` alone, whatever has become of the watcher."""
        undisturbed = Watch(WatchStore(None, self.settings.window), None)
        expected = []
        for record in self.cleaned:
            reports, change = reports_of(undisturbed, record)
            expected += reports
            if change is not None:
                undisturbed.store.apply(change)
        # What was sent before a crash may be sent again.
        if list(dict.fromkeys(self.reports)) != list(dict.fromkeys(expected)):
            yield f"the watcher reported {len(self.reports)} records, undisturbed {len(expected)}"

    @staticmethod
    def windows(store):
        return {site: [one.id for one in store.window(site)] for site in SITES}

    def _rebuilt(self, *, is_compacted):
        other = World()
        last = {key: offset for offset, (key, _) in enumerate(self.documents)}
        for offset, (key, record) in enumerate(self.documents):
            if is_compacted and last[key] != offset:
                continue
            if record is None:
                other.store.remove(site_of_key(key), key, offset)
            else:
                other.engine.learn(record, offset)
        return self.windows(other.store)


def random_step(world, rng):
    """Take a step of any kind."""
    crash = rng.choice([None, None, None, rng.randrange(12)])
    kind = rng.random()
    if kind < 0.27:
        shift = rng.choice(world.shifts_ms)
        world.fetch(rng.choice(SITES), rng.randrange(URLS), shift, is_gone=rng.random() < 0.1)
    elif kind < 0.5:
        world.clean(crash)
    elif kind < 0.72:
        world.watch(crash)
    elif kind < 0.92:
        world.learn(crash)
    elif kind < 0.94:
        world.jump(rng.choice([-HOUR_MS, HOUR_MS, -YEAR_MS, YEAR_MS]))
    elif kind < 0.96:
        world.repeat(rng.randrange(5))
    elif kind < 0.99:
        world.repeat_documents(rng.randrange(9))
    elif kind < 0.995:
        world.new_machine()
    else:
        world.new_watcher()


def check_seed(seed, steps=STEPS_OF_WORLD):
    """What must not be after random steps."""
    world, rng = World(), random.Random(seed)
    world.shifts_ms = FAR_MS if seed % 2 else NEAR_MS
    for _ in range(steps):
        random_step(world, rng)
    return list(world.violations()), world.steps


@click.command()
@click.option("--steps", default=1_000_000, show_default=True)
@click.option("--seed", default=1, show_default=True, help="Seed of the first world.")
def main(steps, seed):
    """Take random steps, and print each seed with a violation."""
    done = failed = 0
    while done < steps:
        problems, taken = check_seed(seed)
        done += taken
        if problems:
            failed += 1
            click.echo(f"seed {seed}: {problems[:3]}")
        seed += 1
    click.echo(f"{done} steps, {failed} worlds with a violation")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
