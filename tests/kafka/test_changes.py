"""What a worker says has changed, on pages and on sites, on a real broker."""

import base64
import json

import pytest

from schemas.codec import decode_output
from schemas.topics import CLEANED, SITE_EVENTS
from tests.kafka.stream import wait_until

pytestmark = pytest.mark.timeout(400)


def article(number, charset="utf-8", *, url=None, event="It says that."):
    story = f"<p>Article {number} says this of {number * 7}. {event} " * 5
    html = f"<h1>Article {number}</h1><div>{story}</div>".encode(charset)
    return {
        "url": url or f"https://a.example/{number}",
        "html_base64": base64.b64encode(html).decode(),
        "content_type": f"text/html; charset={charset}",
        "fetched_at": f"2026-01-{1 + number // 24:02}T{number % 24:02}:00:00Z",
        "id": str(number),
    }


def test_pages_that_come_again_and_sites_that_change_are_told(stream, tmp_path):
    pages = [article(number, "utf-8" if number < 15 else "utf-16") for number in range(30)]
    pages.append(article(40, url="https://a.example/0", event="It says no more."))
    feed = tmp_path / "feed.jsonl"
    feed.write_text("".join(json.dumps(one) + "\n" for one in pages))
    stream.feed(feed)
    stream.start(TEMPL_CHANGES="true", TEMPL_SITE_EVENTS="true", TEMPL_REVISIONS="false")
    stream.wait_until_settled()

    def changed():
        records = [decode_output(one.value) for one in stream.records(CLEANED)]
        return [one for one in records if one.revision_reason == "changed"]

    wait_until(lambda: changed() and stream.records(SITE_EVENTS), stream.log)
    (again,) = changed()
    assert (again.id, again.revision, again.changes.degree) == ("40", 1, "major")
    assert again.changes.since == "2026-01-01T00:00:00Z"
    assert "It says no more." in again.changes.added
    (event,) = stream.records(SITE_EVENTS)
    assert event.key == b"a.example"
    assert json.loads(event.value)["event"] == "charset-changed"
