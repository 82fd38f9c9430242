"""The fields of records, headers and deletions as consumers of the topics see them."""

import re
import threading
from pathlib import Path

import pytest

import schemas
from schemas.topics import CLEANED, DOCUMENTS, PAGES
from tests.kafka.stream import WAIT_S, wait_until

pytestmark = pytest.mark.timeout(400)

URL = "https://daily.example/bridge"
HTML = (
    b"<html lang=en><title>Bridge opens | Daily</title><nav><a href=/>Home</a></nav>"
    b"<h1>Bridge opens</h1>" + b"<p>The council said that <a href=/b>the bridge</a> is open. " * 9
)
README = Path(schemas.__file__).with_name("README.md")


def send(stream, *messages):
    names = ("key", "value", "headers")
    stream.send(PAGES, *(dict(zip(names, one, strict=True)) for one in messages))


def headers(**values):
    return [(name.replace("_", "-"), value) for name, value in values.items()]


def test_records_have_their_fields_headers_are_passed_on_and_a_null_value_deletes(stream):
    page = headers(url=URL.encode(), fetched_at=b"1700000000", trace=b"t1")
    other = headers(url=b"https://daily.example/x", fetched_at=b"yesterday")
    send(stream, (None, HTML, page), (None, HTML, other), (None, b"", page))
    stream.start(TEMPL_TEXT_FORMS="markdown,html", TEMPL_LINKS="true", TEMPL_SEGMENTS="true")
    stream.wait_until_settled()
    send(stream, (URL.encode(), None, []))
    wait_until(lambda: None in [one.value for one in stream.records(CLEANED)], lambda: "no null")
    ready = '"event":"ready: '
    for line in (
        f'"role":"cleaner",{ready}all site models are read; partitions 0, 1, 2, 3 of',
        f'"role":"refresher",{ready}the windows are up to date; partitions ',
    ):
        wait_until(lambda line=line: line in stream.log(), lambda line=line: f"no {line}")
    assert stream.stop() == 0
    records = {one[0].url: one[0] for one in stream.outputs().values()}
    record = records[URL]
    assert record.fetched_at == "2023-11-14T22:13:20Z"
    assert record.metadata.title == "Bridge opens"
    assert "[the bridge](https://daily.example/b)" in record.markdown
    assert None not in (record.html, record.links, record.segments, record.page_type)
    assert records["https://daily.example/x"].warnings == ["time-replaced"]
    for topic in (CLEANED, DOCUMENTS):
        passed = [dict(one.headers).get("trace") for one in stream.records(topic)]
        assert b"t1" in passed
    ((letter, _),) = stream.dead_letters().values()
    assert letter["trace"] == "t1"
    assert "[^-" not in stream.log()
    deletions = [one for one in stream.records(CLEANED) if one.value is None]
    assert [one.key.decode() for one in deletions] == [URL]


def test_the_indexer_of_the_readme_reads_the_topic(stream):
    pytest.importorskip("kafka", reason="needs kafka-python")
    code = re.search(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)[1]
    gone = "https://daily.example/gone"
    pages = [(None, HTML, headers(url=one.encode())) for one in (gone, URL)]
    send(stream, *pages)
    stream.start()
    stream.wait_until_answered()
    send(stream, (gone.encode(), None, []))  # it may be in another partition
    stream.finish()
    code = code.replace("HOST:PORT", stream.address)
    code = code.replace('"cleaned"', repr(stream.prefix + CLEANED))
    variables = {}
    work = threading.Thread(target=exec, args=(code, variables), daemon=True)
    work.start()
    wait_until(lambda: set(variables.get("index", ())) == {URL}, lambda: "not indexed", WAIT_S)
    assert variables["index"][URL]["metadata"]["title"] == "Bridge opens"
