"""A stream goes on with another number of partitions, in topics of another prefix, and nothing is lost."""

import time

import pytest

from schemas.topics import DOCUMENTS, PAGES, SITE_SETTINGS
from templ_core.times import rfc3339
from tests.kafka.stream import Stream, halves, local_run, templ, write_feed

pytestmark = pytest.mark.timeout(400)


@pytest.mark.parametrize("partitions", [1, 5], ids=["fewer", "more"])
def test_what_was_learned_goes_on_with_another_number_of_partitions(
    kafka_broker, prefix, tmp_path, partitions
):
    feed = write_feed(tmp_path / "feed.jsonl", pages=200, sites=8)
    first, second = halves(feed)
    _, undisturbed = local_run([first, second], tmp_path)
    (tmp_path / "new").mkdir()
    old = Stream(kafka_broker, prefix, tmp_path, partitions=2)
    new = Stream(kafka_broker, f"{prefix}new.", tmp_path / "new", partitions=partitions)
    try:
        old.start()
        old.feed(first)
        old.wait_until_settled()
        templ("site", "forget", "nowhere.example", "--yes", *old.options)
        since = rfc3339(round(time.time() * 1000))
        for _ in range(2):  # the second time as after an interruption
            copied = templ("seed", "--from-prefix", prefix, *new.options)
        assert f"{new.prefix}{DOCUMENTS}: " in copied.stderr
        old.feed(second)
        old.finish()
        topic = ("--from-topic", prefix + PAGES, "--since", since)
        dead = ("--dead-letters", tmp_path / "dead")
        templ("feed", *topic, *new.options, *dead)
        new.start()
        new.finish()
    finally:
        old.stop_all()
        new.stop_all()
    assert len(new.sent()) == 100
    assert new.answered() >= new.sent()
    assert new.windows("one") == undisturbed
    assert {record.key for record in new.records(SITE_SETTINGS)} == {b"nowhere.example"}
