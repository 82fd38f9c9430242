"""Hostile records in `site-models` on a real broker: they cost evidence, never a page."""

import json

import pytest

from schemas.codec import encode_msgpack
from schemas.site_model import SiteModelRecord
from schemas.topics import SITE_MODELS
from templ_core.site_key import site_key
from tests.kafka.stream import write_feed
from tests.workers.hostile_site_models import hostile_site_models

pytestmark = pytest.mark.timeout(400)


def send(stream, records):
    """Send records to `site-models`; answers the partition and the offset of each."""
    given = ({"value": value, "key": key.encode()} for key, value in records.items())
    return [(one.partition, one.offset) for one in stream.send(SITE_MODELS, *given)]


def record(site, body):
    return encode_msgpack(
        SiteModelRecord(
            site=site,
            version="hostile",
            documents=30,
            first_event_time_ms=0,
            last_event_time_ms=0,
            body=body,
        )
    )


def test_pages_of_sites_with_hostile_models_are_cleaned_as_those_of_new_sites(stream, tmp_path):
    hostile = hostile_site_models()
    feed = write_feed(tmp_path / "feed.jsonl", pages=60, sites=len(hostile))
    urls = [json.loads(line)["url"] for line in feed.read_bytes().splitlines()]
    sites = sorted({site_key(url) for url in urls})
    bodies = [body for body, _ in hostile.values()]
    records = {site: record(site, body) for site, body in zip(sites, bodies, strict=True)}
    places = send(stream, records)
    stream.feed(feed)
    stream.start(TEMPL_BURST_PAGES_MIN="0")
    stream.finish()
    assert stream.dead_letters() == {}
    assert len(stream.outputs()) == len(urls)
    used = {one[0].site_model_version for one in stream.outputs().values()}
    assert "hostile" not in used
    log = stream.log()
    for site, (partition, offset), (_, said) in zip(sites, places, hostile.values(), strict=True):
        place = f"'hostile' of '{site}' (partition {partition}, offset {offset}) cannot be used: "
        assert log.count(place) == 1
        assert said in log.partition(place)[2].partition("\n")[0]
    assert "Traceback" not in log
