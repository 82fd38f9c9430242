"""Workers whose stores were damaged on disk rebuild them from the topics, without a person."""

import signal

import pytest

from schemas.topics import PAGES
from tests.kafka.stream import local_run, wait_until, write_feed

pytestmark = pytest.mark.timeout(400)


def flip_a_byte(file):
    content = bytearray(file.read_bytes())
    content[len(content) // 3] ^= 0x55
    file.write_bytes(content)


def flip_in_tables(store):
    for file in [*store.glob("*.sst"), *store.glob("*.blob")]:
        flip_a_byte(file)


def flip_in_manifest(store):
    for file in store.glob("MANIFEST-*"):
        flip_a_byte(file)


def lose_a_table(store):
    next(store.glob("*.sst")).unlink()


def cut_current(store):
    (store / "CURRENT").write_text("MANI")


DAMAGES = [flip_in_tables, flip_in_manifest, lose_a_table, cut_current]


def stores_of(stream):
    models = stream.state() / "cleaner" / "models"
    return [models, *sorted((stream.state() / "refresher").glob("windows-?"))]


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL], ids=["stopped", "killed"])
def test_damaged_stores_are_rebuilt_from_the_topics(stream, tmp_path, how):
    feed = write_feed(tmp_path / "feed.jsonl", pages=80)
    stream.start()
    stream.feed(feed)
    stream.wait_until_settled()
    stream.stop()
    if how == signal.SIGKILL:  # a second life that is only in the logs of changes
        stream.start()
        wait_until(lambda: len(stream.members("refresher")) == 1, stream.log)
        stream.stop(how=how)
    stores = stores_of(stream)
    assert len(stores) > len(DAMAGES) / 2
    for number, store in enumerate(stores):
        DAMAGES[number % len(DAMAGES)](store)
    later = write_feed(tmp_path / "later.jsonl", pages=100)
    later.write_bytes(b"".join(later.read_bytes().splitlines(keepends=True)[80:]))
    stream.start()
    stream.feed(later)
    stream.wait_until_lag("cleaner", PAGES, 0)
    stream.finish()
    _, undisturbed = local_run([feed, later], tmp_path)
    assert stream.windows("one") == undisturbed
    log = stream.log()
    assert "Traceback" not in log
    for store in stores:
        assert f"{store} is damaged (" in log
        assert f"it is set aside as {store.name}.damaged and rebuilt from {stream.prefix}" in log
    newest = [one for one in stream.outputs().values() if one[0].id.startswith("later")]
    assert all(records[0].site_model_version for records in newest)
