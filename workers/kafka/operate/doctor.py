"""Finding what keeps a worker from running, or would let it lose records; nothing is changed."""

import os
import resource
import shutil
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from aiokafka import TopicPartition, codec
from aiokafka.errors import KafkaError
from aiokafka.protocol.admin import ApiVersionRequest

from schemas.codec import SchemaError
from schemas.topics import CLEANED, DEAD_LETTERS, DEFAULT_PARTITIONS, DOCUMENTS, SITE_SETTINGS
from workers.errors import BrokerProblem, DamagedStore, SettingsProblem, WorkerError
from workers.kafka.broker.access import BrokerAccess, as_broker_problem
from workers.kafka.broker.admin import (
    WATCH_RIGHTS,
    WORKER_RIGHTS,
    Right,
    check_topics,
    connected_admin,
    read_topics,
)
from workers.kafka.broker.partitioning import partition_of
from workers.kafka.broker.plain_clients import plain_consumer, read_whole
from workers.kafka.broker.received import processable
from workers.kafka.operate.findings import (
    CLOCK_AHEAD_MAX_MS,
    Finding,
    MachineFacts,
    StateFacts,
    TopicFacts,
    findings_of_lines,
    judge_clock,
    judge_dead_letters,
    judge_machine,
    judge_sites,
    judge_state,
    judge_take_downs,
    judge_topics,
)
from workers.log_lines import counted
from workers.processes.page_model import has_fitted_weights, usable_model_file
from workers.processors import processor_count
from workers.settings import Settings
from workers.site_settings import SITE_SETTINGS_FILE, SettingsOfSites, read_site_settings
from workers.state.directory import is_used, made_for_partitions
from workers.state.site_copy import copied_sites

_DAY_MS = 24 * 3600 * 1000
_ROLES = ("cleaner", "refresher")
_REFRESHER_CHILDREN = 2
_FETCH = 1
"""Kafka's number of the request that reads records."""
_FETCH_VERSIONS = {11: "2.3", 12: "2.7", 13: "3.1", 15: "3.5", 16: "3.7", 17: "3.9", 18: "4.1"}
"""Kafka's first release with a version of that request (`FetchRequest.json`)."""
_FETCH_FROM_4_0 = 4
"""Oldest version of that request that Kafka 4.0 and later understand (KIP-896)."""
_DEFAULTS = {
    "cleanup.policy": "delete",
    "compression.type": "producer",
    "delete.retention.ms": "86400000",
    "max.message.bytes": "1048588",
    "min.insync.replicas": "1",
    "retention.bytes": "-1",
    "retention.ms": "604800000",
    "unclean.leader.election.enable": "false",
}
"""Kafka's defaults of the settings that are asked for; some services do not report all of them."""
_CGROUP_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)
"""Files with the memory limit of a container, of cgroup version 2 and 1."""


async def examine(broker: BrokerAccess, state: Path | None, settings: Settings) -> list[Finding]:
    """Return the findings about a broker, this machine and a state directory, if one is given.

    If the broker cannot be reached, the machine is examined all the same.
    """
    findings, partitions = await _of_broker(broker, settings)
    facts = None if state is None else read_state(state)
    if state is not None and facts is not None:
        findings += judge_state(facts, partitions)
        findings += await _of_take_downs(broker, state, partitions)
        with suppress(WorkerError):  # nothing was learned there yet
            findings += judge_sites(copied_sites(state))
    machine = read_machine(settings)
    findings += judge_machine(machine, settings, partitions or DEFAULT_PARTITIONS, facts)
    return [*findings, *judge_page_model(settings.page_model)]


async def _of_broker(broker: BrokerAccess, settings: Settings) -> tuple[list[Finding], int | None]:
    """Return the findings about a broker, and the number of partitions of `documents`."""
    rights, roles = WORKER_RIGHTS, [*_ROLES]
    if settings.observed:  # which `templ watch` reads
        rights = {**WATCH_RIGHTS, **WORKER_RIGHTS, CLEANED: (Right.READ, Right.WRITE)}
        roles.append("watcher")
    groups = [broker.group(role) for role in roles]
    findings: list[Finding] = []
    partitions = None
    try:
        note, topics = await _read_broker(broker)
        findings.append(Finding("note", note))
        if DOCUMENTS in topics:
            partitions = topics[DOCUMENTS].partitions
        findings += judge_topics(topics, settings, usable_codecs())
        findings += findings_of_lines(await check_topics(broker, rights=rights, groups=groups))
        findings += judge_clock(await _records_ahead(broker, topics.values()))
        if DEAD_LETTERS in topics:
            letters = topics[DEAD_LETTERS]
            findings += judge_dead_letters(letters.name, await _records_of_a_day(broker, letters))
    except BrokerProblem as problem:
        findings += findings_of_lines([str(problem)])
    return findings, partitions


async def _read_broker(broker: BrokerAccess) -> tuple[str, dict[str, TopicFacts]]:
    """Return what a broker reports of itself, and its topics by name without the prefix."""
    async with connected_admin(broker) as admin:
        versions = await admin.ask(ApiVersionRequest())
        cluster = await admin.describe_cluster()
        topics = await read_topics(admin, broker, _DEFAULTS, left_out=KafkaError)
    fetch = {key: (low, high) for key, low, high in versions.api_versions}[_FETCH]
    return (
        f"{broker} is reached: {counted(len(cluster['brokers']), 'broker')}, Kafka {release_of(*fetch)}",
        {name: _topic(broker.topic(name), *found) for name, found in topics.items()},
    )


def _topic(name: str, partitions: list[dict[str, object]], config: dict[str, str]) -> TopicFacts:
    copies = [(len(partition["replicas"]), len(partition["isr"])) for partition in partitions]  # type: ignore[arg-type]
    return TopicFacts(
        name=name,
        partitions=len(partitions),
        config=_DEFAULTS | config,
        leaderless=sum(partition["leader"] == -1 for partition in partitions),
        under_replicated=sum(current < wanted for wanted, current in copies),
        replicas=min(wanted for wanted, _ in copies),
    )


async def _records_ahead(broker: BrokerAccess, topics: Iterable[TopicFacts]) -> dict[str, int]:
    """Return how far records are dated after this machine's clock, in milliseconds by topic.

    No record is fetched: the broker finds the first one of each partition by its time.
    """
    now_ms = round(time.time() * 1000)
    asked = {
        TopicPartition(topic.name, number): now_ms + CLOCK_AHEAD_MAX_MS
        for topic in topics
        if not topic.leaderless
        for number in range(topic.partitions)
    }
    if not asked:
        return {}
    with as_broker_problem(
        lambda error: f"{broker} does not tell the times of its records ({error}); try again"
    ):
        async with plain_consumer(broker) as consumer:
            offsets = await consumer.offsets_for_times(asked)
    ahead: dict[str, int] = {}
    for partition, place in offsets.items():
        if place is not None:
            ahead[partition.topic] = max(ahead.get(partition.topic, 0), place.timestamp - now_ms)
    return ahead


async def _records_of_a_day(broker: BrokerAccess, topic: TopicFacts) -> int:
    """Return how many records a topic received in the last 24 hours; none is fetched."""
    partitions = [TopicPartition(topic.name, number) for number in range(topic.partitions)]
    asked = dict.fromkeys(partitions, round(time.time() * 1000) - _DAY_MS)
    with as_broker_problem(
        lambda error: f"{broker} does not tell the times of its records ({error}); try again"
    ):
        async with plain_consumer(broker) as consumer:
            offsets = await consumer.offsets_for_times(asked)
            ends = await consumer.end_offsets(partitions)
    return sum(ends[tp] - place.offset for tp, place in offsets.items() if place is not None)


async def _of_take_downs(
    broker: BrokerAccess, state: Path, partitions: int | None
) -> list[Finding]:
    """Return the findings about take-downs, if the broker lists its topics."""
    if partitions is None:
        return []
    try:
        known, said = taken_down_in_state(state), SettingsOfSites()
        if known:
            await _read_settings(broker, partitions, said)
    except WorkerError as problem:
        return list(findings_of_lines([str(problem)]))
    return list(judge_take_downs(broker.topic(SITE_SETTINGS), state, known - set(said.forgotten())))


async def _read_settings(
    broker: BrokerAccess, partitions: int, site_settings: SettingsOfSites
) -> None:
    """Take in what the topic `site-settings` says."""
    topic = broker.topic(SITE_SETTINGS)
    topics = [TopicPartition(topic, number) for number in range(partitions)]
    with as_broker_problem(lambda error: f"{broker} does not give site settings: {error}"):
        async for record in read_whole(broker, topics):
            with suppress(SchemaError, UnicodeDecodeError):  # workers step over it, too
                site = (record.key or b"").decode()
                if record.partition == partition_of(site, partitions):
                    site_settings.put(site, processable(record.value))


def taken_down_in_state(path: Path) -> frozenset[str]:
    """Return the sites that the roles of a worker remember as taken down.

    Raises:
        InputProblem: The settings in the directory cannot be read.
    """
    decided = [
        read_site_settings(path / role / SITE_SETTINGS_FILE) for role in (*_ROLES, "watcher")
    ]
    return frozenset(site for known in decided for site in known.forgotten())


def usable_codecs() -> frozenset[str]:
    """Return the compressions that this installation can read and write."""
    usable = {name: getattr(codec, f"has_{name}")() for name in ("gzip", "snappy", "lz4", "zstd")}
    return frozenset(name for name, is_there in usable.items() if is_there)


def release_of(oldest: int, newest: int) -> str:
    """Return Kafka's release, from the oldest and the newest version of the fetch request it knows."""
    known = [release for version, release in _FETCH_VERSIONS.items() if version <= newest]
    if not known:
        return f"older than {_FETCH_VERSIONS[min(_FETCH_VERSIONS)]}"
    if oldest >= _FETCH_FROM_4_0 and known[-1] < "4.0":
        return "4.0 or later"
    return f"{known[-1]} or later"


def read_machine(settings: Settings) -> MachineFacts:
    """Return what this machine offers to a worker."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)  # workers raise the other one
    return MachineFacts(
        memory_bytes=_memory_bytes(),
        children=(settings.cleaner_children or processor_count()) + _REFRESHER_CHILDREN,
        open_files=None if hard == resource.RLIM_INFINITY else hard,
    )


def _memory_bytes() -> int | None:
    """Return the memory of this machine, or of its container where that has less."""
    sizes = []
    with suppress(ValueError, OSError):
        sizes.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    for file in _CGROUP_LIMITS:
        with suppress(ValueError, OSError):  # there may be no file, or the word `max`
            sizes.append(int(file.read_text()))
    return min(sizes, default=None)


def read_state(path: Path) -> StateFacts:
    """Return what is known of a state directory, which need not exist yet."""
    there = path.absolute()
    while not os.access(there, os.F_OK):
        there = there.parent
    disk = shutil.disk_usage(there)
    directories = [there, *(path / role for role in _ROLES if os.access(path / role, os.F_OK))]
    made: list[int] = []
    for directory in directories[1:]:
        with suppress(DamagedStore, PermissionError):  # a worker replaces a damaged one
            made += made_for_partitions(directory)
    return StateFacts(
        path=str(path),
        is_writable=all(
            directory.is_dir() and os.access(directory, os.W_OK | os.X_OK)
            for directory in directories
        ),
        is_of_run=os.access(there, os.X_OK) and is_used(path),
        partitions=tuple(made),
        disk_free_bytes=disk.free,
        disk_bytes=disk.total,
        files=max(map(_files_in, directories[1:]), default=0),
    )


def _files_in(path: Path) -> int:
    """Return the number of files in the stores of a role, which has a directory for each."""
    return sum(1 for _ in path.glob("*/*"))


def judge_page_model(path: Path | None) -> Iterator[Finding]:
    """Yield what is wrong with the file of the page model; None means the one that comes with templ."""
    try:
        body = b"" if path is None else usable_model_file(path)
    except SettingsProblem as problem:
        yield from findings_of_lines([str(problem)])
        return
    if not has_fitted_weights(body):
        yield Finding(
            "warning",
            f"page model {path or 'of templ'}: the site level's weights were fitted for another page "
            "model, so unfitted weights take their place",
            "use the page model that comes with templ, or fit the weights",
        )
