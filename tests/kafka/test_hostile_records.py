"""What one hostile record can do to workers on a real broker is bounded to that record."""

import json
import re
import struct
from pathlib import Path

import pytest
from aiokafka.consumer import fetcher

from schemas.topics import DOCUMENTS, PAGES, SITE_MODELS
from tests.kafka.hostile_records import HOSTILE_PAGES, LARGE, hostile_documents, send_batch
from tests.kafka.stream import PARTITIONS, wait_until, write_feed
from workers.kafka.broker.partitioning import partition_of
from workers.kafka.patches import bound_fetches
from workers.settings import load_settings

pytestmark = pytest.mark.timeout(400)

MEMORY_BYTES = 300 << 20
SITE = "site-0.example"
NUMBER = partition_of(SITE, PARTITIONS)


@pytest.fixture(autouse=True)
def bounded_fetches(monkeypatch):
    for name in ("MemoryRecords", "PartitionRecords", "FetchResult"):
        monkeypatch.setattr(fetcher, name, getattr(fetcher, name))
    bound_fetches(load_settings().record_limit_bytes)


def good_page(number):
    url = f"https://{SITE}/good-{number}".encode()
    text = b"A sentence of some words, and then some more. " * 20
    return SITE.encode(), b"<title>t</title><p>" + text, [(b"url", url)]


def peak_bytes(stream, name="one"):
    """The most memory that a process of a worker's roles has had."""
    pid = stream.pid(name)
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    statuses = [Path(f"/proc/{one}/status").read_text() for one in children.split()]
    return max(int(re.search(r"VmHWM:\s+(\d+) kB", one)[1]) << 10 for one in statuses)


def lines_about(stream, name):
    return [line for line in stream.log().splitlines() if name in line]


@pytest.mark.usefixtures("whole_processes")
def test_hostile_pages_become_dead_letters_and_the_rest_goes_on(stream, tmp_path):
    stream.start("one")
    stream.feed(write_feed(tmp_path / "feed.jsonl", pages=40))
    records = []
    for number, body in enumerate(HOSTILE_PAGES.values()):
        records += [good_page(number), body]
    first = send_batch(stream, PAGES, NUMBER, [*records, good_page(9)])
    stream.feed(write_feed(tmp_path / "more.jsonl", pages=40, seed=2))
    stream.wait_until_answered()
    assert peak_bytes(stream) < MEMORY_BYTES
    assert stream.stop() == 0
    letters = stream.dead_letters()
    names = [f"{stream.prefix}{PAGES}-{NUMBER}-{first + shift}" for shift in (1, 3, 5)]
    assert sorted(letters) == sorted(names)
    kinds = [letters[name][0]["__streams.errors.exception"] for name in names]
    assert kinds == list(HOSTILE_PAGES)
    assert letters[names[0]][1] == HOSTILE_PAGES["InvalidHeader"][1]
    assert letters[names[1]][0]["templ.cut-from"] == str(LARGE.size)
    assert letters[names[2]][1] == HOSTILE_PAGES["InvalidRecord"][1]
    for name in names:
        (line,) = lines_about(stream, name)
        assert "is a dead letter" in line
    assert "Traceback" not in stream.log()
    assert "starts again" not in stream.log()


@pytest.mark.usefixtures("whole_processes")
def test_hostile_documents_and_models_are_stepped_over(stream, tmp_path):
    stream.start("one")
    stream.feed(write_feed(tmp_path / "feed.jsonl", pages=40))
    stream.wait_until_answered()
    records = hostile_documents(SITE)
    first = send_batch(stream, DOCUMENTS, NUMBER, records)
    model = send_batch(stream, SITE_MODELS, NUMBER, [(SITE.encode(), LARGE, [])])
    stream.feed(write_feed(tmp_path / "more.jsonl", pages=40, seed=2))
    stream.wait_until_settled()
    wait_until(lambda: lines_about(stream, f"{SITE_MODELS}-{NUMBER}-{model} cannot"), stream.log)
    assert peak_bytes(stream) < MEMORY_BYTES
    assert stream.stop() == 0
    for shift in range(len(records)):
        (line,) = lines_about(stream, f"{stream.prefix}{DOCUMENTS}-{NUMBER}-{first + shift} ")
        assert "is left out" in line
    assert len(stream.windows("one")[SITE][0]) > 5
    assert "starts again" not in stream.log()


def test_a_batch_that_is_damaged_on_the_disk_of_the_broker_is_one_dead_letter(
    stream, stoppable_broker
):
    batches = [[good_page(3 * some + number) for number in range(3)] for some in range(3)]
    _, damaged, last = [send_batch(stream, PAGES, NUMBER, some) for some in batches]
    stoppable_broker.stop()  # so that it does not look at its records when it starts
    folder = stoppable_broker.data / "log" / f"{stream.prefix}{PAGES}-{NUMBER}"
    (log,) = folder.glob("*.log")
    flip_byte_of_batch(log, damaged)
    stoppable_broker.start()
    stream.start("one")
    wait_until(lambda: len(stream.answered()) == 7, stream.log)
    stream.wait_until_lag("cleaner", PAGES, 0)
    assert stream.stop() == 0
    names = [f"{stream.prefix}{PAGES}-{NUMBER}-{offset}" for offset in range(last + 3)]
    letters = stream.dead_letters()
    assert list(letters) == [names[damaged + 2]]
    reason = f"the batch of the offsets {damaged} to {damaged + 2} has a wrong checksum"
    assert letters[names[damaged + 2]][0]["__streams.errors.message"] == reason
    assert stream.answered() == {*names[:damaged], names[damaged + 2], *names[last:]}
    (line,) = lines_about(stream, "is a dead letter")
    event = json.loads(line)["event"]
    assert event.endswith(f"{names[damaged + 2]} is a dead letter: DamagedBatch: {reason}")
    assert "Traceback" not in stream.log()


def flip_byte_of_batch(log, offset):
    """Damage the last byte of the batch that begins at an offset."""
    content = bytearray(log.read_bytes())
    at = 0
    while struct.unpack_from(">q", content, at)[0] != offset:
        at += 12 + struct.unpack_from(">i", content, at + 8)[0]
    content[at + 11 + struct.unpack_from(">i", content, at + 8)[0]] ^= 1
    log.write_bytes(content)
