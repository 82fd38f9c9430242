"""Hostile records in `site-models` on a real broker: they cost evidence, never a page."""

import json

import pytest

from schemas.codec import encode_msgpack
from schemas.topics import SITE_MODELS
from templ_core.site_key import site_key
from tests.kafka.stream import write_feed
from tests.workers.builders import site_model_record
from tests.workers.hostile_site_models import hostile_site_models

pytestmark = pytest.mark.timeout(400)


def test_pages_of_sites_with_hostile_models_are_cleaned_as_those_of_new_sites(stream, tmp_path):
    hostile = hostile_site_models()
    feed = write_feed(tmp_path / "feed.jsonl", pages=60, sites=len(hostile))
    urls = [json.loads(line)["url"] for line in feed.read_bytes().splitlines()]
    sites = sorted({site_key(url) for url in urls})
    bodies = [body for body, _ in hostile.values()]
    records = {
        site: encode_msgpack(site_model_record("hostile", site=site, documents=30, body=body))
        for site, body in zip(sites, bodies, strict=True)
    }
    given = ({"value": value, "key": site.encode()} for site, value in records.items())
    places = [(one.partition, one.offset) for one in stream.send(SITE_MODELS, *given)]
    stream.feed(feed)
    stream.start()
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
