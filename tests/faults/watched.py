"""What watchers report of a disturbed stream, beside what one watch says of `cleaned` in the order of publication.

Pages that have left the windows are not judged again, so copies are compared exactly only where no site has more pages
than its window (40).
"""

import random
import re
import time

import msgspec

from schemas.cleaned import CleanedRecord
from schemas.codec import decode_json, encode_json
from schemas.page_change import PageChangeRecord
from schemas.page_copy import PageCopyRecord
from schemas.site_event import SiteEventRecord
from schemas.topics import CLEANED, PAGE_CHANGES, PAGE_COPIES, SITE_EVENTS
from tests.faults.disturber import PATIENT
from tests.kafka.stream import settings_of
from workers.kafka.logs.cleaned_follower import cleaned_record
from workers.state.content_index import ContentIndex
from workers.watcher.watch import CopyEnded, Watch
from workers.watcher.watch_store import WatchStore

COPIED_SHARE = 0.1
MIRROR, MIRRORED = "https://site-1.example/", "https://site-0.example/"
"""A site that copies another one, page by page."""
_STORY = re.compile(r'(?<=<div class="story">).*?(?=</div>)', re.DOTALL)


class Watched(msgspec.Struct, frozen=True, kw_only=True):
    """What watchers reported, and what of it a watch that nobody disturbs reports otherwise."""

    changes: int
    copies: int
    events: int
    others: list[str]
    """The reports that are missing, wrong or too many, each with what the other watch says in its place."""


def copy_stories(feed, seed):
    """Have some pages of a feed tell the story of an earlier page of another site."""
    rng, known, mirrored = random.Random(seed), [], []
    lines = []
    for line in feed.read_bytes().splitlines():
        record = msgspec.json.decode(line)
        url, story = record["url"], _STORY.search(record["html"]).group()
        is_mirror = url.startswith(MIRROR) and mirrored
        if is_mirror or (known and rng.random() < COPIED_SHARE):
            theirs, copied = mirrored.pop(0) if is_mirror else rng.choice(known)
            if theirs.split("/")[2] != url.split("/")[2]:
                record["html"] = _STORY.sub(lambda _, copied=copied: copied, record["html"])
        else:
            known.append((url, story))
            if url.startswith(MIRRORED):
                mirrored.append((url, story))
        lines.append(msgspec.json.encode(record) + b"\n")
    feed.write_bytes(b"".join(lines))


def wait_for_reports(stream, wait_s):
    """Wait until the watchers have read all; answers the `Watched`.

    Pages are judged again some seconds after their originals become known.
    """
    stream.wait_until_lag("watcher", CLEANED, 0, wait_s)
    wanted = reports_in_order(stream)
    until = time.monotonic() + 60
    while (found := compared(stream, *wanted)).others and time.monotonic() < until:
        time.sleep(1)
    return found


def reports_in_order(stream):
    """The changes, the copies that remain, and the events of a watch that reads `cleaned` by the time of publication."""
    store, contents = WatchStore(None, settings_of(PATIENT).window), ContentIndex(None, 1_000_000)
    watch, reports = Watch(store, contents), []
    records = sorted(
        stream.records(CLEANED), key=lambda one: (one.timestamp, one.partition, one.offset)
    )
    for report in records:
        record = cleaned_record(report)
        if isinstance(record, CleanedRecord):
            noticed, change = watch.take(record, report.timestamp)
            reports += noticed.records(record)
        else:
            ended, change = watch.delete(record)
            reports += ended
        if change is not None:
            store.apply(change)
        due = contents.due()
        for page, _ in due:
            judged, change = watch.judge_again(page)
            if change is not None:
                store.apply(change)
                reports += judged
        contents.settle(due)
    copies = {}
    for report in reports:
        if isinstance(report, PageCopyRecord):
            copies[report.url] = report.duplicate_of
        elif isinstance(report, CopyEnded):
            copies.pop(report.url, None)
    changes = {encode_json(one) for one in reports if isinstance(one, PageChangeRecord)}
    return changes, copies, {event_of(one) for one in reports if isinstance(one, SiteEventRecord)}


def event_of(event):
    """An event without what depends on when it became known that pages are copies."""
    is_of_copies = event.event in ("content-copied", "site-back")
    return event.site, event.event, event.after, None if is_of_copies else encode_json(event)


def compared(stream, changes, copies, events):
    """What the watchers reported, beside what they should have; nothing counts twice."""
    found_changes = {one.value for one in stream.records(PAGE_CHANGES)}
    found_events = {
        event_of(decode_json(one.value, SiteEventRecord))
        for one in stream.records(SITE_EVENTS)
        if one.value
    }
    found_copies = {}
    for record in stream.records(PAGE_COPIES):
        url = record.key.decode()
        found_copies.pop(url, None)
        if record.value:
            found_copies[url] = decode_json(record.value, PageCopyRecord).duplicate_of
    return Watched(
        changes=len(found_changes),
        copies=len(found_copies),
        events=len(found_events),
        others=[
            *(f"change {one!r}" for one in found_changes ^ changes),
            *(
                f"copy {url}: of {found_copies.get(url)}, undisturbed of {copies.get(url)}"
                for url in sorted(found_copies.keys() | copies.keys())
                if found_copies.get(url) != copies.get(url)
            ),
            *(f"event {one!r}" for one in found_events ^ events),
        ],
    )
