"""Pages of new sites that are fed at once, on a real broker."""

import signal

from schemas.topics import PAGES
from tests.kafka.stream import write_feed

PAGES_FED = 240
SITES = 12


def burst_of(tmp_path):
    return write_feed(tmp_path / "feed.jsonl", pages=PAGES_FED, sites=SITES)


def stop_when_learned(stream):
    stream.finish()


def test_a_burst_of_new_sites_is_not_published_by_the_page_level_alone(stream, tmp_path):
    stream.feed(burst_of(tmp_path))
    stream.start(TEMPL_BATCH_PAGES="128")
    stop_when_learned(stream)
    outputs = stream.outputs()
    assert {str(source) for source in outputs} == stream.sent()
    firsts = [records[0] for records in outputs.values()]
    alone = [one for one in firsts if one.site_model_version is None]
    assert len(alone) <= SITES


def test_nothing_is_lost_when_a_worker_is_killed_in_a_burst(stream, tmp_path):
    stream.feed(burst_of(tmp_path))
    stream.start(TEMPL_BATCH_PAGES="32")
    for share in (0.1, 0.4):
        stream.wait_until_lag("cleaner", PAGES, round((1 - share) * PAGES_FED))
        stream.stop(how=signal.SIGKILL)
        stream.start(TEMPL_BATCH_PAGES="32")
    stop_when_learned(stream)
    outputs = stream.outputs()
    assert {str(source) for source in outputs} == stream.sent()
    assert stream.last_sources() == stream.newest_fetches()
    for records in outputs.values():
        texts = {(one.revision, one.site_model_version): one.text for one in records}
        assert all(one.text == texts[one.revision, one.site_model_version] for one in records)
