"""Judging the state of a broker and of a machine, without asking either."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from schemas.topics import CLEANED, DEAD_LETTERS, DOCUMENTS, PAGES, SITE_MODELS, SITE_SETTINGS
from workers.kafka.broker.plain_clients import NULLS_ARE_SAFE_MS
from workers.log_lines import counted
from workers.setting_values import BYTES, MILLISECONDS, SettingType, number_of
from workers.settings import Settings
from workers.state.site_state import SiteState

Severity = Literal["error", "warning", "note"]
"""An error stops a worker or loses records, a warning may do so later, a note is only worth knowing."""

_UNLIMITED = -1
_SIZE = SettingType(int, int, number_of(BYTES))
_TIME = SettingType(int, int, number_of(MILLISECONDS))
CLOCK_AHEAD_MAX_MS = 60_000
"""How far a record may be dated after this machine's clock, in milliseconds."""
_DISK_FREE_MIN_BYTES = 1 << 30
"""Free bytes at the state directory below which a compaction of RocksDB soon fails."""
_DISK_FREE_MIN_RATIO = 0.1
"""Free share of the disk, from 0 to 1, below which there is a warning."""
LOW_FIT = 0.5
"""Fit, 0 to 1, below which the newest page of a site is like no kind of page that is known."""
_SILENT_MIN_MS = 2 * 24 * 3600 * 1000
_SILENT_GAPS = 10
"""How many times as long as its mean gap between pages a site is silent before that is reported."""
_SITES_NAMED = 5
_SEVERITIES = ("error", "warning", "note")
_OPEN_FILES_BASE_COUNT = 256
"""Files and connections that a process has open besides its windows."""
_OPEN_FILES_PARTITION_COUNT = 128
"""Files that are assumed for the windows of a partition without any yet: 1 GiB in RocksDB's files of 8 MiB."""


class Finding(msgspec.Struct, frozen=True):
    """Something that is wrong, or worth knowing."""

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
    """What a broker reports of a topic."""

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

    def wrong(
        self, severity: Severity, setting: str, why: str, value: object, is_now: str = ""
    ) -> Finding:
        """Return the finding that a setting is wrong, with the command that sets another value."""
        is_now = is_now or self.config[setting]
        problem = f"{self.name}: {setting} is {is_now}, {why}"
        return Finding(severity, problem, self.alter(setting, value))

    def alter(self, setting: str, value: object) -> str:
        """Return the command that gives a setting another value."""
        return f"kafka-configs.sh --alter --topic {self.name} --add-config {setting}={value}"


class MachineFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The resources of the machine on which `templ doctor` runs."""

    memory_bytes: int | None
    """Memory of the machine or of the container; None where it is not known."""
    children: int
    """Number of child processes of a worker with both roles."""
    open_files: int | None
    """Largest number of open files to which a process can raise its limit; None for no limit."""


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
    files: int
    """Number of files of the role that has most of them."""


def findings_of_lines(lines: Iterable[str]) -> Iterator[Finding]:
    """Yield the findings of lines that end with `; ` and what to do."""
    for line in lines:
        problem, _, remedy = line.partition("; ")
        yield Finding("error", problem, remedy)


def judge_topics(
    topics: Mapping[str, TopicFacts], settings: Settings, codecs: frozenset[str]
) -> Iterator[Finding]:
    """Yield what is wrong with topics, by name without the prefix, besides what `templ topics check` finds.

    Codecs are the compressions that this installation can read and write.
    """
    if settings.compression not in codecs | {"none"}:
        yield Finding(
            "error",
            f"TEMPL_COMPRESSION={settings.compression} cannot be written by this installation",
            "install the package cramjam, or set TEMPL_COMPRESSION to gzip",
        )
    for name, topic in topics.items():
        yield from _copies(topic)
        yield from _sizes_and_ages(name, topic, settings)
        if topic.config["compression.type"] not in codecs | {"producer", "uncompressed"}:
            finding = topic.wrong(
                "error", "compression.type", "which this installation cannot read", "producer"
            )
            yield msgspec.structs.replace(
                finding, remedy=f"install the package cramjam, or {finding.remedy}"
            )
    if DOCUMENTS in topics:
        yield from _window_ages(topics[DOCUMENTS], settings)
    if PAGES in topics:
        yield from _pages(topics[PAGES], topics.get(DOCUMENTS), settings)


def judge_machine(
    facts: MachineFacts, settings: Settings, partitions: int, state: StateFacts | None = None
) -> Iterator[Finding]:
    """Yield what a machine lacks for a worker with all partitions, given its state if it has one."""
    needed = facts.children * settings.child_memory_bytes
    if facts.memory_bytes is not None and needed > facts.memory_bytes:
        yield Finding(
            "warning",
            f"{facts.children} child processes may take {_SIZE.show(settings.child_memory_bytes)} "
            f"each, and this machine or container has {_gib(facts.memory_bytes)}",
            "lower TEMPL_CHILD_MEMORY_BYTES, use fewer processors, or give it more memory",
        )
    there = 0 if state is None else state.files
    files = _OPEN_FILES_BASE_COUNT + max(there, _OPEN_FILES_PARTITION_COUNT * partitions)
    if facts.open_files is not None and facts.open_files < files:
        yield Finding(
            "warning",
            f"a process may have {facts.open_files} files open, and the windows of {partitions} "
            f"partitions, which have {there} files now, may need {files}: the excess is "
            "opened again and again, which is slow",
            f"raise the limit: `ulimit -n {files}`, or LimitNOFILE={files} in the systemd unit",
        )


def judge_state(facts: StateFacts, partitions: int | None) -> Iterator[Finding]:
    """Yield what is wrong with a state directory, given the partitions of `documents` if they are known."""
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
            "there is nothing to do: the worker rebuilds it from the topics at its next start",
        )
    free, ratio = facts.disk_free_bytes, facts.disk_free_bytes / max(facts.disk_bytes, 1)
    is_full = free < _DISK_FREE_MIN_BYTES
    if is_full or ratio < _DISK_FREE_MIN_RATIO:
        yield Finding(
            "error" if is_full else "warning",
            f"the disk of {facts.path} has {_gib(free)} free, {ratio:.0%} of it",
            "free space, or move the state directory to a larger disk",
        )


def judge_take_downs(topic: str, state: Path, lost: Collection[str]) -> Iterator[Finding]:
    """Yield that sites are taken down in a state directory, and not on `site-settings`."""
    if lost:
        yield Finding(
            "warning",
            f"{topic} has lost the take-downs of these sites, which {state} remembers: "
            + ", ".join(sorted(lost)),
            "run `templ site forget SITE` for each of them, or `templ site reset SITE` if the site "
            "may come back",
        )


def judge_clock(ahead: Mapping[str, int]) -> Iterator[Finding]:
    """Yield the topics whose records are dated too far ahead of this machine's clock, given by how many ms."""
    for topic, ahead_ms in ahead.items():
        yield Finding(
            "warning",
            f"{topic} has a record that is dated {ahead_ms / 1000:.0f} s after this machine's clock",
            "compare the clocks of this machine, the broker and the senders with NTP",
        )
    if not ahead:
        yield Finding(
            "note",
            f"no record is dated more than {_TIME.show(CLOCK_AHEAD_MAX_MS)} after this machine's clock; the clock of "
            "the broker itself cannot be read",
        )


def judge_dead_letters(topic: str, count: int) -> Iterator[Finding]:
    """Yield that pages became dead letters within a day, if any did."""
    if count:
        yield Finding(
            "warning",
            f"{topic} got {counted(count, 'dead letter')} in the last 24 hours",
            "read the reasons with `templ dlq list`, and send the pages again with `templ dlq redrive`",
        )


def judge_sites(states: Mapping[str, SiteState]) -> Iterator[Finding]:
    """Yield the sites whose newest page fits no known design, and those that have fallen silent."""
    known = {site: state for site, state in states.items() if state.pages}
    now_ms = max((state.newest_ms for state in known.values()), default=0)
    low = [site for site, state in known.items() if state.model_version and state.fit < LOW_FIT]
    silent = [
        site
        for site, state in known.items()
        if now_ms - state.newest_ms
        > max(_SILENT_MIN_MS, _SILENT_GAPS * (state.newest_ms - state.oldest_ms) / state.pages)
    ]
    yield from _named(low, f"a fit below {LOW_FIT}", "look at them with `templ inspect site`")
    silence = "been silent for two days and ten times the usual gap"
    yield from _named(silent, silence, "ask whether their crawl still runs")


def _named(sites: Sequence[str], what: str, remedy: str) -> Iterator[Finding]:
    if sites:
        names = ", ".join(sorted(sites)[:_SITES_NAMED])
        have = "has" if len(sites) == 1 else "have"
        yield Finding(
            "note", f"{counted(len(sites), 'site')} {have} {what}, such as {names}", remedy
        )


def verdict(findings: Sequence[Finding]) -> str:
    """Return in one line whether a worker can run, and what to do first."""
    worst = min(findings, key=lambda finding: _SEVERITIES.index(finding.severity), default=None)
    if worst is None or worst.severity == "note":
        return "ready"
    what = "; ".join(part for part in (worst.problem, worst.remedy) if part)
    return f"not ready: {what}" if worst.severity == "error" else f"ready, but {what}"


def exit_code_of(findings: Iterable[Finding]) -> int:
    """Return 78 if there is an error, otherwise 1 if there is a warning, otherwise 0."""
    codes = {"error": 78, "warning": 1, "note": 0}
    return max((codes[finding.severity] for finding in findings), default=0)


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
        why = f"and partitions have {topic.replicas} copies, so nothing can be written"
        yield topic.wrong("error", "min.insync.replicas", why, topic.replicas)
    if topic.config["unclean.leader.election.enable"] == "true":
        why = "so acknowledged records may be lost"
        yield topic.wrong("warning", "unclean.leader.election.enable", why, "false")


def _sizes_and_ages(name: str, topic: TopicFacts, settings: Settings) -> Iterator[Finding]:
    limit = settings.message_limit_bytes
    is_sent = name in {CLEANED, DOCUMENTS, SITE_MODELS}
    if is_sent and limit > topic.number("max.message.bytes"):
        why = f"and a worker sends up to TEMPL_MESSAGE_LIMIT_BYTES={limit}"
        yield topic.wrong("error", "max.message.bytes", why, limit)
    kept_ms, has_nulls = topic.number("delete.retention.ms"), is_sent or name == SITE_SETTINGS
    if has_nulls and kept_ms < NULLS_ARE_SAFE_MS:
        safe, is_now = _TIME.show(NULLS_ARE_SAFE_MS), _TIME.show(kept_ms)
        why = f"so a worker that was away for less than {safe} may miss deletions"
        value = 2 * NULLS_ARE_SAFE_MS
        yield topic.wrong("error", "delete.retention.ms", why, value, is_now=is_now)
    deletes = (
        name in {PAGES, DEAD_LETTERS, DOCUMENTS} and "delete" in topic.config["cleanup.policy"]
    )
    if deletes and topic.number("retention.bytes") != _UNLIMITED:
        why = "so records may go before their time"
        yield topic.wrong("warning", "retention.bytes", why, _UNLIMITED)


def _window_ages(documents: TopicFacts, settings: Settings) -> Iterator[Finding]:
    kept_ms = documents.number("retention.ms")
    needed_ms = max(settings.window_age_ms, settings.window_floor_age_ms)
    deletes = "delete" in documents.config["cleanup.policy"]
    if deletes and kept_ms != _UNLIMITED and kept_ms < needed_ms:
        yield Finding(
            "error",
            f"{documents.name}: records are deleted after {_TIME.show(kept_ms)}, and windows that "
            f"are rebuilt need those of {_TIME.show(needed_ms)}",
            documents.alter("cleanup.policy", "compact"),
        )


def _pages(
    pages: TopicFacts, documents: TopicFacts | None, settings: Settings
) -> Iterator[Finding]:
    limit = settings.record_limit_bytes
    if pages.number("max.message.bytes") > limit:
        why = f"and records of more than TEMPL_RECORD_LIMIT_BYTES={limit} become dead letters"
        finding = pages.wrong("warning", "max.message.bytes", why, limit)
        yield msgspec.structs.replace(
            finding, remedy=f"raise TEMPL_RECORD_LIMIT_BYTES, or {finding.remedy}"
        )
    if settings.own_models and documents is not None and documents.partitions != pages.partitions:
        yield Finding(
            "warning",
            f"{pages.name} has {pages.partitions} partitions and {documents.name} has "
            f"{documents.partitions}, so TEMPL_OWN_MODELS has no effect",
            "give both the same number of partitions, or set TEMPL_OWN_MODELS=false",
        )


def _gib(size_bytes: int) -> str:
    return f"{size_bytes / (1 << 30):.1f} GiB"
