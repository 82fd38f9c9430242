"""Logs that are no longer what was read: cut short by a disk loss, deleted, made again, emptied.

Disk loss and an unclean leader election look alike to a client: the topic is the same, its log is
shorter, and new records take offsets that old ones had. Both are simulated by removing or cutting the
files of a stopped broker.
"""

import time

import pytest

from schemas.topics import DOCUMENTS, PAGES, SITE_MODELS, TOPICS
from tests.kafka.stream import PARTITIONS, Stream, local_run, wait_until, write_feed
from workers.kafka.partition_windows import CHECK_S

pytestmark = pytest.mark.timeout(400)
STALL_S = 20


def cut_log(stream, broker, topic):
    """Take the younger half of the bytes of each partition, as an unclean leader election does."""
    broker.kill()
    for number in range(PARTITIONS):
        folder = broker.data / "log" / f"{stream.prefix}{topic}-{number}"
        (log,) = folder.glob("*.log")
        for index in (*folder.glob("*.index"), *folder.glob("*.timeindex")):
            index.unlink()
        with log.open("r+b") as file:
            file.truncate(last_used_byte(log) // 2)
    broker.start()


def last_used_byte(log):
    """Bytes of a log file before the zeros that were allocated for later records."""
    return len(log.read_bytes().rstrip(b"\0"))


def cleaned_ids(stream):
    return {one.id for records in stream.outputs().values() for one in records}


def ids_of(feed):
    return {f"{feed.name}:{number}" for number in range(len(feed.read_bytes().splitlines()))}


def feed_first(stream, tmp_path, pages=80, **environment):
    """Have a worker clean and learn a first feed."""
    first = write_feed(tmp_path / "first.jsonl", pages=pages)
    stream.start(**environment)
    stream.feed(first)
    stream.wait_until_settled()
    return first


def wait_until_cleaned(stream, feed):
    wait_until(lambda: ids_of(feed) <= cleaned_ids(stream), stream.log)


@pytest.mark.parametrize("damage", [Stream.lose_log, cut_log])
@pytest.mark.parametrize("is_running", [False, True])
def test_pages_of_a_log_that_became_shorter_are_cleaned(
    stream, stoppable_broker, tmp_path, damage, is_running
):
    feed_first(stream, tmp_path)
    if not is_running:
        assert stream.stop() == 0
    damage(stream, stoppable_broker, PAGES)
    second = write_feed(tmp_path / "second.jsonl", pages=120, seed=5)
    stream.feed(second)
    if not is_running:
        stream.start()
    wait_until_cleaned(stream, second)
    assert stream.stop() == 0
    warnings = [line for line in stream.log().splitlines() if "log of this topic was cut" in line]
    assert warnings
    assert "Traceback" not in stream.log()


def test_pages_of_a_recreated_topic_are_cleaned(stream, tmp_path):
    feed_first(stream, tmp_path)
    stream.recreate(PAGES)
    second = write_feed(tmp_path / "second.jsonl", pages=120, seed=5)
    stream.feed(second)
    wait_until_cleaned(stream, second)
    assert stream.stop() == 0
    assert "was deleted and created again" in stream.log()
    assert "Traceback" not in stream.log()


@pytest.mark.parametrize("is_regrown", [False, True])
def test_windows_follow_documents_that_were_lost_under_a_running_refresher(
    stream, stoppable_broker, tmp_path, is_regrown
):
    # A revision that is sent before the loss is noticed would bring its document back.
    quiet = {"TEMPL_REVISIONS": "false"}
    feed_first(stream, tmp_path, pages=40, **quiet)
    if is_regrown:
        assert stream.stop() == 0
    stream.lose_log(stoppable_broker, DOCUMENTS)
    second = write_feed(tmp_path / "second.jsonl", pages=120, seed=5)
    stream.feed(second)
    if is_regrown:
        stream.start(**quiet)
    wait_until_cleaned(stream, second)
    stream.wait_until_learned()
    assert stream.stop() == 0
    assert "are rebuilt" in stream.log()
    _, undisturbed = local_run([second], tmp_path)
    assert stream.windows("one") == undisturbed


def test_all_topics_recreated_under_a_running_worker(stream, tmp_path):
    feed_first(stream, tmp_path)
    stream.recreate(*TOPICS)
    second = write_feed(tmp_path / "second.jsonl", pages=120, seed=5)
    stream.feed(second)
    wait_until_cleaned(stream, second)
    stream.wait_until_learned()
    assert stream.stop() == 0
    _, undisturbed = local_run([second], tmp_path)
    assert stream.windows("one") == undisturbed


@pytest.mark.parametrize("how", ["log lost", "made again"])
def test_site_models_that_were_emptied_are_published_again(stream, stoppable_broker, tmp_path, how):
    feed_first(stream, tmp_path)
    sites = {record.key for record in stream.records(SITE_MODELS)}
    time.sleep(3 * CHECK_S)  # the refresher looks at the topic after it has published
    if how == "made again":
        stream.recreate(SITE_MODELS)
    else:
        stream.lose_log(stoppable_broker, SITE_MODELS)
    wait_until(lambda: {record.key for record in stream.records(SITE_MODELS)} == sites, stream.log)
    assert stream.stop() == 0
    assert "sites are published again" in stream.log()
