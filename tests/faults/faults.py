"""Random faults over a stream on a real broker, compared with the same feed undisturbed.

    python -m tests.faults.faults [--seed N] [--faults 150] [--pages 30000] [--sites 500]
        [--kinds FAULT,FAULT] [--keep DIRECTORY] [--cluster] [--watched]

Three workers clean a feed of small pages while faults happen to them evenly over the feed, first one of
each kind, then drawn at random: processes, workers and the broker are killed, stopped and paused, the
state is lost, damaged or its disk full, logs are cut, lost or created again, the feed dies and sends pages
again, and hostile records come in each topic (`disturber.py` has them all). Then: no page that its topic
still has is without an outcome, only hostile records are dead letters, revisions are in order, no URL's
last record is of an older fetch, and windows, refitted models and the texts they give equal those of
`templ run` on the same feed.

With `--cluster` there are three brokers, and the faults of a cluster (`cluster_disturber.py`): brokers are
killed, paused, replaced and restarted in turn, leaders move, a disk is full, an election is unclean. Pages
are sent meanwhile.

With `--watched` two watchers run beside the workers, to which the same faults happen, and some pages are copies of
others. At the end, changes, copies and events are those of one watch that reads `cleaned` undisturbed, in the order of
publication (`watched.py`).

What a fault takes out of `pages` or `documents` for good is read from the log file that it cuts. Such a
page is left out of the undisturbed feed, unless its document is in `documents` all the same. Two pages
of a site that had the same offset, one before a cut and one after it, are one document to workers; the
windows of these sites are counted but not compared. `pages` is created again once, early, for that reason.

Recovery is the time from the end of a fault until every partition of `pages` in which records wait has
another committed page. Needs Java and Maven, and for full disks the right to mount a tmpfs.
"""

import asyncio
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import msgspec
from aiokafka.errors import KafkaError

from schemas.codec import SchemaError, decode_document_record, decode_output
from schemas.topics import CLEANED, DEAD_LETTERS, DOCUMENTS, PAGES
from tests.benchmarks.measuring import read_options
from tests.faults.cluster_disturber import ClusterDisturber
from tests.faults.disturber import PATIENT, WATCHERS, WORKERS, Disturber
from tests.faults.watched import Watched, copy_stories, wait_for_reports
from tests.kafka.broker import own_broker
from tests.kafka.cluster import Cluster, own_cluster
from tests.kafka.small_feed import write_small_feed
from tests.kafka.stream import Stream, local_run, other_windows
from workers.errors import BrokerProblem
from workers.feeds.files import read_feed
from workers.kafka.broker.plain_clients import plain_consumer
from workers.kafka.broker.received import processable
from workers.kafka.patches import bound_fetches
from workers.settings import load_settings

STAND_STILL_S = 3600.0
"""A busy machine takes its time to rebuild windows."""
FEED_S = 12.0
"""Time over which the pages are sent that are sent during a fault."""
RECOVERY_S = 600.0
"""Longest recovery that is waited for; then somebody's hand would be needed."""


class Recovery(msgspec.Struct, frozen=True):
    """How long cleaning took to go on after a fault."""

    number: int
    fault: str
    seconds: float


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What a disturbed run came to."""

    faults: dict[str, int]
    pages: int
    lost: int
    """Pages that their topic has but that have no cleaned record, no deletion and no dead letter."""
    dead: int
    """Pages of the feed that are dead letters."""
    hostile_dead: int
    """Dead letters of hostile records, which have no id."""
    repeated: int
    """Records beyond the first of a source and revision."""
    broken_sequences: int
    """Sources whose revisions do not follow each other from 0."""
    revisions: int
    pages_cut: int
    """Pages that faults took out of their topic."""
    documents_cut: int
    """Documents that faults took out of their topic and that did not come again."""
    needless_rebuilds: int
    """How often windows were rebuilt although nobody could say that their log was cut."""
    vanished: int
    """Pages that were acknowledged, and that their topic lacks although no fault took them out."""
    older_last: int
    """URLs whose last record is not of their newest fetch."""
    watched: Watched | None
    """What the watchers reported; None without watchers."""
    sites: int
    shared_sources: int
    """Sites with two pages of the same source; their windows are not compared."""
    other_windows: list[str]
    """Sites whose window, refitted model or texts with it are not those of the undisturbed run."""
    ended_workers: list[str]
    """Workers that ended by themselves and had to be started."""
    recovery_median_s: float
    recovery_max_s: float
    slow_recoveries: list[Recovery]
    """Those of more than 20 s."""
    seconds: float

    def problems(self) -> list[str]:
        """What should not be, in words."""
        figures = {
            "pages were lost": self.lost,
            "pages are dead letters": self.dead,
            "sources have revisions out of order": self.broken_sequences,
            "URLs end with an older fetch": self.older_last,
            "acknowledged pages are in no log": self.vanished,
            "sites have other windows or models": len(self.other_windows),
            "workers ended by themselves": len(self.ended_workers),
            "reports of watchers are others": len(self.watched.others) if self.watched else 0,
        }
        problems = [f"{number} {what}" for what, number in figures.items() if number]
        return problems + (self.watched.others if self.watched else [])


def disturbed_run(
    broker, prefix, directory, *, seed, faults, pages, sites, kinds=(), watched=False, say=lambda _: None
):  # fmt: skip
    """Run a feed disturbed on the broker, then undisturbed on files; answers the report.

    `kinds` are the names of the faults that are drawn from; none means all. If it is `watched`, watchers run, too.
    """
    started = time.monotonic()
    feed = write_small_feed(
        directory / "feed.jsonl",
        pages=pages,
        sites=sites,
        seed=seed,
        again_share=0.03,
        gone_share=0.005,
    )
    if watched:
        copy_stories(feed, seed)
    stream = Stream(broker, prefix, directory)
    kind = ClusterDisturber if isinstance(broker, Cluster) else Disturber
    disturber = kind(broker, stream, seed, kinds, WATCHERS if watched else ())
    all_pages = list(read_feed([feed]))
    fetches = Counter(page.url for page in all_pages)
    recoveries, ended, sent = [], [], []
    try:
        disturber.start()
        for number, some in enumerate(batched(all_pages, -(-pages // (faults + 1)))):
            now, later = some[: len(some) // 2], some[len(some) // 2 :]
            asyncio.run(stream.send_pages(now))
            sent += now
            if number < faults:
                # A page that is dated ahead is the newest of its URL, whatever comes later.
                single = [one for one in later if fetches[one.url] == 1]
                left = list(single)
                if disturber.feeds_meanwhile:
                    with feeding(stream, later):
                        fault, whole_at = disturber.one_fault(number, left, sent)
                    sent, later = sent + later, []
                else:
                    fault, whole_at = disturber.one_fault(number, left, sent)
                taken = {one.id for one in single} - {one.id for one in left}
                later = [one for one in later if one.id not in taken]
                before = asyncio.run(progress(stream))
            asyncio.run(stream.send_pages(later))
            sent += later
            if number < faults:
                asyncio.run(wait_until_recovered(stream, before, disturber, ended))
                took = Recovery(number + 1, fault, round(time.monotonic() - whole_at, 1))
                recoveries.append(took)
                say(
                    f"{time.monotonic() - started:.0f} s, fault {number + 1}: {fault}, "
                    f"recovered after {took.seconds} s"
                )
                ended += disturber.start_ended()
            # The next fault meets live work.
            stream.wait_until_taken(2 * len(some), STAND_STILL_S)
        stream.wait_until_lag("cleaner", PAGES, 0, STAND_STILL_S)
        stream.wait_until_settled(STAND_STILL_S)
        reported = wait_for_reports(stream, STAND_STILL_S) if watched else None
        for name in stream.running():
            stream.stop(name)
        names = [name for name in WORKERS if stream.state(name).exists()]
        say(f"{time.monotonic() - started:.0f} s, the feed is cleaned")
        windows = stream.windows(*names, **PATIENT)
        outcome, expected, shared = outcome_of(stream, disturber.ledger, all_pages)
        say(f"{time.monotonic() - started:.0f} s, undisturbed runs next: {outcome}")
    finally:
        stream.stop_all()
        disturber.close()
    expected_feed = write_expected(feed, directory / "expected.jsonl", expected)
    _, undisturbed = local_run([expected_feed], directory, timeout_s=36000, **PATIENT)
    times = [one.seconds for one in recoveries]
    said = "".join(map(stream.log, WORKERS))
    return Report(
        **outcome,
        watched=reported,
        faults=dict(disturber.done),
        needless_rebuilds=said.count("are rebuilt: the log of this topic may have been"),
        sites=len(windows),
        shared_sources=len(shared),
        other_windows=[site for site in other_windows(undisturbed, windows) if site not in shared],
        ended_workers=ended,
        recovery_median_s=round(statistics.median(times), 1),
        recovery_max_s=max(times),
        slow_recoveries=[one for one in recoveries if one.seconds > 20],
        seconds=round(time.monotonic() - started, 1),
    )


@contextmanager
def feeding(stream, pages):
    """Send pages meanwhile, evenly over some seconds, by a feed that has begun before."""
    begun = threading.Event()

    def told_of_begin():
        begun.set()
        yield from pages

    with ThreadPoolExecutor(1) as threads:
        rate = len(pages) / FEED_S
        sending = threads.submit(asyncio.run, stream.send_pages(told_of_begin(), rate))
        while not begun.wait(0.1):
            assert not sending.done(), sending.result()
        yield
        try:
            sending.result()
        except BrokerProblem as problem:
            if "send the feed again" not in str(problem):
                raise
            asyncio.run(stream.send_pages(pages))  # as the owner of an unclean election does


def batched(items, size):
    """The items in lists of `size`, the last one shorter."""
    remaining = iter(items)
    while some := list(islice(remaining, size)):
        yield some


async def progress(stream):
    """Partition of `pages` -> its committed offset and its end."""
    async with plain_consumer(stream.access) as consumer:
        return await stream.ask(lambda admin: progress_with(stream, admin, consumer))


async def progress_with(stream, admin, consumer):
    ends = await consumer.end_offsets(stream.partitions(PAGES))
    try:
        committed = await admin.list_consumer_group_offsets(f"{stream.prefix}templ-cleaner")
    except KafkaError:
        committed = {}
    return {
        one: (committed[one].offset if one in committed else 0, end) for one, end in ends.items()
    }


async def wait_until_recovered(stream, before, disturber, ended):
    """Wait until each partition in which records wait has another committed page."""
    until = time.monotonic() + RECOVERY_S

    async def wait(admin):
        async with plain_consumer(stream.access) as consumer:
            while not has_recovered(before, await progress_with(stream, admin, consumer)):
                assert time.monotonic() < until, "no recovery"
                ended.extend(disturber.start_ended())
                await asyncio.sleep(0.2)

    await stream.ask(wait)


def has_recovered(before, now):
    """Whether all partitions moved; where a log was cut, beyond what was left of it."""
    for partition, (committed, end) in now.items():
        was, end_was = before[partition]
        is_moved = min(was, end_was) < committed <= end and committed != was
        if committed != end and not is_moved:
            return False
    return True


def outcome_of(stream, ledger, fed):
    """Judge what the topics hold.

    Returns:
        Fields of the report; id -> event time of each page that the undisturbed run is to have; and
        the sites with two pages of the same source.
    """
    held = [one for one in stream.records(PAGES) if "id" in dict(one.headers)]
    held_ids = {source_of(one): header(one, "id") for one in held}
    cleaned = sorted(stream.records(CLEANED), key=lambda one: (one.partition, one.offset))
    outputs = [decode_output(one.value) for one in cleaned if one.value is not None]
    letters = [dict(one.headers) for one in stream.records(DEAD_LETTERS)]
    dead = {page_of_letter(one) for one in letters if "id" in one}
    answered = {(str(one.source), one.id) for one in outputs}
    gone = {header(one, "source.id") for one in cleaned if one.value is None}
    learned = documents_of(stream)
    lost_pages = [page for some in ledger.lost_pages.values() for page in some]
    cut = {one.id for one in lost_pages} - set(held_ids.values())
    forgotten = ledger.lost_documents.keys() - learned.keys()
    expected = {
        page.id: learned[page.id] if page.id in ledger.ahead.values() else page.event_time_ms
        for page in fed
        if page.id in learned or (page.id not in cut and page.id not in forgotten)
    }
    revisions = defaultdict(list)
    for output in outputs:
        revisions[output.source, output.id].append(output.revision)
    sequences = [sorted(set(some)) for some in revisions.values()]
    fields = {
        "pages": len(fed),
        "lost": sum(
            # A tombstone has no id, but its document has.
            not (one in answered or one in dead or (one[0] in gone and one[1] in learned))
            for one in held_ids.items()
        ),
        "dead": len(dead),
        "hostile_dead": sum("id" not in one for one in letters),
        "repeated": sum(len(some) - len(set(some)) for some in revisions.values()),
        "broken_sequences": sum(one != list(range(len(one))) for one in sequences),
        "revisions": sum(len(one) - 1 for one in sequences),
        "pages_cut": len(cut),
        "documents_cut": len(forgotten),
        "vanished": len({page.id for page in fed} - cut - set(held_ids.values())),
        "older_last": len(older_last(held, cleaned, ledger)),
    }
    return fields, expected, shared_sources(ledger, held, learned)


def older_last(held, cleaned, ledger):
    """URLs whose last record is not of their newest fetch that nothing of was cut."""
    newest = {
        header(one, "url"): header(one, "id")
        for one in sorted(held, key=lambda one: (header(one, "fetched-at"), one.offset))
    }
    ids = {source_of(one): header(one, "id") for one in held}
    last = {one.key.decode(): ids.get(header(one, "source.id")) for one in cleaned}
    cut = {page.url for some in ledger.lost_pages.values() for page in some}
    cut |= set(ledger.lost_documents.values())
    return [url for url, one in newest.items() if url not in cut and last.get(url) != one]


def shared_sources(ledger, held, learned):
    """Sites with two pages of the same source, the earlier of them with a document."""
    pages = defaultdict(set)
    for source, some in ledger.lost_pages.items():
        pages[source] |= {(page.site, page.id) for page in some if page.id in learned}
    for record in held:
        pages[source_of(record)].add((header(record, "site"), header(record, "id")))
    counts = Counter((source, site) for source, some in pages.items() for site, _ in some)
    return {site for (_, site), count in counts.items() if count > 1}


def documents_of(stream):
    """Page id -> event time of every document, or deletion, that was ever sent and not cut."""
    windows = {}
    for record in stream.records(DOCUMENTS):
        try:
            value = processable(record.value)
            document = decode_document_record(value) if value else None
        except SchemaError:
            continue
        if document is not None:
            windows[document.id] = document.event_time_ms
    return windows


def source_of(record):
    return f"{record.topic}-{record.partition}-{record.offset}"


def page_of_letter(headers):
    """The source and the id of the page that a dead letter is of."""
    names = (*(f"__streams.errors.{part}" for part in ("topic", "partition", "offset")), "id")
    *place, id_ = (headers[name].decode() for name in names)
    return "-".join(place), id_


def header(record, name):
    return dict(record.headers)[name].decode()


def write_expected(feed, path, expected):
    """Write the records of a feed that are expected, with their ids and event times."""
    with path.open("wb") as file:
        for number, line in enumerate(feed.read_bytes().splitlines()):
            id_ = f"{feed.name}:{number}"
            if id_ in expected:
                record = {**msgspec.json.decode(line), "id": id_, "fetched_at": expected[id_]}
                file.write(msgspec.json.encode(record) + b"\n")
    return path


def main():
    options = read_options(
        __doc__, seed=1, faults=150, pages=30_000, sites=500, kinds="", keep=Path, cluster=False,
        watched=False,
    )  # fmt: skip
    bound_fetches(load_settings().record_limit_bytes)
    with tempfile.TemporaryDirectory(prefix="faults-") as scratch:
        directory = options.keep or Path(scratch)
        directory.mkdir(exist_ok=not options.keep)
        with (own_cluster if options.cluster else own_broker)(directory) as broker:
            outcome = disturbed_run(
                broker,
                "faults.",
                directory,
                seed=options.seed,
                faults=options.faults,
                pages=options.pages,
                sites=options.sites,
                kinds=[one for one in options.kinds.split(",") if one],
                watched=options.watched,
                say=lambda line: print(line, flush=True),
            )
    print_report(outcome)


def print_report(outcome):
    """Print a report, and end the process with an error if something should not be."""
    print(msgspec.json.format(msgspec.json.encode(outcome)).decode())
    sys.exit("; ".join(outcome.problems()) or 0)


if __name__ == "__main__":
    main()
