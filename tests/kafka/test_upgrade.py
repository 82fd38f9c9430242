"""A worker of today finds in every topic what the version before has left there."""

from pathlib import Path

import msgspec

from schemas.codec import decode_site_model_record
from schemas.topics import CLEANED, DOCUMENTS, SITE_MODELS, SITE_SETTINGS
from tests.golden.formats import unpack
from tests.kafka.stream import PARTITIONS
from workers.kafka.broker.partitioning import partition_of

EARLIER = Path(__file__).parents[1] / "golden" / "versions" / "e410110.tar.xz"
SITE = "small.example"


def send(stream, records):
    """Send records of the site: topic, key and value of each."""
    for topic, key, value in records:
        partition = partition_of(SITE, PARTITIONS)
        stream.send(topic, {"value": value, "key": key, "partition": partition})


def test_one_earlier_value_in_each_topic(stream, tmp_path):
    folder = tmp_path / "earlier"
    with EARLIER.open("rb") as archive:
        unpack(archive, folder)
    documents, models = (
        msgspec.msgpack.decode((folder / f"{name}.msgpack").read_bytes())
        for name in (DOCUMENTS, SITE_MODELS)
    )
    written = (folder / "cleaned.jsonl").read_bytes().splitlines()[0]
    settings = b'{"schema":"site-settings/1","site":"small.example","comments":"keep"}'
    sent = [
        (CLEANED, b"https://small.example/0", written),
        (DOCUMENTS, *documents[0]),
        (SITE_MODELS, *models[0]),
        (SITE_SETTINGS, SITE.encode(), settings),
    ]
    send(stream, sent)
    stream.start()
    pages = folder / "new.jsonl"
    line = (folder / "feed.jsonl").read_bytes().splitlines()[-1]
    pages.write_bytes(line.replace(b"small.example/5", b"small.example/new") + b"\n")
    stream.feed(pages)
    stream.wait_until_lag("cleaner", "pages", 0)
    stream.wait_until_learned()
    assert stream.stop() == 0
    old, new = sorted(stream.records(CLEANED), key=lambda one: one.offset)
    assert old.value == written
    record = msgspec.json.decode(new.value)
    model = decode_site_model_record(models[0][1])
    assert (record["method"], record["site_model_version"]) == ("site", model.version)
    assert record["site_settings_version"]
    assert "is left out: document of format 2, known is 5" in stream.log()
    ((documents_known, _),) = stream.windows("one").values()
    assert len(documents_known) == 1
