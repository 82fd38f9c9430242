"""`templ doctor` names what is wrong with a set-up, and nothing where all is right."""

import asyncio
import os
from contextlib import asynccontextmanager
from types import SimpleNamespace

import msgspec
import pytest

from schemas.codec import encode_msgpack
from schemas.site_settings import SiteSettingsRecord
from schemas.topics import CLEANED, DOCUMENTS, SITE_MODELS, TOPICS
from tests.workers.builders import site_model_record
from workers.kafka import site_records
from workers.kafka.broker.access import BrokerAccess
from workers.kafka.operate.doctor import (
    judge_page_model,
    read_machine,
    read_state,
    release_of,
    taken_down_in_state,
    usable_codecs,
)
from workers.kafka.operate.findings import (
    Finding,
    MachineFacts,
    StateFacts,
    TopicFacts,
    exit_code_of,
    findings_of_lines,
    judge_clock,
    judge_dead_letters,
    judge_machine,
    judge_sites,
    judge_state,
    judge_take_downs,
    judge_topics,
    verdict,
)
from workers.kafka.operate.status import GroupMember, PartitionProgress, models_by_time, role_status
from workers.settings import Settings
from workers.site_settings import SITE_SETTINGS_FILE, write_records
from workers.state.directory import StateDirectory
from workers.state.site_state import SiteState

DAY_MS = 24 * 3600 * 1000
GIB = 1 << 30
ALL_CODECS = frozenset({"gzip", "snappy", "lz4", "zstd"})
PLAIN = {
    "compression.type": "producer",
    "delete.retention.ms": str(DAY_MS),
    "min.insync.replicas": "1",
    "retention.bytes": "-1",
    "retention.ms": str(7 * DAY_MS),
    "unclean.leader.election.enable": "false",
}


def right_topics():
    return {
        name: TopicFacts(name=name, partitions=4, config=PLAIN | spec.config())
        for name, spec in TOPICS.items()
    }


def changed(name, config=None, **facts):
    """The topics of a right set-up, one of them with other settings or facts."""
    topics = right_topics()
    given = {"config": dict(topics[name].config) | (config or {})} | facts
    return topics | {name: msgspec.structs.replace(topics[name], **given)}


@pytest.mark.parametrize(
    ("topics", "settings", "severity", "words"),
    [
        (changed("documents", partitions=4, leaderless=1), {}, "error", "have no leader"),
        (changed("pages", replicas=3, under_replicated=2), {}, "warning", "up-to-date copy"),
        (changed("cleaned", {"min.insync.replicas": "2"}), {}, "error", "nothing can be written"),
        (
            changed("pages", {"unclean.leader.election.enable": "true"}),
            {},
            "warning",
            "acknowledged records may be lost",
        ),
        (changed("site-models", {"delete.retention.ms": "3600000"}), {}, "error", "deletions"),
        (
            changed("documents", {"cleanup.policy": "compact,delete"}),
            {},
            "error",
            "deleted after 7d, and windows that are rebuilt need those of 180d",
        ),
        (changed("pages", {"retention.bytes": "1000000"}), {}, "warning", "before their time"),
        (
            changed("pages", {"max.message.bytes": str(80 << 20)}),
            {},
            "warning",
            "TEMPL_RECORD_LIMIT_BYTES",
        ),
        (right_topics(), {"message_limit_bytes": 9 << 20}, "error", "TEMPL_MESSAGE_LIMIT_BYTES"),
        (changed("pages", partitions=7), {"own_models": True}, "warning", "TEMPL_OWN_MODELS"),
    ],
)
def test_what_is_wrong_with_topics(topics, settings, severity, words):
    findings = list(judge_topics(topics, Settings(**settings), ALL_CODECS))
    assert {one.severity for one in findings} == {severity}
    assert all(words in one.problem and one.remedy for one in findings)


def test_a_codec_that_is_not_installed():
    topics = changed("pages", {"compression.type": "zstd"})
    own, theirs = judge_topics(topics, Settings(compression="lz4"), frozenset({"gzip"}))
    assert "TEMPL_COMPRESSION=lz4 cannot be written" in own.problem
    assert "pages: compression.type is zstd" in theirs.problem


def test_right_topics_give_no_findings():
    assert list(judge_topics(right_topics(), Settings(), usable_codecs())) == []


def test_records_may_be_dated_ahead_for_a_while():
    (ahead,) = judge_clock({"pages": 7_200_000})
    assert (ahead.severity, "7200 s after" in ahead.problem) == ("warning", True)
    (unknown,) = judge_clock({})
    assert (unknown.severity, "clock of the broker itself cannot be read" in unknown.problem) == (
        "note",
        True,
    )


def test_dead_letters_of_a_day_are_a_warning():
    assert list(judge_dead_letters("pages.dlq", 0)) == []
    (finding,) = judge_dead_letters("pages.dlq", 3)
    assert finding.line.startswith(
        "warning: pages.dlq got 3 dead letters in the last 24 hours; read"
    )


def test_sites_of_a_low_fit_and_silent_ones_are_counted():
    daily = SiteState(pages=10, newest_ms=30 * DAY_MS, oldest_ms=20 * DAY_MS, model_version="1")
    low = msgspec.structs.replace(daily, fit=0.3)
    unknown = msgspec.structs.replace(low, model_version=None)
    silent = msgspec.structs.replace(daily, newest_ms=18 * DAY_MS, oldest_ms=8 * DAY_MS)
    monthly = msgspec.structs.replace(silent, oldest_ms=-90 * DAY_MS)
    states = {"a": daily, "b": low, "c": unknown, "d": silent, "e": monthly, "f": SiteState()}
    lines = [one.line for one in judge_sites(states)]
    assert [line.partition("; ")[0] for line in lines] == [
        "note: 1 site has a fit below 0.5, such as b",
        "note: 1 site has been silent for two days and ten times the usual gap, such as d",
    ]
    assert list(judge_sites({})) == []


def test_the_verdict_says_what_to_do_first():
    note = Finding("note", "a broker is reached")
    warning = Finding("warning", "little memory", "give it more")
    error = Finding("error", "no topic", "create it")
    assert verdict([]) == verdict([note]) == "ready"
    assert verdict([note, warning]) == "ready, but little memory; give it more"
    assert verdict([note, warning, error]) == "not ready: no topic; create it"


def large_but(open_files):
    return MachineFacts(memory_bytes=12 * GIB, children=6, open_files=open_files)


def test_too_little_memory_and_too_few_files():
    small = MachineFacts(memory_bytes=4 * GIB, children=6, open_files=1024)
    memory, files = judge_machine(small, Settings(), 16)
    assert "6 child processes may take 2GiB each" in memory.problem
    assert "may need 2304" in files.problem
    assert "LimitNOFILE=2304" in files.remedy
    (full,) = judge_machine(large_but(5000), Settings(), 16, state_facts(files=6000))
    assert "which have 6000 files now, may need 6256" in full.problem
    large = MachineFacts(memory_bytes=12 * GIB, children=6, open_files=None)
    assert list(judge_machine(large, Settings(), 16)) == []
    assert read_machine(Settings()).children >= 3
    assert read_machine(Settings(cleaner_children=7)).children == 9


def state_facts(**given):
    plain = {"is_writable": True, "is_of_run": False, "partitions": (4, 4)}
    disk = {"disk_free_bytes": 50 * GIB, "disk_bytes": 100 * GIB, "files": 0}
    return StateFacts(path="state", **plain | disk | given)


@pytest.mark.parametrize(
    ("given", "severity", "words"),
    [
        ({"is_writable": False}, "error", "cannot be written"),
        ({"is_of_run": True}, "error", "of `templ run`"),
        ({"partitions": (8, 8)}, "note", "made for 8 partitions, and `documents` has 4"),
        ({"disk_free_bytes": GIB // 2}, "error", "0.5 GiB free"),
        ({"disk_free_bytes": 5 * GIB}, "warning", "5.0 GiB free, 5% of it"),
    ],
)
def test_what_is_wrong_with_a_state_directory(given, severity, words):
    (finding,) = judge_state(state_facts(**given), 4)
    assert (finding.severity, words in finding.problem) == (severity, True)
    assert finding.remedy
    assert list(judge_state(state_facts(), 4)) == []


def test_a_state_directory_is_read_and_not_changed(tmp_path):
    missing = read_state(tmp_path / "none" / "yet")
    assert (missing.is_writable, missing.partitions, missing.is_of_run) == (True, (), False)
    StateDirectory.open(tmp_path / "cleaner", 3).close()
    (tmp_path / "refresher").mkdir()
    (tmp_path / "refresher" / "state.json").write_text("no JSON")
    (tmp_path / "refresher" / "windows-2").mkdir()
    for name in ("000007.sst", "000008.blob"):
        (tmp_path / "refresher" / "windows-2" / name).touch()
    before = sorted(tmp_path.rglob("*"))
    assert (read_state(tmp_path).partitions, read_state(tmp_path).files) == ((3,), 2)
    assert missing.files == 0
    assert sorted(tmp_path.rglob("*")) == before
    StateDirectory.open(tmp_path, 1).close()
    assert read_state(tmp_path).is_of_run


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
@pytest.mark.parametrize("closed", ["", "cleaner"])
def test_a_state_directory_of_another_user(tmp_path, closed):
    StateDirectory.open(tmp_path / "cleaner", 3).close()
    (tmp_path / closed).chmod(0)
    facts = read_state(tmp_path)
    (tmp_path / closed).chmod(0o700)
    assert (facts.is_writable, facts.is_of_run, facts.partitions) == (False, False, ())


def test_a_page_model_that_cannot_be_read(tmp_path):
    assert list(judge_page_model(None)) == []
    (missing,) = judge_page_model(tmp_path / "none")
    (tmp_path / "text").write_text("no model")
    (damaged,) = judge_page_model(tmp_path / "text")
    assert all(
        one.severity == "error" and "templ train" in one.remedy for one in (missing, damaged)
    )


def test_a_page_model_without_weights_of_the_site_level(monkeypatch):
    monkeypatch.setattr("workers.kafka.operate.doctor.has_fitted_weights", bool)
    (unfitted,) = judge_page_model(None)
    assert (unfitted.severity, "unfitted weights" in unfitted.problem) == ("warning", True)


def test_a_line_says_what_is_wrong_and_what_to_do():
    (finding,) = findings_of_lines(
        ["pages: this user lacks the right to Read; grant it: kafka-acls.sh"]
    )
    assert (
        finding.line == "error: pages: this user lacks the right to Read; grant it: kafka-acls.sh"
    )
    assert (finding.problem, finding.remedy) == (
        "pages: this user lacks the right to Read",
        "grant it: kafka-acls.sh",
    )


@pytest.mark.parametrize(
    ("severities", "code"),
    [((), 0), (("note",), 0), (("warning", "note"), 1), (("warning", "error"), 78)],
)
def test_the_exit_code_says_how_bad_it_is(severities, code):
    assert exit_code_of(Finding(severity=one, problem="") for one in severities) == code


@pytest.mark.parametrize(
    ("versions", "release"),
    [
        ((0, 10), "older than 2.3"),
        ((0, 12), "2.7 or later"),
        ((0, 14), "3.1 or later"),
        ((4, 17), "4.0 or later"),
        ((4, 18), "4.1 or later"),
    ],
)
def test_the_release_follows_from_the_fetch_request(versions, release):
    assert release_of(*versions) == release


def test_take_downs_that_a_state_directory_remembers_alone_are_a_warning(tmp_path):
    assert taken_down_in_state(tmp_path) == frozenset()
    for role, site, is_gone in (
        ("cleaner", "gone.example", True),
        ("refresher", "a.example", False),
    ):
        (tmp_path / role).mkdir()
        record = SiteSettingsRecord(schema="site-settings/1", site=site, forgotten=is_gone)
        write_records(tmp_path / role / SITE_SETTINGS_FILE, [record])
    assert taken_down_in_state(tmp_path) == {"gone.example"}
    (finding,) = judge_take_downs("site-settings", tmp_path, ["gone.example"])
    assert finding.severity == "warning"
    assert "gone.example" in finding.problem
    assert list(judge_take_downs("site-settings", tmp_path, [])) == []


def progress(partition, start, committed, end):
    return PartitionProgress(partition=partition, start=start, committed=committed, end=end)


def status(*partitions, members=()):
    return role_status("cleaner", "templ-cleaner", "pages", "Stable", members, partitions)


def test_lag_and_share_count_what_the_log_still_has():
    role = status(progress(0, 0, 50, 100), progress(1, 100, 20, 200), progress(2, 0, None, 0))
    assert (role.lag, role.read_ratio) == (150, 0.25)
    assert status(progress(0, 5, None, 5)).read_ratio == 1.0


def test_offsets_beyond_a_log_that_was_cut():
    role = status(progress(0, 0, 90, 40))
    assert (role.lag, role.read_ratio) == (0, 1.0)


@pytest.mark.parametrize(("taken", "free"), [((0, 1), ()), ((1,), (0,)), ((), (0, 1))])
def test_partitions_without_a_member(taken, free):
    member = GroupMember(id="one", host="127.0.0.1", partitions=taken)
    role = status(progress(0, 0, 1, 1), progress(1, 0, 1, 1), members=[member])
    assert role.unassigned == free


def model_record(partition, timestamp, site, version=None):
    value = version and encode_msgpack(site_model_record(version, site=site))
    return SimpleNamespace(partition=partition, timestamp=timestamp, key=site.encode(), value=value)


def test_a_model_that_moved_to_another_partition_is_still_the_newest_one():
    records = [
        model_record(3, 1000, "a.example", "old"),
        model_record(3, 2000, "a.example", "new"),
        model_record(1, 9000, "a.example"),  # says that the record has moved
        model_record(1, 3000, "b.example", "other"),
        model_record(1, 4000, "c.example", "removed"),
        model_record(1, 5000, "c.example"),
    ]
    versions = [(one.site, one.version) for one in models_by_time(records)]
    assert versions == [("b.example", "other"), ("a.example", "new")]


def test_a_group_without_a_state_is_dead():
    assert role_status("refresher", "templ-refresher", "documents", "", [], []).state == "Dead"


TWO = dict.fromkeys([f"x.{name}" for name in (CLEANED, DOCUMENTS, SITE_MODELS)], 2)


class Growing:
    """Stands for a consumer of topics in which records of other sites arrive, and for a producer."""

    def __init__(self):
        self.reads = 0

    async def end_offsets(self, topics):
        self.reads += 1
        return dict.fromkeys(topics, self.reads)

    async def settle(self):
        pass


def erase(monkeypatch, *counts):
    """Erase a site; each look at the topics finds the next of these numbers of partitions."""
    coming, growing = iter(counts), Growing()

    async def read_counts(_broker):
        return next(coming)

    @asynccontextmanager
    async def empty(*_arguments):
        yield growing

    async def of_other_sites(_consumer, starts, ends):
        for topic in starts:
            for _ in range(starts[topic], ends[topic]):
                yield SimpleNamespace(
                    topic=topic.topic, partition=topic.partition, key=b"other.example", value=b"{}"
                )

    monkeypatch.setattr(site_records, "_SETTLED_S", 0.0)
    monkeypatch.setattr(site_records, "read_range", of_other_sites)
    monkeypatch.setattr(site_records, "read_partition_counts", read_counts)
    monkeypatch.setattr(site_records, "plain_consumer", empty)
    monkeypatch.setattr(site_records, "_producer", empty)
    broker = BrokerAccess("broker:9092", prefix="x.")
    return asyncio.run(site_records.erase_from_topics(broker, "a.example")), growing.reads


def test_nothing_is_sent_where_nothing_is_left_though_other_sites_go_on(monkeypatch):
    assert erase(monkeypatch, TWO) == ({DOCUMENTS: 0, SITE_MODELS: 0, CLEANED: 0}, 2)
