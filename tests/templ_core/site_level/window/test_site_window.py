"""The window in memory holds what a worker's window in its store holds."""

import random

import msgspec
import pytest

from schemas.source import Source
from templ_core.config import WindowBounds
from templ_core.site_level.window.site_window import SiteWindow, WindowDocument
from tests.workers.builders import document, packed, stored_summary
from workers.settings import Settings
from workers.state.window_store import WindowStore

HOUR_MS = 3600 * 1000
SMALL = {
    "age_ms": 48 * HOUR_MS,
    "floor_pages": 4,
    "floor_age_ms": 200 * HOUR_MS,
    "newest_pages": 6,
    "day_pages": 3,
    "pages_max": 20,
}


@pytest.mark.parametrize("seed", range(8))
def test_it_holds_the_documents_of_a_store(seed):
    chance = random.Random(seed)
    window = SiteWindow(WindowBounds(**SMALL))
    store = WindowStore(
        None, Settings(**{f"window_{key}": value for key, value in SMALL.items()}), has_topic=False
    )
    entered = 0
    for number in range(120):
        url = f"https://example.com/{chance.randrange(40)}"
        time_ms = (number + chance.randrange(30)) * HOUR_MS
        source = Source(url, 0, time_ms)
        record = document(number, url=url, time_ms=time_ms, body=packed(bytes([number] * 9)))
        record = msgspec.structs.replace(record, source=source, id=str(source))
        if chance.random() < 0.1:
            window.forget(url, time_ms)
            store.delete_url(msgspec.structs.replace(record, kind="deletion", body=b""), None)
        else:
            one = WindowDocument(time_ms, str(source), url, record.content_digest, record.body, b"")
            entered += window.enter(one)
            if store.known(record) is None:
                store.put(record, stored_summary(record), None)
        kept = [entry.id for entry in store.window_entries("example.com")]
        assert [one.page_id for one in window.documents] == kept, number
        assert entered == store.site_state("example.com").learned
