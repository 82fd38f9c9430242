"""Settings of a site reach running workers, and a site that is taken down leaves no byte behind.

Corrections come by the command and by the console of the worker.
"""

import asyncio
import json
import re
import time
import urllib.parse
import urllib.request
from collections import Counter
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from schemas.codec import decode_output
from schemas.topics import CLEANED, DOCUMENTS, SITE_MODELS, SITE_SETTINGS
from tests.kafka.stream import PARTITIONS, WAIT_S, templ, wait_until, write_feed
from tests.kafka.test_monitoring import free_ports
from workers.kafka.broker.partitioning import partition_of
from workers.kafka.operate.doctor import taken_down_in_state

TOKEN = "a token of enough characters"
GONE, STAYS = "site-0.example", "site-1.example"
PARTITION_OF_GONE = partition_of(GONE, PARTITIONS)
ERASED = (DOCUMENTS, SITE_MODELS, CLEANED)
COMPACTED_AT_ONCE = {
    "cleanup.policy": "compact",
    "max.message.bytes": "8388608",
    "segment.ms": "200",
    "min.cleanable.dirty.ratio": "0.01",
    "delete.retention.ms": "0",
    "max.compaction.lag.ms": "200",
}


@pytest.fixture
def running(stream, tmp_path):
    """A worker that has learned two sites, and sends what it sends uncompressed."""
    feed = tmp_path / "feed.jsonl"
    write_feed(feed, 50, sites=2)
    stream.feed(feed)
    stream.console = f"http://127.0.0.1:{(port := free_ports())}"
    stream.start(TEMPL_COMPRESSION="none", TEMPL_CONSOLE_PORT=str(port), TEMPL_CONSOLE_TOKEN=TOKEN)
    stream.wait_until_settled()
    return stream


def test_a_correction_reaches_the_texts_that_were_published(running):
    def texts():
        return {
            one.url: (one.revision, one.text)
            for *_, one in running.outputs().values()
            if one.site == GONE
        }

    before = texts()
    word = Counter(
        line for _, text in before.values() for line in set(text.split("\n"))
    ).most_common(1)[0][0]
    site(running, "override", GONE, "--remove-text", word)
    said = site(running, "redo", GONE).stderr
    hit = {url for url, (_, text) in before.items() if word in text.split("\n")}
    assert hit
    assert f"{len(hit)} text" in said
    wait_until(lambda: all(texts()[url][0] > before[url][0] for url in hit), running._logs)
    after = texts()
    assert not any(word in after[url][1].split("\n") for url in hit)
    assert {url: after[url] for url in before.keys() - hit} == {
        url: before[url] for url in before.keys() - hit
    }
    assert "0 texts" in site(running, "redo", GONE).stderr


def site(running, verb, key, *options):
    return templ("site", verb, key, *running.options, *options)


def send_pages(running, tmp_path, name, key, count):
    """Send new pages of a site; answers their URLs."""
    lines = [
        {"url": f"https://{key}/{name}-{number}", "html": f"<h1>A title</h1><p>A story of ten words, which are these and {name}."}
        for number in range(count)
    ]  # fmt: skip
    feed = tmp_path / f"{name}.jsonl"
    feed.write_text("\n".join(map(json.dumps, lines)))
    running.feed(feed)
    return [one["url"] for one in lines]


def shown(running, path, **form):
    """What the console answers to a request."""
    body = urllib.parse.urlencode(form).encode() if form else None
    with urllib.request.urlopen(running.console + path, body, timeout=WAIT_S) as answer:
        return answer.read().decode()


def post(running, **form):
    """Post a form of the settings page of a site."""
    path, version = f"/settings?key={GONE}", settings_version(running)
    return shown(running, path, version=version, token=TOKEN, **form)


def settings_version(running):
    """The version of the settings of a site as the console knows them."""
    return re.search(r'name="version" value="(\w+)"', shown(running, f"/settings?key={GONE}"))[1]


def own_line(running):
    """A line of text that only the site which is to be taken down has."""
    texts = {GONE: set(), STAYS: set()}
    for record, *_ in running.outputs().values():
        texts[record.site] |= set(record.text.split("\n"))
    return max(texts[GONE] - texts[STAYS], key=len)


def processes_with(running, wanted):
    """The processes of a worker whose memory holds one of these byte strings."""
    holders = []
    for process in running.processes():
        with suppress(OSError, psutil.Error):  # it has ended meanwhile
            if holds(process.pid, wanted):
                holders.append(" ".join(process.cmdline()))
    return holders


def holds(pid, wanted):
    """Whether the readable memory of a process holds one of these byte strings."""
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            places, rights, _, device, *_ = line.split()
            begin, end = (int(one, 16) for one in places.split("-"))
            is_code = device != "00:00" and "w" not in rights
            if "r" not in rights or is_code or line.endswith(("[vvar]", "[vsyscall]")):
                continue
            with suppress(OSError):
                memory.seek(begin)
                content = memory.read(end - begin)
                if any(one in content for one in wanted):
                    return True
    return False


def newest(running, urls):
    """The last value of each of these URLs that has one; null values are None."""
    return {
        one.key.decode(): one.value for one in running.records(CLEANED) if one.key.decode() in urls
    }


def answers(running, urls):
    wait_until(lambda: newest(running, urls).keys() == set(urls), running._logs)
    return newest(running, urls)


def produce(running, topic, key, value, number=PARTITION_OF_GONE):
    running.send(topic, {"value": value, "key": key, "partition": number})


def files_with(folders, wanted):
    return sorted(
        str(file)
        for folder in folders
        for file in folder.rglob("*")
        if file.is_file() and wanted in file.read_bytes()
    )


def live_text(running, tmp_path, version):
    """The text of a new page, as soon as pages are cleaned with a version of the settings."""
    published = {}

    def is_live():
        (url,) = send_pages(running, tmp_path, f"page-{time.monotonic_ns()}", GONE, 1)
        published[url] = decode_output(answers(running, [url])[url])
        return published[url].site_settings_version == version

    wait_until(is_live, running._logs)
    return published.popitem()[1].text


def test_a_correction_reaches_a_running_worker_and_a_bad_record_is_stepped_over(running, tmp_path):
    produce(running, SITE_SETTINGS, GONE.encode(), b'{"rules": 7}')
    wait_until(lambda: "cannot be used" in running.log(), running._logs)
    said = site(running, "override", GONE, "--remove", "h1").stderr
    version = said.split()[-1]
    assert "A title" not in live_text(running, tmp_path, version)
    (other,) = send_pages(running, tmp_path, "other", STAYS, 1)
    assert b"site_settings_version" not in answers(running, [other])[other]
    assert json.loads((running.state() / "cleaner" / "site-settings.jsonl").read_text())["rules"]
    site(running, "pin", GONE)
    site(running, "reset", GONE)
    assert running.running() == ["one"]


@pytest.mark.usefixtures("whole_processes")
def test_the_console_corrects_a_site_and_takes_it_down_without_a_byte_left(
    running, tmp_path, kafka_broker
):
    logs = [
        kafka_broker.data / "log" / f"{running.prefix}{topic}-{PARTITION_OF_GONE}"
        for topic in ERASED
    ]
    stores = [running.state() / "cleaner" / "models", running.state() / "refresher"]
    assert len({file.split("/")[-2] for file in files_with(logs, GONE.encode())}) == len(ERASED)
    assert files_with(stores, GONE.encode())
    snapshots = [f"{GONE}/1".encode(), own_line(running).encode()]
    assert f"{GONE}/1" in shown(running, f"/pages?key={GONE}")
    assert len(processes_with(running, snapshots)) >= 3
    said = post(running, action="override", remove="h1")
    assert "remove selector h1" in said
    version = settings_version(running)
    assert "A title" not in live_text(running, tmp_path, version)
    # The console reads the list of sites little by little.
    wait_until(lambda: GONE in shown(running, "/?q=rule"), running._logs)
    listed = shown(running, "/?q=rule")
    assert "wait at the broker" in listed
    assert STAYS not in listed
    post(running, action="forget", confirm=GONE)
    (url,) = send_pages(running, tmp_path, "late", GONE, 1)
    assert answers(running, [url]) == {url: None}
    (other,) = send_pages(running, tmp_path, "other", STAYS, 1)
    assert answers(running, [other])[other] is not None
    records = [*running.records(DOCUMENTS), *running.records(SITE_MODELS)]
    last = {one.key: one.value for one in records}
    of_site = {key: value for key, value in last.items() if key.startswith(GONE.encode())}
    assert of_site
    assert not any(of_site.values())
    left = lambda: [one for one in files_with(stores, GONE.encode()) if not one.endswith("jsonl")]  # noqa: E731
    wait_until(lambda: not left(), lambda: f"{left()}\n{running._logs()}")
    asyncio.run(running.configure(COMPACTED_AT_ONCE, *ERASED))

    def are_compacted():
        for (
            topic
        ) in ERASED:  # a log is compacted up to its last segment, which ends with a new record
            produce(running, topic, b"other.example", None)
        return not files_with(logs, GONE.encode())

    wait_until(are_compacted, lambda: str(files_with(logs, GONE.encode())))
    wait_until(
        lambda: not processes_with(running, snapshots),
        lambda: f"{processes_with(running, snapshots)}\n{running._logs()}",
    )
    assert len(psutil.Process(running.pid("one")).children()) == 3


def test_seeding_sends_site_settings_and_leaves_those_of_the_broker(stream, tmp_path):
    state = tmp_path / "archive"
    templ("run", write_feed(tmp_path / "feed.jsonl", 6, sites=2), "--out", "-", "--state", state)
    for key in (GONE, STAYS):
        templ("site", "override", key, "--state", state, "--remove", "h1")
    templ("site", "override", STAYS, *stream.options, "--remove", "h2")
    said = templ("seed", state, *stream.options).stderr
    assert "the settings of 1 site" in said
    assert f"already, which stay, of {STAYS}" in said
    values = {one.key.decode(): one.value for one in stream.records(SITE_SETTINGS)}
    assert b'"h1"' in values[GONE]
    assert b'"h2"' in values[STAYS]


def ends_of_settings(running):
    return {one.partition: end for one, end in running.ends(SITE_SETTINGS).items()}


@pytest.mark.usefixtures("whole_processes")
def test_settings_of_a_topic_created_again_are_read_and_take_downs_are_remembered(
    running, tmp_path
):
    site(running, "override", STAYS, "--remove", "h2")
    site(running, "forget", GONE, "--yes")
    erased = "a site was taken down and erased"
    wait_until(lambda: running.log().count(erased) == 2, running._logs)  # by both roles
    wait_until(lambda: running.log().count("planned restart: ") == 2, running._logs)
    assert "ended with" not in running.log()
    (url,) = send_pages(running, tmp_path, "late", GONE, 1)
    assert answers(running, [url]) == {url: None}
    before = ends_of_settings(running)

    with running.paused():
        running.recreate(SITE_SETTINGS)
        said = site(running, "override", STAYS, "--remove", "h1").stderr
        for number, end in before.items():
            missing = end - ends_of_settings(running)[number]
            for place in range(missing):
                key = b"no site of templ's %d" % place
                produce(running, SITE_SETTINGS, key, None, number)
        assert ends_of_settings(running) == before

    def is_applied():
        (url,) = send_pages(running, tmp_path, f"page-{time.monotonic_ns()}", STAYS, 1)
        record = decode_output(answers(running, [url])[url])
        return record.site_settings_version == said.split()[-1]

    wait_until(is_applied, running._logs)
    assert "has lost records; it is read again as a whole" in running.log()
    (url,) = send_pages(running, tmp_path, "later", GONE, 1)
    assert answers(running, [url]) == {url: None}
    doctor = templ("doctor", *running.options, "--state", running.state(), expect=1)
    assert (
        f"has lost the take-downs of these sites, which {running.state()} remembers: {GONE};"
        in (doctor.stdout + doctor.stderr)
    )

    assert running.stop() == 0
    running.start()
    (url,) = send_pages(running, tmp_path, "after a restart", GONE, 1)
    assert answers(running, [url]) == {url: None}
    site(running, "reset", GONE)
    wait_until(lambda: not taken_down_in_state(running.state()), running._logs)
