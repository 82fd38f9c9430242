"""The faults that are drawn from, and a ledger of what they took from the topics or put there."""

import asyncio
import random
import shutil
import signal
import subprocess
import time
from collections import Counter, defaultdict
from contextlib import suppress
from functools import partial

import msgspec
import psutil
from aiokafka import AIOKafkaProducer, TopicPartition
from aiokafka.admin import RecordsToDelete

from schemas.codec import SchemaError, decode_document_record, encode_msgpack
from schemas.topics import DOCUMENTS, PAGES, SITE_MODELS
from tests.faults.log_files import cut_tail
from tests.kafka.hostile_records import (
    HOSTILE_PAGES,
    accept_any_timestamp,
    hostile_documents,
    send_batch,
    send_when_taken,
)
from tests.kafka.stream import PARTITIONS, wait_until
from tests.workers.builders import site_model_record
from tests.workers.hostile_site_models import hostile_site_models
from tests.workers.raw_batches import Zeros
from workers.kafka.broker.feeder import page_headers
from workers.kafka.broker.partitioning import partition_of
from workers.kafka.broker.received import processable
from workers.settings import DAY_MS

PATIENT = {
    "TEMPL_WINDOW_PAGES_MAX": "40",
    "TEMPL_REVISIONS_PER_S": "200",
    "TEMPL_BATCH_PAGES": "32",
    "TEMPL_SESSION_TIMEOUT_S": "6",
    "TEMPL_STALL_TIMEOUT_S": "120",
    "TEMPL_OBSERVED": "true",
}
"""A busy machine must not be taken for stalled, and windows are to be full."""
WORKERS = ("one", "two", "three")
WATCHERS = ("watcher one", "watcher two")
PAUSE_S = 8.0
"""How long a paused worker is paused; its session ends before."""
DISK = "512m"
"""Size of the disk that the state of a worker is on, where one can be mounted."""
DISK_FULL_S = (2.0, 8.0)
"""How long a disk stays full, at least and at most."""
TOO_LARGE = Zeros(80 << 20)
"""A value beyond `TEMPL_RECORD_LIMIT_BYTES` that is cheap enough to be read many times."""
AHEAD_MS = 400 * DAY_MS
HOSTILE_PER_FAULT = 3
SENT_AGAIN = (20, 60)
"""How many pages a feed sends again, at least and at most."""
ONCE = "pages created again"
"""The fault that is done at most once."""


class LostPage(msgspec.Struct, frozen=True):
    """A page that its topic has lost."""

    id: str
    site: str
    url: str


class Ledger:
    """What faults did to the topics, by which the end of the run is judged."""

    def __init__(self):
        self.lost_pages: defaultdict[str, list[LostPage]] = defaultdict(list)
        """Source id -> the pages that had it when they were lost."""
        self.lost_documents: dict[str, str] = {}
        """Page id -> URL of documents that were lost."""
        self.ahead: dict[str, str] = {}
        """Site -> id of its page that is dated ahead."""

    def lose_page(self, topic, partition, record):
        """Note a page that is lost, unless it was a hostile one, which has no id."""
        source = f"{topic}-{partition}-{record.offset}"
        headers = dict(record.headers)
        if "id" in headers:
            names = [headers[name].decode() for name in ("id", "site", "url")]
            self.lost_pages[source].append(LostPage(*names))

    def lose_document(self, record):
        """Note a document that is lost."""
        with suppress(SchemaError):
            if value := processable(record.value):
                document = decode_document_record(value)
                self.lost_documents[document.id] = document.url


class Disturber:
    """Does to a stream what a machine room does."""

    feeds_meanwhile = False
    """Whether pages are sent during a fault, and not before and after it."""

    def __init__(self, broker, stream, seed, kinds=(), watchers=()):
        """Disturb three workers and so many watchers, with all kinds of faults where none are named."""
        self._watchers = watchers
        self._broker = broker
        self._stream = stream
        self._rng = random.Random(seed)
        self._kinds = kinds
        self._next_pages, self._sent_pages = [], []
        self.ledger = Ledger()
        self.done: Counter[str] = Counter()
        self._faults = {
            "kill a worker": lambda: self._stop_worker(signal.SIGKILL),
            "kill a process": self._kill_process,
            "kill a cleaner": lambda: self._kill_role("cleaner"),
            "kill a refresher": lambda: self._kill_role("refresher"),
            "stop a worker": self._stop_worker,
            "rebalance": self._rebalance,
            "rebalance during a rebuild": self._rebalance_during_rebuild,
            "pause a worker": self._pause_worker,
            "restart the broker": self._restart_broker,
            "broker away": self._broker_away,
            "lose a state directory": self._lose_state,
            "damage a store": self._damage_store,
            "lose site-models": self._lose_site_models,
            "cut pages": self._cut_pages,
            "pages expire unread": self._expire_pages,
            "cut documents": self._cut_documents,
            "hostile pages": self._hostile_pages,
            "hostile documents": self._hostile_documents,
            "hostile site-models": self._hostile_site_models,
            "page dated ahead": self._page_ahead,
            "feed sent again": self._send_again,
            ONCE: self._recreate_pages,
        }

    def start(self):
        """Mount a small disk for each worker, where this is allowed, and start the workers.

        A worker that starts while its topics are missing would end, as it should.
        """
        self._disks = [name for name in WORKERS if self._mount(name)]
        if self._disks:
            self._faults["disk full"] = self._disk_full
        kinds = sorted(self._kinds or self._faults)
        self._order = self._rng.sample(kinds, len(kinds))
        for name in WORKERS:
            self._stream.start(name, **PATIENT)
        for name in self._watchers:
            self._stream.start(name, command="watch", **PATIENT)
        for name in (*WORKERS, *self._watchers):
            log = partial(self._stream.log, name)
            wait_until(lambda log=log: '"event":"ready: ' in log(), log)

    def close(self):
        """Unmount the disks."""
        for name in self._disks:
            subprocess.run(["umount", "-l", self._stream.state(name)], check=False)

    def one_fault(self, number, next_pages, sent_pages):
        """Do the next fault.

        Args:
            number: Faults before it. The first ones are one of each kind.
            next_pages: Pages that are sent next; one of them may be taken away and sent.
            sent_pages: Pages that were sent before, in order.

        Returns:
            The name of the fault, and the time in seconds at which all was whole again.
        """
        self._next_pages, self._sent_pages = next_pages, sent_pages
        if number < len(self._order):
            name = self._order[number]
        else:
            name = self._rng.choice([one for one in self._order if one != ONCE])
        self._faults[name]()
        self.done[name] += 1
        return name, time.monotonic()

    def start_ended(self):
        """Start workers that ended by themselves; answers their names."""
        ended = self._stream.ended()
        for name in ended:
            self._stream.wait_for_end(name)
            self._stream.start(name, **PATIENT)
        return ended

    def _mount(self, name):
        state = self._stream.state(name)
        state.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "templ-faults", state]
        return subprocess.run(command, check=False, capture_output=True).returncode == 0

    def _stop_worker(self, how=signal.SIGTERM):
        name = self._any()
        self._stream.stop(name, how)
        self._pause()
        self._stream.start(name, **PATIENT)

    def _kill_process(self):
        worker = psutil.Process(self._stream.pid(self._any()))
        below = worker.children(recursive=True)
        if below:
            self._rng.choice(sorted(below, key=lambda one: one.pid)).kill()

    def _kill_role(self, role):
        """Kill the process of one role; its worker starts it again."""
        name = self._rng.choice([one for one in self._stream.running() if one in WORKERS])
        for process in psutil.Process(self._stream.pid(name)).children():
            if role in process.cmdline():
                process.kill()

    def _rebalance(self):
        if "three" in self._stream.running():
            self._stream.stop("three")
        else:
            self._stream.start("three", **PATIENT)

    def _rebalance_during_rebuild(self):
        """Have a worker rebuild its windows, and give its partitions to others meanwhile."""
        self._lose_state()
        time.sleep(self._rng.uniform(2, 5))
        self._rebalance()

    def _pause_worker(self):
        """Stop a worker's processes for longer than its session."""
        with self._stream.paused(self._any()):
            time.sleep(PAUSE_S)

    def _restart_broker(self):
        self._stop_broker()
        self._pause()
        self._broker.start()

    def _broker_away(self):
        """Take the broker away for longer than a session."""
        self._stop_broker()
        time.sleep(self._rng.uniform(5, 10))
        self._broker.start()

    def _stop_broker(self):
        if self._rng.random() < 0.5:
            self._broker.kill()
        else:
            self._broker.stop()

    def _lose_state(self):
        name = self._any()
        self._stream.stop(name, signal.SIGKILL)
        self._pause()
        for path in self._stream.state(name).iterdir():
            shutil.rmtree(path, ignore_errors=True)
            path.unlink(missing_ok=True) if path.is_file() else None
        self._stream.start(name, **PATIENT)

    def _damage_store(self):
        name = self._any()
        self._stream.stop(name, signal.SIGKILL)
        files = [
            file
            for kind in ("*.sst", "*.blob", "*.log", "MANIFEST-*", "CURRENT")
            for file in sorted(self._stream.state(name).glob(f"*/*/{kind}"))
            if not file.parent.name.endswith(".damaged")
        ]
        if files:
            file = self._rng.choice(files)
            content = bytearray(file.read_bytes())
            if content:
                content[self._rng.randrange(len(content))] ^= 1 << self._rng.randrange(8)
            file.write_bytes(content)
        self._stream.start(name, **PATIENT)

    def _disk_full(self):
        """Leave no byte free on the disk of a worker for some seconds."""
        disks = [name for name in self._stream.running() if name in self._disks]
        disk = self._stream.state(self._rng.choice(disks))
        self._fill(disk, lambda: time.sleep(self._rng.uniform(*DISK_FULL_S)))

    def _fill(self, disk, wait):
        """Leave no byte free on a disk while the call waits."""
        filler = disk / "filler"
        free = psutil.disk_usage(disk).free
        with suppress(OSError), filler.open("wb", buffering=0) as file:  # others write, too
            while free > 0:
                free -= file.write(bytes(1 << 20))
        wait()
        filler.unlink()

    def _lose_site_models(self):
        self._stream.lose_log(self._broker, SITE_MODELS)

    def _cut_pages(self):
        topic = self._stream.prefix + PAGES
        for partition, lost in self._cut(topic):
            for record in lost:
                self.ledger.lose_page(topic, partition, record)

    def _expire_pages(self):
        """Delete the oldest pages while no worker runs, as retention does: committed offsets are older."""
        names = self._stream.running()
        for name in names:
            self._stream.stop(name, signal.SIGKILL)
        limits = {
            one: self._rng.randint(end // 2, end)
            for one, end in self._stream.ends(PAGES).items()
            if self._rng.random() < 0.5
        }
        for record in self._stream.records(PAGES):
            if record.offset < limits.get(TopicPartition(record.topic, record.partition), 0):
                self.ledger.lose_page(record.topic, record.partition, record)
        deleted = {one: RecordsToDelete(before_offset=limit) for one, limit in limits.items()}
        asyncio.run(self._stream.ask(lambda admin: admin.delete_records(deleted)))
        for name in names:
            self._stream.start(name, **PATIENT)

    def _cut_documents(self):
        for _, lost in self._cut(self._stream.prefix + DOCUMENTS):
            for record in lost:
                self.ledger.lose_document(record)

    def _cut(self, topic):
        partitions = self._rng.sample(range(PARTITIONS), self._rng.randint(1, PARTITIONS))
        self._broker.kill()
        logs = self._broker.data / "log"
        lost = [(number, cut_tail(logs / f"{topic}-{number}", self._rng)) for number in partitions]
        self._broker.start()
        return lost

    def _recreate_pages(self):
        for record in self._stream.records(PAGES):
            self.ledger.lose_page(record.topic, record.partition, record)
        self._stream.recreate(PAGES)

    def _hostile_pages(self):
        for _ in range(HOSTILE_PER_FAULT):
            key, value, headers = self._rng.choice(list(HOSTILE_PAGES.values()))
            value = TOO_LARGE if isinstance(value, Zeros) else value
            partition = self._rng.randrange(PARTITIONS)
            send_batch(self._stream, PAGES, partition, [(key, value, headers)])

    def _hostile_documents(self):
        site = self._site()
        records = self._rng.sample(hostile_documents(site, TOO_LARGE), HOSTILE_PER_FAULT)
        send_batch(self._stream, DOCUMENTS, partition_of(site, PARTITIONS), records)

    def _hostile_site_models(self):
        bodies = [body for body, _ in hostile_site_models().values()]
        values = [(self._site(), body) for body in self._rng.sample(bodies, HOSTILE_PER_FAULT)]
        for site, body in values:
            version = f"hostile-{self._rng.getrandbits(32)}"
            record = site_model_record(version, site=site, documents=30, body=body)
            hostile = [(site.encode(), encode_msgpack(record), [])]
            send_batch(self._stream, SITE_MODELS, partition_of(site, PARTITIONS), hostile)
        large = [(self._site().encode(), TOO_LARGE, [])]
        send_batch(self._stream, SITE_MODELS, self._rng.randrange(PARTITIONS), large)

    def _page_ahead(self):
        """Send the next page of a site with a date 400 days ahead, in its record as well."""
        page = next(one for one in self._next_pages if one.site not in self.ledger.ahead)
        self._next_pages.remove(page)
        self.ledger.ahead[page.site] = page.id
        asyncio.run(self._send_ahead(page))

    async def _send_ahead(self, page):
        await accept_any_timestamp(self._stream)
        ahead_ms = time.time_ns() // 1_000_000 + AHEAD_MS
        dated = msgspec.structs.replace(page, event_time_ms=ahead_ms)
        async with AIOKafkaProducer(bootstrap_servers=self._stream.address) as producer:
            await send_when_taken(
                producer,
                self._stream.prefix + PAGES,
                page.body,
                key=page.site.encode(),
                headers=page_headers(dated),
                timestamp_ms=ahead_ms,
            )

    def _send_again(self):
        """Send pages again from an older offset, as a feed that died before it stored how far it was."""
        pages = self._sent_pages[-self._rng.randint(*SENT_AGAIN) :]
        asyncio.run(self._stream.send_pages(pages))

    def _site(self):
        return self._rng.choice(self._next_pages).site

    def _any(self):
        return self._rng.choice(self._stream.running())

    def _pause(self):
        time.sleep(self._rng.uniform(0, 1.5))
