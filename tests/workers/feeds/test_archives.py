"""Archives are merged by time, and reading goes on from every place, whoever wrote them."""

import gzip
import io
import json
from collections import Counter

import msgspec
import pytest
import zstandard
from fastwarc.warc import WarcRecord, WarcRecordType
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from workers.errors import InputProblem, UsageProblem
from workers.feeds.archives import archive_files, read_archives
from workers.feeds.reading import Place, Reading
from workers.page import Page

LATEST_MS = 4_000_000_000_000


def date(minute):
    return f"2026-03-01T{minute // 60:02}:{minute % 60:02}:00Z"


def warcio_records(minutes, *, host="news.example", heritrix=False):
    """Return the records of a WARC file as warcio writes them, each compressed by itself."""
    buffer = io.BytesIO()
    writer = WARCWriter(buffer, gzip=True)
    writer.write_record(writer.create_warcinfo_record("x.warc.gz", {"software": "some crawler"}))
    for minute in minutes:
        url = f"https://{host}/{minute}"
        if (
            heritrix
        ):  # asks for the name of the host, and keeps requests and metadata beside responses
            dns = writer.create_warc_record(
                f"dns:{host}",
                "response",
                payload=io.BytesIO(b"20260301\nnews.example. 60 IN A 192.0.2.1\n"),
                warc_content_type="text/dns",
                warc_headers_dict={"WARC-Date": date(minute)},
            )
            writer.write_record(dns)
        response = writer.create_warc_record(
            url,
            "response",
            payload=io.BytesIO(f"<p>Story {minute}</p>".encode()),
            http_headers=StatusAndHeaders(
                "200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1"
            ),
            warc_headers_dict={"WARC-Date": date(minute)},
        )
        request = writer.create_warc_record(
            url,
            "request",
            http_headers=StatusAndHeaders("GET / HTTP/1.1", [("Host", host)], is_http_request=True),
            warc_headers_dict={"WARC-Date": date(minute)},
        )
        if heritrix:
            writer.write_record(response)
            writer.write_record(request)
        else:
            writer.write_request_response_pair(request, response)
    return buffer.getvalue()


def fastwarc_records(minutes):
    buffer = io.BytesIO()
    for minute in minutes:
        record = WarcRecord()
        record.init_headers(record_type=WarcRecordType.response)
        record.headers.append("WARC-Target-URI", f"https://fast.example/{minute}")
        record.headers["WARC-Date"] = date(minute)
        record.headers["Content-Type"] = "application/http; msgtype=response"
        body = f"<p>Story {minute}</p>"
        record.set_bytes_content(
            f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}".encode()
        )
        record.write(buffer)
    return buffer.getvalue()


def lines(minutes):
    return b"".join(
        json.dumps(
            {"url": f"https://lines.example/{m}", "html": "<p>é", "fetched_at": date(m)}
        ).encode()
        + (b"\n\n \n" if m % 3 else b"\n")
        for m in minutes
    )


def scrapy_lines(minutes):
    scrapy = pytest.importorskip("scrapy.exporters")
    buffer = io.BytesIO()
    exporter = scrapy.JsonLinesItemExporter(buffer)
    exporter.start_exporting()
    for m in minutes:
        exporter.export_item(
            {"url": f"https://s.example/{m}", "html": "<p>é", "fetched_at": date(m)}
        )
    exporter.finish_exporting()
    return buffer.getvalue()


WRITERS = {
    "news.warc.gz": warcio_records,
    "heritrix.warc.gz": lambda minutes: warcio_records(minutes, heritrix=True),
    "plain.warc": fastwarc_records,
    "packed.warc.zst": lambda minutes: b"".join(
        zstandard.compress(fastwarc_records([minute])) for minute in minutes
    ),
    "feed.jsonl": lines,
    "feed.jsonl.gz": lambda minutes: gzip.compress(lines(minutes)),
    "scrapy.jsonl": scrapy_lines,
}


def reading(**changes):
    problems = []
    how = Reading(
        time_field="fetched_at",
        latest_ms=LATEST_MS,
        limit_bytes=1 << 20,
        on_progress=lambda _: None,
        on_problem=problems.append,
    )
    return msgspec.structs.replace(how, **changes), problems


def read(files, places=None, open_files_max=64, **changes):
    how, problems = reading(**changes)
    records = list(read_archives(files, places or {}, how, open_files_max))
    assert not problems
    return records


@pytest.mark.parametrize("name", WRITERS)
def test_reading_goes_on_behind_every_record(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(WRITERS[name](range(7)))
    whole = read([path])
    assert [one.record.url.rpartition("/")[2] for one in whole] == list("0123456")
    assert {one.record.source.topic for one in whole} == {name}
    for number, record in enumerate(whole):
        assert read([path], {path: record.behind}) == whole[number + 1 :]


def test_the_files_of_a_crawl_are_merged_by_time(tmp_path):
    """The folders are those of Common Crawl's news and of Heritrix, which writes several files at once."""
    minutes = {
        "crawl-data/CC-NEWS/2026/03/CC-NEWS-20260301000000-00001.warc.gz": range(40, 60),
        "crawl-data/CC-NEWS/2026/03/CC-NEWS-20260301010000-00002.warc.gz": range(60, 80),
        "warcs/WEB-20260301000000000-00000-8~crawler~8443.warc.gz": range(0, 50, 2),
        "warcs/WEB-20260301000000000-00001-8~crawler~8443.warc.gz": range(1, 50, 2),
    }
    for name, some in minutes.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(warcio_records(some, heritrix=name.startswith("warcs")))
    (path.parent / "WEB-1-00002-8~crawler~8443.warc.gz.open").write_bytes(b"begun")
    files = archive_files([tmp_path])
    records = read(files)
    times = [one.record.event_time_ms for one in records]
    assert times == sorted(times)
    assert len(times) == sum(map(len, minutes.values()))
    assert all(isinstance(one.record, Page) for one in records)
    places = {one.file: one.behind for one in records[:33]}
    rest = read(files, places)
    assert Counter(map(repr, rest)) == Counter(map(repr, records[33:]))


def test_few_files_are_open_at_the_same_time(tmp_path, monkeypatch):
    files = []
    for number in range(6):
        files.append(tmp_path / f"{number}.jsonl")
        files[-1].write_bytes(lines(range(10 * number, 10 * number + 15)))
    opened = []
    most = 0

    def count(path, name, how, start):
        nonlocal most
        opened.append(path)
        most = max(most, len(opened))
        yield from whole(path, name, how, start)
        opened.remove(path)

    from workers.feeds import archives

    whole = archives.read_json_lines
    places = {file: Place(0, 0, 1) for file in files}
    monkeypatch.setattr(archives, "read_json_lines", count)
    records = read(files, places, open_files_max=2)
    assert most == 2
    assert len(records) == 6 * 15
    assert not opened
    times = [one.record.event_time_ms for one in read(files)]
    assert times == sorted(times)


@pytest.mark.parametrize("blank", [b"", b"\n\n"])
def test_reading_goes_on_before_and_behind_each_damage(tmp_path, blank):
    def member(first):
        pages = [{"url": f"https://a.example/{n}", "html": "<p>x"} for n in range(first, first + 5)]
        return gzip.compress(b"\n".join([*(json.dumps(one).encode() for one in pages), blank]))

    members = [member(first) for first in (0, 5, 10)]
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(b"".join([members[0], members[1][:-20], members[2], members[1][:40]]))

    def rest(places):
        how, problems = reading()
        return list(read_archives([path], places, how)), problems

    whole, problems = rest({})
    assert [isinstance(one.record, Page) for one in whole].count(False) == 2
    assert len(problems) == 1
    for number, record in enumerate(whole):
        assert rest({path: record.behind})[0] == whole[number + 1 :]


def test_inputs_that_are_no_archives(tmp_path):
    page = tmp_path / "a.html"
    page.write_text("<p>")
    for given in (page, tmp_path):
        with pytest.raises(UsageProblem, match="no archive"):
            archive_files([given])
    with pytest.raises(InputProblem, match="does not exist"):
        archive_files([tmp_path / "none.warc"])
