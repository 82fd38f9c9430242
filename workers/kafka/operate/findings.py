"""Judging what was read of a broker and of a machine, without asking either."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal

import msgspec

from schemas.topics import CLEANED, DEAD_LETTERS, DOCUMENTS, PAGES, SITE_MODELS, SITE_SETTINGS
from workers.kafka.broker.plain_consumer import NULLS_ARE_SAFE_MS
from workers.setting_values import BYTES, MILLISECONDS, SettingType, number_of
from workers.settings import Settings

Severity = Literal["error", "warning", "note"]
"""An error stops a worker or loses records, a warning may do so later, a note is only worth knowing."""

_UNLIMITED = -1
_SIZE = SettingType(int, int, number_of(BYTES))
_TIME = SettingType(int, int, number_of(MILLISECONDS))


class DoctorLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The bounds beyond which `templ doctor` reports what it has read."""

    disk_free_min_bytes: int = 1 << 30
    """Free bytes at the state directory below which a compaction of RocksDB soon fails."""
    disk_free_min_ratio: float = 0.1
    """Free share of the disk, from 0 to 1, below which there is a warning."""
    open_files_base_count: int = 256
    """Files and connections that a process has open besides its windows."""
    open_files_partition_count: int = 128
    """Files of the windows of one partition: 8 GiB in RocksDB's files of 64 MiB."""
    clock_ahead_max_ms: int = 60_000
    """How far a record may be dated after this machine's clock, in milliseconds."""


class Finding(msgspec.Struct, frozen=True):
    """Something that was found out."""

    severity: Severity
    problem: str
    """What is wrong, or what is worth knowing."""
    remedy: str = ""
    """What to do; empty for a note."""

    @property
    def line(self) -> str:
        """The finding in one line of text."""
        return f"{self.severity}: {'; '.join(part for part in (self.problem, self.remedy) if part)}"


class TopicFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What a broker tells of a topic."""

    name: str
    """Full name, with the prefix."""
    partitions: int
    config: Mapping[str, str]
    leaderless: int = 0
    """Number of partitions without a leader."""
    under_replicated: int = 0
    """Number of partitions that lack a copy which is up to date."""
    replicas: int = 1
    """Least number of copies of a partition."""

    def number(self, setting: str) -> int:
        """Return the value of a setting that is a number."""
        return int(self.config[setting])


class MachineFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What the machine offers on which `templ doctor` runs."""

    memory_bytes: int | None
    """Memory of the machine or of the container; None where it is not known."""
    children: int
    """Number of child processes of a worker with both roles."""
    open_files: int | None
    """Largest number of open files of a process; None for no limit."""


class StateFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of the state directory of a worker."""

    path: str
    is_writable: bool
    is_of_run: bool
    """Whether `templ run` has written it."""
    partitions: tuple[int, ...]
    """Numbers of partitions for which the roles' directories were made."""
    disk_free_bytes: int
    disk_bytes: int


def findings_of_lines(lines: Iterable[str]) -> Iterator[Finding]:
    """Yield the findings of lines that end with `; ` and what to do."""
    for line in lines:
        problem, _, remedy = line.partition("; ")
        yield Finding("error", problem, remedy)


def judge_topics(
    topics: Mapping[str, TopicFacts], settings: Settings, codecs: frozenset[str]
) -> Iterator[Finding]:
    """Yield what is wrong with topics besides what `templ topics check` finds.

    Args:
        topics: The topics that exist, by name without the prefix.
        settings: The settings of the worker.
        codecs: Compressions that this installation can read and write.
    """
    if settings.compression not in codecs | {"none"}:
        yield Finding(
            "error",
            f"TEMPL_COMPRESSION={settings.compression} cannot be written by this installation",
            "install the package cramjam, or set TEMPL_COMPRESSION to gzip",
        )
    for name, topic in topics.items():
        yield from _copies(topic)
        yield from _codec(topic, codecs)
        if name in {CLEANED, DOCUMENTS, SITE_MODELS}:
            yield from _sent_sizes(topic, settings)
        if name in {DOCUMENTS, SITE_MODELS, SITE_SETTINGS, CLEANED}:
            yield from _null_values(topic)
        if name in {PAGES, DEAD_LETTERS, DOCUMENTS}:
            yield from _lost_by_size(topic)
    if DOCUMENTS in topics:
        yield from _window_ages(topics[DOCUMENTS], settings)
    if PAGES in topics:
        yield from _page_sizes(topics[PAGES], settings)
        yield from _page_partitions(topics, settings)


def judge_machine(
    facts: MachineFacts, settings: Settings, partitions: int, limits: DoctorLimits
) -> Iterator[Finding]:
    """Yield what a machine has too little of for a worker that gets all partitions."""
    needed = facts.children * settings.child_memory_bytes
    if facts.memory_bytes is not None and needed > facts.memory_bytes:
        yield Finding(
            "warning",
            f"{facts.children} child processes may take {_SIZE.show(settings.child_memory_bytes)} "
            f"each, and this machine or container has {_gib(facts.memory_bytes)}",
            "lower TEMPL_CHILD_MEMORY_BYTES, use fewer processors, or give it more memory",
        )
    files = limits.open_files_base_count + limits.open_files_partition_count * partitions
    if facts.open_files is not None and facts.open_files < files:
        yield Finding(
            "warning",
            f"a process may have {facts.open_files} files open, and the windows of {partitions} "
            f"partitions may need {files}",
            f"raise the limit: `ulimit -n {files}`, or LimitNOFILE={files} in the systemd unit",
        )


def judge_state(
    facts: StateFacts, partitions: int | None, limits: DoctorLimits
) -> Iterator[Finding]:
    """Yield what is wrong with a state directory.

    Args:
        facts: What is known of it.
        partitions: Number of partitions of `documents`; None where it is not known.
        limits: The bounds for free space.
    """
    if not facts.is_writable:
        yield Finding(
            "error",
            f"{facts.path} cannot be written by this user",
            "change its owner, or choose another directory with --state",
        )
    if facts.is_of_run:
        yield Finding(
            "error",
            f"{facts.path} is a state directory of `templ run`",
            "name another one, and send what it has learned to the broker with `templ seed`",
        )
    if partitions is not None and set(facts.partitions) - {partitions}:
        made = ", ".join(map(str, sorted(set(facts.partitions))))
        yield Finding(
            "note",
            f"{facts.path} was made for {made} partitions, and `documents` has {partitions}",
            "nothing is to be done: the worker rebuilds it from the topics at its next start",
        )
    free, ratio = facts.disk_free_bytes, facts.disk_free_bytes / max(facts.disk_bytes, 1)
    is_full = free < limits.disk_free_min_bytes
    if is_full or ratio < limits.disk_free_min_ratio:
        yield Finding(
            "error" if is_full else "warning",
            f"the disk of {facts.path} has {_gib(free)} free, {ratio:.0%} of it",
            "free space, or move the state directory to a larger disk",
        )


def judge_take_downs(topic: str, state: Path, lost: Collection[str]) -> Iterator[Finding]:
    """Yield whether sites are taken down that the topic knows nothing of.

    Args:
        topic: Full name of `site-settings`.
        state: State directory of the worker that remembers them.
        lost: Sites that are taken down there and not on the topic.
    """
    if lost:
        yield Finding(
            "warning",
            f"{topic} has lost that these sites are taken down, which {state} remembers: "
            + ", ".join(sorted(lost)),
            "run `templ site forget SITE` for each of them, or `templ site reset SITE` if the site "
            "may come back",
        )


def judge_clock(ahead: Mapping[str, int], limits: DoctorLimits) -> Iterator[Finding]:
    """Yield what the times of records say about the clocks.

    Args:
        ahead: How far the first record beyond the limit is dated after this machine's clock, in
            milliseconds, by topic; topics without such a record are left out.
        limits: The bound beyond which a record counts.
    """
    for topic, ahead_ms in ahead.items():
        yield Finding(
            "warning",
            f"{topic} has a record that is dated {ahead_ms / 1000:.0f} s after this machine's clock",
            "compare the clocks of this machine, the broker and the senders with NTP",
        )
    if not ahead:
        yield Finding(
            "note",
            "the broker does not tell its time; no record is dated more than "
            f"{_TIME.show(limits.clock_ahead_max_ms)} after this machine's clock",
        )


def exit_code_of(findings: Iterable[Finding]) -> int:
    """Return 78 if there is an error, otherwise 1 if there is a warning, otherwise 0."""
    severities = {one.severity for one in findings}
    if "error" in severities:
        return 78
    return 1 if "warning" in severities else 0


def _copies(topic: TopicFacts) -> Iterator[Finding]:
    if topic.leaderless:
        yield Finding(
            "error",
            f"{topic.name}: {topic.leaderless} of {topic.partitions} partitions have no leader",
            "start the brokers that have their copies",
        )
    elif topic.under_replicated:
        yield Finding(
            "warning",
            f"{topic.name}: {topic.under_replicated} of {topic.partitions} partitions lack an "
            "up-to-date copy",
            "look at the brokers that have the copies",
        )
    if topic.number("min.insync.replicas") > topic.replicas:
        yield Finding(
            "error",
            f"{topic.name}: min.insync.replicas is {topic.config['min.insync.replicas']}, and "
            f"partitions have {topic.replicas} copies, so nothing can be written",
            _alter(topic, "min.insync.replicas", topic.replicas),
        )
    if topic.config["unclean.leader.election.enable"] == "true":
        yield Finding(
            "warning",
            f"{topic.name}: unclean.leader.election.enable is true, so acknowledged records may "
            "be lost",
            _alter(topic, "unclean.leader.election.enable", "false"),
        )


def _codec(topic: TopicFacts, codecs: frozenset[str]) -> Iterator[Finding]:
    codec = topic.config["compression.type"]
    if codec not in codecs | {"producer", "uncompressed"}:
        yield Finding(
            "error",
            f"{topic.name}: compression.type is {codec}, which this installation cannot read",
            f"install the package cramjam, or {_alter(topic, 'compression.type', 'producer')}",
        )


def _sent_sizes(topic: TopicFacts, settings: Settings) -> Iterator[Finding]:
    if settings.message_limit_bytes > topic.number("max.message.bytes"):
        yield Finding(
            "error",
            f"{topic.name}: max.message.bytes is {topic.config['max.message.bytes']}, and a worker "
            f"sends up to TEMPL_MESSAGE_LIMIT_BYTES={settings.message_limit_bytes}",
            _alter(topic, "max.message.bytes", settings.message_limit_bytes),
        )


def _null_values(topic: TopicFacts) -> Iterator[Finding]:
    kept_ms = topic.number("delete.retention.ms")
    if kept_ms < NULLS_ARE_SAFE_MS:
        yield Finding(
            "error",
            f"{topic.name}: delete.retention.ms is {_TIME.show(kept_ms)}, so a worker that was "
            f"away for less than {_TIME.show(NULLS_ARE_SAFE_MS)} may miss deletions",
            _alter(topic, "delete.retention.ms", 2 * NULLS_ARE_SAFE_MS),
        )


def _lost_by_size(topic: TopicFacts) -> Iterator[Finding]:
    if "delete" in topic.config["cleanup.policy"] and topic.number("retention.bytes") != _UNLIMITED:
        yield Finding(
            "warning",
            f"{topic.name}: retention.bytes is {topic.config['retention.bytes']}, so records may go "
            "before their time",
            _alter(topic, "retention.bytes", _UNLIMITED),
        )


def _window_ages(documents: TopicFacts, settings: Settings) -> Iterator[Finding]:
    kept_ms = documents.number("retention.ms")
    needed_ms = max(settings.window_age_ms, settings.window_floor_age_ms)
    deletes = "delete" in documents.config["cleanup.policy"]
    if deletes and kept_ms != _UNLIMITED and kept_ms < needed_ms:
        yield Finding(
            "error",
            f"{documents.name}: records are deleted after {_TIME.show(kept_ms)}, and windows that "
            f"are rebuilt need those of {_TIME.show(needed_ms)}",
            _alter(documents, "cleanup.policy", "compact"),
        )


def _page_sizes(pages: TopicFacts, settings: Settings) -> Iterator[Finding]:
    if pages.number("max.message.bytes") > settings.record_limit_bytes:
        yield Finding(
            "warning",
            f"{pages.name}: max.message.bytes is {pages.config['max.message.bytes']}, and records of "
            f"more than TEMPL_RECORD_LIMIT_BYTES={settings.record_limit_bytes} become dead letters",
            "raise TEMPL_RECORD_LIMIT_BYTES, or "
            + _alter(pages, "max.message.bytes", settings.record_limit_bytes),
        )


def _page_partitions(topics: Mapping[str, TopicFacts], settings: Settings) -> Iterator[Finding]:
    pages, documents = topics[PAGES], topics.get(DOCUMENTS)
    if settings.own_models and documents is not None and documents.partitions != pages.partitions:
        yield Finding(
            "warning",
            f"{pages.name} has {pages.partitions} partitions and {documents.name} has "
            f"{documents.partitions}, so TEMPL_OWN_MODELS has no effect",
            "give both the same number of partitions, or set TEMPL_OWN_MODELS=false",
        )


def _alter(topic: TopicFacts, setting: str, value: object) -> str:
    return f"kafka-configs.sh --alter --topic {topic.name} --add-config {setting}={value}"


def _gib(size_bytes: int) -> str:
    return f"{size_bytes / (1 << 30):.1f} GiB"
