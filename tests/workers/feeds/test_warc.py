import gzip
import io
import zlib
from collections import Counter

import pytest
import zstandard
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from workers.errors import InputProblem, UsageProblem
from workers.feeds.files import read_feed, total_bytes
from workers.feeds.reading import Reading
from workers.page import Page, Rejected

HTML = ("Content-Type", "text/html; charset=utf-8")


COMPRESSED = gzip.compress(b"<p>one", mtime=0)


class Warc:
    def __init__(self, *, compressed=False):
        self.buffer = io.BytesIO()
        self.writer = WARCWriter(self.buffer, gzip=compressed)
        self.count = 0

    def add(self, body, *headers, kind="response", status="200 OK", url=None, http=True):
        fields = StatusAndHeaders(status, list(headers or [HTML]), protocol="HTTP/1.1")
        record = self.writer.create_warc_record(
            url or f"https://www.example.com/{self.count}",
            kind,
            payload=io.BytesIO(body),
            http_headers=fields if kind == "response" and http else None,
            warc_content_type=None if kind == "response" else "text/html",
            warc_headers_dict={"WARC-Date": f"2024-01-01T00:00:{self.count:02}Z"},
        )
        self.writer.write_record(record)
        self.count += 1
        return self

    @property
    def data(self):
        return self.buffer.getvalue()


def read(tmp_path, data, name="a.warc", **options):
    path = tmp_path / name
    path.write_bytes(data)
    return list(read_feed([path], Reading(**options)))


def sample(*, compressed=False):
    warc = Warc(compressed=compressed)
    warc.writer.write_record(warc.writer.create_warcinfo_record("a", {"software": "x"}))
    warc.add(b"<p>zero")
    warc.add(COMPRESSED, HTML, ("Content-Encoding", "gzip"))
    warc.add(b"GET / HTTP/1.1\r\n\r\n", kind="request")
    return warc.add(b"<p>two", kind="resource")


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.warc", sample().data),
        ("a.warc.gz", sample(compressed=True).data),
        ("a.warc.zst", zstandard.compress(sample().data)),
    ],
    ids=["plain", "gz", "zst"],
)
def test_response_and_resource_records(tmp_path, name, data):
    zero, one, two = read(tmp_path, data, name)
    assert (zero.url, zero.site) == ("https://www.example.com/0", "example.com")
    assert (zero.body, zero.content_type, zero.status) == (b"<p>zero", HTML[1], 200)
    assert (zero.fetched_at, zero.event_time_ms) == ("2024-01-01T00:00:00Z", 1_704_067_200_000)
    assert (one.content_encoding, one.body) == ("gzip", COMPRESSED)
    assert (two.body, two.content_type, two.id) == (b"<p>two", "text/html", f"{name}:2")
    assert [page.source.offset for page in (zero, one, two)] == [0, 1, 2]


CHUNKED = ("Transfer-Encoding", "chunked")


@pytest.mark.parametrize(
    "body",
    [
        b"6\r\n<p>one\r\n4;x=y\r\n two\r\n0\r\n\r\n",
        b"6\n<p>one\n4\n two\n0\n\n",
        b"6\r\n<p>one\r\n20\r\n two",
        b"<p>one two",
    ],
    ids=["crlf", "lf", "cut", "joined already"],
)
def test_chunks_are_joined(tmp_path, body):
    (page,) = read(tmp_path, Warc().add(body, HTML, CHUNKED).data)
    assert page.body == b"<p>one two"


def test_records_that_are_not_pages_are_skipped_but_counted(tmp_path):
    warc, kinds = Warc(), Counter()
    warc.writer.write_record(warc.writer.create_warcinfo_record("a", {"software": "x"}))
    warc.add(b"", HTML, ("Location", "/x"), status="301 Moved")
    warc.add(b"\x89PNG", ("Content-Type", "image/png; x=y"))
    warc.add(b"{}", ("Content-Type", "application/json"))
    warc.add(b"p {}", ("Content-Type", "text/css"))
    warc.add(b"1.2.3.4", kind="resource", url="dns:example.com")
    warc.add(b"<p>page")
    warc.add(b"gone", status="404 Not Found")
    warc.add(b"GET / HTTP/1.1\r\n\r\n", kind="request")
    page, gone = read(tmp_path, warc.data, left_out=kinds)
    assert (page.body, page.source.offset) == (b"<p>page", 5)
    assert gone.is_deletion
    assert list(kinds.elements()) == [
        "warcinfo", "redirect", "image/png", "application/json", "text/css", "no HTTP address",
        "request",
    ]  # fmt: skip


def test_a_damaged_http_block_is_rejected(tmp_path):
    data = Warc().add(b"<p>a").add(b"<p>b").data.replace(b"HTTP/1.1 200 OK", b"HTTQ/1.1 200 OK", 1)
    rejected, page = read(tmp_path, data)
    assert isinstance(rejected, Rejected)
    assert (rejected.exception, rejected.url) == ("InvalidRecord", "https://www.example.com/0")
    assert rejected.value.startswith(b"HTTQ")
    assert page.body == b"<p>b"


def test_an_http_block_without_headers_is_a_page(tmp_path):
    data = Warc().add(b"HTTP/1.0 200 OK", http=False).data
    (page,) = read(tmp_path, data)
    assert (page.body, page.content_type) == (b"", None)


def test_a_page_over_the_limit_is_rejected(tmp_path):
    warc = Warc().add(b"x" * 101).add(b"x" * (1 << 20)).add(b"x" * 100)
    large, larger, page = read(tmp_path, warc.data, limit_bytes=100)
    assert [large.exception, larger.exception] == ["PageTooLarge", "PageTooLarge"]
    assert len(larger.value) == 64 << 10
    assert isinstance(page, Page)


@pytest.mark.parametrize("compressed", [False, True])
def test_a_truncated_file_is_reported_after_its_complete_records(tmp_path, compressed):
    whole = Warc(compressed=compressed).add(b"<p>a").add(b"<p>b" * 1000)
    path = tmp_path / ("a.warc.gz" if compressed else "a.warc")
    path.write_bytes(whole.data[: -30 if compressed else -1000])
    pages = []
    with pytest.raises(InputProblem, match=r"fetch the file again") as caught:
        pages.extend(read_feed([path]))
    assert "\n" not in str(caught.value)
    page, rest = pages
    assert page.body == b"<p>a"
    assert (rest.exception, rest.source.offset) == ("DamagedInput", 1)
    assert rest.value.startswith(b"HTTP/1.1 200 OK" if rest.value else b"")


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("at", [0, 1, 4])
def test_whole_records_behind_damage_are_read(tmp_path, compressed, at):
    warcs = [Warc(compressed=compressed) for _ in range(6)]
    for number, warc in enumerate(warcs):
        warc.count = number
        warc.add(b"<p>%d" % number * 50)
    parts = [bytearray(warc.data) for warc in warcs]
    for number in (1, 3):
        parts[number][at : at + 12] = b"\xff" * 12
    path = tmp_path / ("a.warc.gz" if compressed else "a.warc")
    path.write_bytes(b"".join(parts))
    problems = []
    pages = list(read_feed([path], Reading(on_problem=problems.append)))
    urls = [one.url and one.url.rpartition("/")[2] for one in pages]
    assert urls == ["0", None, "2", None, "4", "5"]
    assert pages[1].exception == pages[3].exception == "DamagedInput"
    assert "after its first 1 page records" in str(problems[0])
    assert len(problems) == 1


def test_a_record_that_is_cut_in_its_header_is_no_page(tmp_path):
    data = Warc(compressed=True).add(b"<p>a", kind="resource").data
    cut = zlib.compressobj(wbits=31)
    block = cut.compress(gzip.decompress(data)[:60]) + cut.flush(zlib.Z_FULL_FLUSH)
    (tmp_path / "a.warc.gz").write_bytes(data + block)
    problems = []
    page, rest = read_feed([tmp_path / "a.warc.gz"], Reading(on_problem=problems.append))
    assert (page.body, rest.exception, len(problems)) == (b"<p>a", "DamagedInput", 1)


def test_a_time_field_that_is_no_header_is_refused_with_the_nearest(tmp_path):
    with pytest.raises(UsageProblem, match=r"WARC-Dat: .*did you mean WARC-Date\?"):
        read(tmp_path, Warc().add(b"<p>a").data, time_field="WARC-Dat")


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz"])
def test_a_file_that_is_not_a_warc_is_reported(tmp_path, name):
    with pytest.raises(InputProblem, match=r"is damaged after its first 0 page records"):
        read(tmp_path, b"something else\n" * 100, name)


def test_progress_of_a_warc_adds_up_to_its_size(tmp_path):
    path = tmp_path / "a.warc.gz"
    path.write_bytes(sample(compressed=True).data)
    steps = []
    assert len(list(read_feed([path], Reading(on_progress=steps.append)))) == 3
    assert sum(steps) == total_bytes([path])


def test_an_archive_of_stormcrawler_is_read(tmp_path):
    """It keeps bodies decompressed, and the headers of their encoding under other names."""
    warc = Warc(compressed=True)
    warc.add(
        b"<p>storm",
        HTML,
        ("X-Crawler-Content-Encoding", "gzip"),
        ("X-Crawler-Transfer-Encoding", "chunked"),
        ("Content-Length", "8"),
    )
    (page,) = read(tmp_path, warc.data, "storm.warc.gz")
    assert (page.body, page.content_encoding) == (b"<p>storm", None)
