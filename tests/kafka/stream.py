"""Workers on a real broker, and what they leave behind, for the tests of the whole stream."""

import asyncio
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import psutil
from aiokafka import AIOKafkaProducer, TopicPartition
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import KafkaError

from schemas.codec import decode_output, encode_json
from schemas.topics import CLEANED, DEAD_LETTERS, DOCUMENTS, PAGES, TOPICS
from templ_core.stored.compact import content_digest
from tests.kafka.broker import ask
from tests.kafka.small_feed import write_small_feed
from tests.workers.memory_transport import MemoryTransport
from workers.errors import DamagedStore
from workers.feeds.files import read_feed
from workers.feeds.reading import Reading
from workers.kafka.broker.access import BrokerAccess
from workers.kafka.broker.admin import create_topics
from workers.kafka.broker.feeder import Feeder
from workers.kafka.broker.plain_clients import plain_consumer, read_until
from workers.pace import Pace
from workers.processes.pool import Pool
from workers.settings import load_settings
from workers.state.packing import content_of
from workers.state.window_store import WindowStore

PARTITIONS = 4
WAIT_S = 120
ENVIRONMENT = {
    "TEMPL_SESSION_TIMEOUT_S": "3",
    "TEMPL_COMMIT_INTERVAL_S": "0.2",
    "TEMPL_BATCH_PAGES": "8",
    "TEMPL_STALL_TIMEOUT_S": "20",
    "TEMPL_REFRESHER_NICENESS": "0",
    "TEMPL_CLEANER_CHILDREN": "1",
}
fork_server = None
"""What starts commands and workers; None = they start as users start them, with all their imports."""


def write_feed(path, pages, sites=6, seed=1):
    """A feed of small synthetic pages; answers its path."""
    return write_small_feed(path, pages=pages, sites=sites, seed=seed)


def halves(feed):
    """The feed in two files: what the first teaches is known before the second comes."""
    lines = feed.read_bytes().splitlines(keepends=True)
    middle = len(lines) // 2
    first, second = feed.with_name("first.jsonl"), feed.with_name("second.jsonl")
    first.write_bytes(b"".join(lines[:middle]))
    second.write_bytes(b"".join(lines[middle:]))
    return first, second


def templ(*arguments, expect=0, timeout_s=WAIT_S, **environment):
    """Run a `templ` command to its end; answers what it printed."""
    variables = {**os.environ, **ENVIRONMENT, **environment}
    if fork_server is not None:
        done = fork_server.run("workers", *arguments, environment=variables, timeout_s=timeout_s)
        done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
    else:
        done = subprocess.run(
            [sys.executable, "-m", "workers", *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=timeout_s,
            env=variables,
            check=False,
        )
    assert done.returncode == expect, done.stderr
    assert "Traceback" not in done.stderr
    return done


class Stream:
    """Topics with a prefix on a broker, and the workers that serve them."""

    def __init__(self, broker, prefix, directory, partitions=PARTITIONS):
        self.address = broker.address
        self.access = BrokerAccess(self.address, prefix=prefix)
        self.prefix = prefix
        self.directory = directory
        self.options = ("--broker", self.address, "--prefix", prefix)
        self.counts = dict.fromkeys(TOPICS, partitions)
        self._workers, self._commands = {}, {}
        self.create_topics()

    def create_topics(self):
        """Create the topics that are missing."""
        asyncio.run(create_topics(self.access, self.counts[DOCUMENTS]))

    def feed(self, *paths, time_field="fetched_at", rate=None):
        """Send the pages of files."""
        asyncio.run(self.send_pages(read_feed(paths, Reading(time_field=time_field)), rate))

    def start(self, name="one", *, command=None, **environment):
        """Start a worker, or a watcher, with a state directory of its own; once started, it stays what it is."""
        command = self._commands[name] = command or self._commands.get(name, "worker")
        arguments = [command, *self.options, "--state", self.state(name)]
        variables = {**os.environ, **ENVIRONMENT, **environment}
        with (self.directory / f"{name}.log").open("ab") as log:
            if fork_server is not None:
                files = {1: log.fileno(), 2: log.fileno()}
                process = fork_server.start(
                    "workers", *arguments, environment=variables, files=files
                )
            else:
                command = [sys.executable, "-m", "workers", *arguments]
                process = subprocess.Popen(command, env=variables, stdout=log, stderr=log)
        self._workers[name] = process

    def stop(self, name="one", how=signal.SIGTERM):
        """Stop a worker; answers its exit code."""
        process = self._workers.pop(name)
        process.send_signal(how)
        return process.wait(WAIT_S)

    def wait_for_end(self, name):
        """Wait until a worker ends by itself; answers its exit code."""
        return self._workers.pop(name).wait(WAIT_S)

    def running(self):
        """Names of the workers that were started and not stopped."""
        return list(self._workers)

    def ended(self):
        """Names of the workers that have ended by themselves."""
        return [name for name, process in self._workers.items() if process.poll() is not None]

    def pid(self, name):
        """Process id of a worker."""
        return self._workers[name].pid

    def processes(self, name="one"):
        """The processes of a worker."""
        worker = psutil.Process(self.pid(name))
        return [worker, *worker.children(recursive=True)]

    @contextmanager
    def paused(self, name="one"):
        """Stop the processes of a worker meanwhile, as a machine that is moved does."""
        processes = self.processes(name)
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                process.suspend()
        yield
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                process.resume()

    def stop_all(self):
        for name in list(self._workers):
            self.stop(name, signal.SIGKILL)

    def state(self, name="one") -> Path:
        return self.directory / name

    def instance(self, name, role):
        """Name under which a worker's role is known in its group."""
        return json.loads((self.state(name) / role / "state.json").read_bytes())["instance"]

    def members(self, role):
        """Instances in a group."""
        return asyncio.run(self._members(f"{self.prefix}templ-{role}"))

    async def _members(self, group):
        (description,) = await self.ask(lambda admin: admin.describe_consumer_groups([group]))
        # The broker begins a static member's id with its instance.
        return {member[0][:32] for group in description.groups for member in group[5]}

    def log(self, name="one"):
        return (self.directory / f"{name}.log").read_text()

    def records(self, topic):
        """Every record of a topic, of all partitions."""
        return asyncio.run(self._records(self.partitions(topic)))

    async def _records(self, partitions):
        async with plain_consumer(self.access) as consumer:
            consumer.assign(partitions)
            await consumer.seek_to_beginning(*partitions)
            ends = await consumer.end_offsets(partitions)
            return [one async for records in read_until(consumer, dict(ends)) for one in records]

    def outputs(self):
        """Cleaned records in order of arrival, by the source they answer."""
        records = {}
        for record in self.records(CLEANED):
            if record.value is not None:
                cleaned = decode_output(record.value)
                records.setdefault(cleaned.source, []).append(cleaned)
        return records

    def answered(self):
        """Source ids of all pages that have an output, a deletion or a dead letter."""
        cleaned = {dict(record.headers)["source.id"].decode() for record in self.records(CLEANED)}
        return cleaned | set(self.dead_letters())

    def dead_letters(self):
        """Source id -> headers and value of each dead letter."""
        records = {}
        for record in self.records(DEAD_LETTERS):
            headers = {name: (value or b"").decode() for name, value in record.headers}
            place = (
                headers[f"__streams.errors.{name}"] for name in ("topic", "partition", "offset")
            )
            records["-".join(place)] = headers, record.value
        return records

    def sent(self):
        """Source ids of all pages."""
        return {f"{one.topic}-{one.partition}-{one.offset}" for one in self.records(PAGES)}

    def newest_fetches(self):
        """URL -> source id of its page that came last."""
        pages = sorted(self.records(PAGES), key=lambda record: (record.partition, record.offset))
        return {
            dict(one.headers)["url"].decode(): f"{one.topic}-{one.partition}-{one.offset}"
            for one in pages
        }

    def last_sources(self):
        """URL -> source id of its last output."""
        cleaned = sorted(
            self.records(CLEANED), key=lambda record: (record.partition, record.offset)
        )
        return {one.key.decode(): dict(one.headers)["source.id"].decode() for one in cleaned}

    def recreate(self, *topics):
        """Delete topics and create them again, empty."""
        self.delete(*topics)
        self.create_topics()

    def delete(self, *topics):
        """Delete topics, and wait until they are gone."""
        names = {self.prefix + topic for topic in topics}
        asyncio.run(self.ask(lambda admin: admin.delete_topics([*names])))
        wait_until(
            lambda: (
                not names.intersection(asyncio.run(self.ask(lambda admin: admin.list_topics())))
            ),
            lambda: "a topic is still there",
        )

    async def ask(self, question):
        """What an admin client answers."""
        return await ask(self.address, question)

    async def configure(self, configs, *topics):
        """Give topics these settings, and the defaults for all others."""
        kind = ConfigResourceType.TOPIC
        resources = [ConfigResource(kind, self.prefix + one, configs) for one in topics]
        await self.ask(lambda admin: admin.alter_configs(resources))

    def lose_log(self, broker, topic):
        """Take all records of a topic away, as a new disk does; the topic itself stays."""
        broker.stop()
        for number in range(self.counts[topic]):
            shutil.rmtree(broker.data / "log" / f"{self.prefix}{topic}-{number}")
        broker.start()

    async def send_pages(self, pages, rate=None):
        """Send pages as `templ feed` does, which refuses none of them."""
        limit_bytes, pace = load_settings().message_limit_bytes, Pace(rate or math.inf)
        async with Feeder(self.access, limit_bytes) as feeder:
            for page in pages:
                await pace.wait()
                assert await feeder.send(page) is None

    def wait_until_answered(self, wait_s=WAIT_S):
        wait_until(
            lambda: asyncio.run(self._may_be_answered()) and self.answered() >= self.sent(),
            self._logs,
            wait_s,
        )

    def wait_until_settled(self, wait_s=WAIT_S):
        """Until every page is answered and learned."""
        self.wait_until_answered(wait_s)
        self.wait_until_learned(wait_s)

    def finish(self, name="one"):
        """Stop a worker once every page is answered and learned."""
        self.wait_until_settled()
        assert self.stop(name) == 0

    def send(self, topic, *records, **options):
        """Send records, each the arguments of a producer; answers what the broker says of each."""

        async def send():
            producer = AIOKafkaProducer(bootstrap_servers=self.address, **options)
            async with producer:
                name = self.prefix + topic
                return [await producer.send_and_wait(name, **one) for one in records]

        return asyncio.run(send())

    async def _may_be_answered(self):
        """Whether there are as many outputs as pages: the records need not be read before."""
        async with plain_consumer(self.access) as consumer:
            pages, cleaned, dead = [
                sum((await consumer.end_offsets(self.partitions(topic))).values())
                for topic in (PAGES, CLEANED, DEAD_LETTERS)
            ]
        return cleaned + dead >= pages

    def partitions(self, topic):
        """All partitions of a topic."""
        name = self.prefix + topic
        return [TopicPartition(name, number) for number in range(self.counts[topic])]

    def wait_until_learned(self, wait_s=WAIT_S):
        """Until the refreshers have committed all of `documents`, and nothing comes any more."""
        for _ in range(2):
            self.wait_until_lag("refresher", DOCUMENTS, 0, wait_s)

    def wait_until_taken(self, most=0, wait_s=WAIT_S):
        """Until both groups have committed all but so many records of their inputs."""
        self.wait_until_lag("cleaner", PAGES, most, wait_s)
        self.wait_until_lag("refresher", DOCUMENTS, most, wait_s)

    def wait_until_lag(self, role, topic, most, wait_s=WAIT_S):
        """Until a group has committed all but so many records of its input."""

        def is_reached():
            lag = asyncio.run(self.lag(role, topic))
            return lag is not None and lag <= most

        wait_until(is_reached, self._logs, wait_s)

    async def lag(self, role, topic):
        """Records of its input that a group has not committed; None while nobody knows."""
        partitions = self.partitions(topic)
        group = f"{self.prefix}templ-{role}"
        try:
            committed = await self.ask(lambda admin: admin.list_consumer_group_offsets(group))
        except KafkaError:
            return None
        ends = await self._ends(topic)
        done = {one: found.offset for one, found in committed.items()}
        # Where a log was cut, the offset that was committed before may lie beyond its end.
        return sum(abs(ends[one] - done.get(one, 0)) for one in partitions)

    def ends(self, topic):
        """The end offset of each partition of a topic."""
        return asyncio.run(self._ends(topic))

    async def _ends(self, topic):
        async with plain_consumer(self.access) as consumer:
            return await consumer.end_offsets(self.partitions(topic))

    def _logs(self):
        return "\n".join(self.log(path.stem) for path in self.directory.glob("*.log"))

    def windows(self, *names, **environment):
        """Windows and refitted models of stopped workers, from the store that read furthest.

        A store that has read beyond the end is of a log that was cut since, under another worker.
        """
        settings = settings_of(environment)
        ends = self.ends(DOCUMENTS)
        with ExitStack() as stack:
            windows = {}
            for number in range(self.counts[DOCUMENTS]):
                paths = [self.state(name) / "refresher" / f"windows-{number}" for name in names]
                stores = []
                for path in paths:
                    with suppress(DamagedStore):  # its partition went to another worker since
                        if path.exists():
                            stores.append(WindowStore(path, settings))
                            stack.callback(stores[-1].close)
                (partition,) = [one for one in ends if one.partition == number]
                stores = [one for one in stores if one.next_offset <= ends[partition]]
                if stores:
                    windows |= windows_of(max(stores, key=lambda store: store.next_offset))
            return windows


def windows_of(store):
    """Site -> ids and content digests of its window, and its refitted model's bytes."""
    pool = Pool(load_settings(), children=1)
    transport = MemoryTransport(store, pool, load_settings())
    windows = {}
    for site, state in store.sites():
        if state.pages:
            window = list(store.window(site))
            assert all(content_digest(content_of(one.body)) == one.content_digest for one in window)
            documents = [(one.id, one.content_digest.hex()) for one in window]
            windows[site] = documents, encode_json(transport.fit(site))
    pool.close()
    return windows


def other_windows(expected, windows):
    """Sites whose window, refitted model or texts with it are not those that are expected."""
    sites = expected.keys() | windows.keys()
    return sorted(site for site in sites if expected.get(site) != windows.get(site))


def settings_of(environment):
    """Settings of workers that were started with these variables."""
    return load_settings(
        **{name.removeprefix("TEMPL_").lower(): value for name, value in environment.items()}
    )


def local_run(feeds, directory, timeout_s=WAIT_S, **environment):
    """Outputs in order, and windows, of `templ run` on the same feeds."""
    out, state = directory / "local.jsonl", directory / "local"
    templ("run", *feeds, "--out", out, "--state", state, timeout_s=timeout_s, **environment)
    lines = out.read_bytes().splitlines()
    store = WindowStore(state / "windows-0", settings_of(environment))
    windows = windows_of(store)
    store.close()
    return [decode_output(line) for line in lines], windows


def wait_until(condition, explain, wait_s=WAIT_S):
    """Wait for a condition; fails with an explanation when it does not come true."""
    until = time.monotonic() + wait_s
    while not condition():
        assert time.monotonic() < until, explain()
        time.sleep(0.3)
