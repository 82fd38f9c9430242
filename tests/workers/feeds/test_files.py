import gzip
import json
import lzma
import os
import socket
import tracemalloc
import zlib
from random import Random

import pytest
import zstandard

import workers.feeds.lines as lines_module
from templ_core.times import FIRST_TIME_MS
from workers.errors import InputProblem, UsageProblem
from workers.feeds.files import read_feed, total_bytes
from workers.feeds.reading import Reading
from workers.page import Page, Rejected


def record(number, **fields):
    return {"url": f"https://example.com/{number}", "html": f"<p>page {number}</p>", **fields}


def lines(*records):
    return b"".join(
        (value if isinstance(value, bytes) else json.dumps(value).encode()) + b"\n"
        for value in records
    )


def write(path, data):
    path.write_bytes(data)
    return path


def read(*paths, **options):
    return list(read_feed(paths, Reading(**options)))


THREE = lines(record(0), record(1), record(2))
COMPRESS = {".gz": gzip.compress, ".xz": lzma.compress, ".zst": zstandard.compress}
compressed = pytest.mark.parametrize(("suffix", "compress"), COMPRESS.items(), ids=COMPRESS)


@pytest.mark.parametrize(
    ("suffix", "compress"),
    [
        *((suffix, bytes) for suffix in (".jsonl", ".ndjson", ".json", ".JSONL")),
        *((f".jsonl{suffix}", compress) for suffix, compress in COMPRESS.items()),
    ],
)
def test_json_lines_are_read_with_any_compression(tmp_path, suffix, compress):
    path = write(tmp_path / f"crawl{suffix}", compress(THREE))
    pages = read(path)
    assert [page.body for page in pages] == [b"<p>page 0</p>", b"<p>page 1</p>", b"<p>page 2</p>"]
    assert [page.source.topic for page in pages] == [f"crawl{suffix}"] * 3
    assert [page.source.offset for page in pages] == [0, 1, 2]
    assert [page.id for page in pages] == [f"crawl{suffix}:{n}" for n in range(3)]


def test_blank_lines_do_not_count_and_bad_ones_do(tmp_path):
    path = write(
        tmp_path / "a.jsonl",
        b"\xef\xbb\xbf" + lines(record(0), b"", b" \r", b"{broken", record(1), record(2))[:-1],
    )
    first, broken, second, third = read(path)
    assert isinstance(broken, Rejected)
    assert (broken.value, broken.source.offset) == (b"{broken", 1)
    assert [page.source.offset for page in (first, second, third)] == [0, 2, 3]


def test_a_line_over_the_limit_is_rejected_and_the_next_is_read(tmp_path):
    path = write(tmp_path / "a.jsonl.gz", gzip.compress(b"x" * (64 << 20) + b"\n" + THREE))
    tracemalloc.start()
    pages = read(path, limit_bytes=1 << 20)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [type(one) for one in pages] == [Rejected, Page, Page, Page]
    assert pages[0].exception == "PageTooLarge"
    assert len(pages[0].value) == 64 << 10
    assert peak < 20 << 20


def test_a_long_last_line_without_a_newline_is_rejected(tmp_path):
    path = write(tmp_path / "a.jsonl", THREE + b"x" * 5000)
    assert [type(one) for one in read(path, limit_bytes=1000)] == [Page, Page, Page, Rejected]


def test_times_continue_from_one_input_to_the_next(tmp_path):
    first = write(
        tmp_path / "a.jsonl", lines(record(0, seen=None), record(1, fetched_at="2024-01-01"))
    )
    second = write(tmp_path / "b.jsonl", lines(record(2), b"{", record(3, fetched_at=1, seen=2)))
    day = 1_704_067_200_000
    pages = [page for page in read(first, second) if isinstance(page, Page)]
    assert [page.event_time_ms for page in pages] == [FIRST_TIME_MS, day, day, 1000]
    assert [page.fetched_at for page in pages] == [
        None, "2024-01-01T00:00:00Z", None, "1970-01-01T00:00:01Z",
    ]  # fmt: skip
    pages = [p for p in read(first, second, time_field="none") if isinstance(p, Page)]
    assert [page.event_time_ms - FIRST_TIME_MS for page in pages] == [0, 60_000, 120_000, 180_000]
    pages = [p for p in read(first, second, time_field="seen") if isinstance(p, Page)]
    assert [page.event_time_ms for page in pages] == [FIRST_TIME_MS] * 3 + [2000]


def test_reading_is_lazy(tmp_path):
    path = write(tmp_path / "a.jsonl", THREE)
    pages = read_feed([path])
    assert next(pages).source.offset == 0
    pages.close()


def test_progress_adds_up_to_the_total(tmp_path):
    directory = tmp_path / "site"
    directory.mkdir()
    write(directory / "a.html", b"<p>a")
    inputs = [
        write(tmp_path / "a.jsonl", THREE * 1000),
        write(tmp_path / "b.jsonl.xz", lzma.compress(THREE)),
        directory,
    ]
    steps = []
    assert len(read(*inputs, on_progress=steps.append)) == 3004
    assert sum(steps) == total_bytes(inputs) > 0


def test_inputs_of_the_same_name_have_different_sources(tmp_path):
    paths = []
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        paths.append(write(tmp_path / folder / "a.jsonl", lines(record(0))))
    assert [page.id for page in read(*paths)] == ["a.jsonl:0", "a.jsonl~2:0"]


def test_a_record_is_known_by_its_content_and_not_by_the_name_of_its_file(tmp_path):
    def sources(*records):
        return [page.source for page in read(write(tmp_path / "a.jsonl", lines(*records)))]

    monday = sources(record(0), record(1))
    assert sources(record(0), record(1)) == monday
    tuesday = sources(record(2), record(3))
    assert not set(monday) & set(tuesday)
    assert [(one.topic, one.offset) for one in tuesday] == [("a.jsonl", 0), ("a.jsonl", 1)]
    site = tmp_path / "site"
    site.mkdir()
    found = []
    for body in (b"<p>one", b"<p>two"):
        write(site / "a.html", body)
        found += [page.source for page in read(site)]
    assert len(set(found)) == 2


# --- directories and HTML files -------------------------------------------------------------


def test_a_directory_of_html_files(tmp_path):
    site = tmp_path / "my site"
    for name in ("b.html", "a/z.htm", "a/ü .XHTML", "notes.txt", ".html"):
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        write(site / name, name.encode())
    pages = read(site)
    assert [page.url for page in pages] == [
        "file:///.html",
        "file:///a/z.htm",
        "file:///a/%C3%BC%20.XHTML",
        "file:///b.html",
    ]
    assert [page.body.decode() for page in pages] == [".html", "a/z.htm", "a/ü .XHTML", "b.html"]
    assert {page.site for page in pages} == {"local"}
    assert [page.id for page in pages] == ["my site:0", "my site:1", "my site:2", "my site:3"]

    assert {page.event_time_ms for page in pages} == {FIRST_TIME_MS}
    assert pages[2].content_type == "application/xhtml+xml"
    moved = tmp_path / "elsewhere" / "my site"
    moved.parent.mkdir()
    site.rename(moved)
    assert read(moved) == pages


def test_an_html_file_has_the_address_that_it_gives_as_its_own(tmp_path):
    write(tmp_path / "a.html", b"<LINK href='https://news.example/a?b=1&amp;c' REL=canonical><p>a")
    (page,) = read(tmp_path / "a.html")
    assert (page.url, page.site) == ("https://news.example/a?b=1&c", "news.example")
    write(tmp_path / "b.html", b'<link rel="canonical" href="/b"><link <link <p>b')
    (page,) = read(tmp_path / "b.html")
    assert (page.url, page.site) == ("file:///b.html", "local")


def test_a_large_html_file_is_rejected(tmp_path):
    write(tmp_path / "a.html", b"x" * 101)
    write(tmp_path / "b.html", b"x" * 100)
    large, page = read(tmp_path, limit_bytes=100)
    assert (large.exception, large.source.offset) == ("PageTooLarge", 0)
    assert page.source.offset == 1


# --- what cannot be read --------------------------------------------------------------------


def problem(*paths, **options):
    pages = []
    with pytest.raises(InputProblem) as caught:
        pages.extend(read_feed(paths, Reading(**options)))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_an_unknown_suffix_is_reported(tmp_path):
    path = write(tmp_path / "a.csv", b"x")
    assert problem(path).startswith(f"{path} has no known suffix: give .warc,")


def test_a_missing_file_is_reported_before_anything_is_read(tmp_path):
    good = write(tmp_path / "a.jsonl", THREE)
    pages = read_feed([good, tmp_path / "no.jsonl"])
    with pytest.raises(InputProblem, match="no.jsonl does not exist: check the path"):
        next(pages)
    with pytest.raises(InputProblem, match="does not exist"):
        total_bytes([tmp_path / "no.jsonl"])


def test_a_directory_without_pages_is_reported(tmp_path):
    assert "holds no HTML file" in problem(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_missing_permission_is_reported(tmp_path):
    path = write(tmp_path / "a.jsonl", THREE)
    path.chmod(0)
    assert "give this user read permission" in problem(path)


@compressed
def test_records_before_the_damage_are_read(tmp_path, suffix, compress):
    good = compress(THREE)
    more = compress(os.urandom(100_000).hex().encode())
    for damaged in (good + more[: len(more) // 2], good[:-6], b"not compressed"):
        path = write(tmp_path / f"a.jsonl{suffix}", damaged)
        pages = []
        with pytest.raises(InputProblem, match="is damaged after its first") as caught:
            pages.extend(read_feed([path]))
        assert "fetch the file again" in str(caught.value)
        *whole, rest = pages
        assert all(isinstance(one, Page) for one in whole)
        assert (rest.exception, rest.source.offset) == ("DamagedInput", len(whole))


def test_a_file_that_is_not_compressed_is_told_from_a_damaged_one(tmp_path):
    with pytest.raises(InputProblem, match="is not compressed with gzip: take .gz off its name"):
        read(write(tmp_path / "a.jsonl.gz", THREE))


@compressed
def test_records_behind_the_damage_are_read_from_the_next_member_on(tmp_path, suffix, compress):
    rng = Random(4)
    members = [
        compress(lines(*(record(n, x=rng.randbytes(3000).hex()) for n in range(start, start + 40))))
        for start in (0, 40, 80)
    ]
    torn = bytearray(members[1])
    middle = len(torn) // 2
    torn[middle : middle + 8] = bytes(8)
    path = write(tmp_path / f"a.jsonl{suffix}", members[0] + bytes(torn) + members[2])
    problems = []
    found = read(path, path, on_problem=problems.append)
    pages = [one for one in found if isinstance(one, Page)]
    numbers = [int(one.url.rpartition("/")[2]) for one in pages[: len(pages) // 2]]
    assert numbers == sorted(set(numbers))
    assert {*range(40), *range(80, 120)} <= {*numbers}
    damaged = [one for one in found if isinstance(one, Rejected)]
    assert [one.exception for one in damaged].count("DamagedInput") == 2
    assert len(problems) == 2


def test_where_a_record_goes_on_in_another_member_only_that_record_is_lost(tmp_path):
    text = lines(*(record(n, x=Random(n).randbytes(900).hex()) for n in range(60)))
    members = [gzip.compress(text[at : at + 25_000]) for at in range(0, len(text), 25_000)]
    damaged = bytearray(members[1])
    damaged[400] ^= 255
    body = members[0] + bytes(damaged) + b"".join(members[2:])
    problems = []
    pages = read(write(tmp_path / "a.jsonl.gz", body), on_problem=problems.append)
    lost = {f"https://example.com/{n}" for n in range(60)} - {one.url for one in pages}
    begin, end = (text[:at].count(b"\n") for at in (25_000, 50_000))
    assert lost <= {f"https://example.com/{n}" for n in range(begin, end + 1)}
    assert {one.exception for one in pages if isinstance(one, Rejected)} == {
        "DamagedInput",
        "InvalidRecord",
    }
    assert len(problems) == 1


def test_every_line_before_a_flipped_bit_of_a_gzip_file_is_read(tmp_path):
    rng = Random(6)
    records = [record(n, x=rng.randbytes(200).hex()) for n in range(600)]
    good = gzip.compress(lines(*records))
    for _ in range(30):
        at = rng.randrange(2000, len(good))
        damaged = bytearray(good)
        damaged[at] ^= 1 << rng.randrange(8)
        whole = zlib.decompressobj(31).decompress(good[:at]).count(b"\n")
        pages = []
        with pytest.raises(InputProblem, match="is damaged"):
            pages.extend(read_feed([write(tmp_path / "a.jsonl.gz", bytes(damaged))]))
        assert [one.url for one in pages[:whole]] == [one["url"] for one in records[:whole]]


@pytest.mark.parametrize("kind", ["pipe", "socket", "device"])
def test_what_is_no_regular_file_in_a_directory_is_a_rejected_record(tmp_path, kind):
    write(tmp_path / "a.html", b"<p>a")
    write(tmp_path / "c.html", b"<p>c")
    odd = tmp_path / "b.html"
    with socket.socket(socket.AF_UNIX) as bound:
        if kind == "pipe":
            os.mkfifo(odd)
        elif kind == "socket":
            bound.bind(str(odd))
        else:
            odd.symlink_to("/dev/zero")
        first, rejected, last = read(tmp_path)
    assert (first.body, last.body) == (b"<p>a", b"<p>c")
    assert (rejected.exception, rejected.url) == ("NoRegularFile", "file:///b.html")
    assert [one.source.offset for one in (first, rejected, last)] == [0, 1, 2]


@pytest.mark.parametrize("blank", [b"\n", b"\r\n", b" \t\n"])
@pytest.mark.parametrize(
    ("suffix", "compress"), [("", bytes), (".gz", gzip.compress), (".xz", lzma.compress)]
)
def test_millions_of_blank_lines_are_skipped_in_blocks(
    tmp_path, monkeypatch, suffix, compress, blank
):
    """The number of lines that are read must not grow with the number of blank lines."""
    many = blank * 3_000_000
    path = write(
        tmp_path / f"a.jsonl{suffix}", compress(many + b'  {"url": "u", "html": "x"}\n' + many)
    )
    steps = []
    monkeypatch.setattr(lines_module, "_blank_bytes", _counted(lines_module._blank_bytes, steps))
    (page,) = read(path)
    assert page.body == b"x"
    assert len(steps) < len(many) / 1000


def _counted(function, steps):
    def call(*arguments):
        steps.append(1)
        return function(*arguments)

    return call


# --- what is no feed ------------------------------------------------------------------------

CSV = b"url,title,html\nhttps://a.com/1,One,<p>x\nhttps://a.com/2,Two,<p>y\n"
ARRAY = json.dumps([record(0), record(1)])
OTHER_KINDS = {
    "utf-16": (THREE.decode().encode("utf-16"), "is UTF-16 and not UTF-8"),
    "a table": (CSV, "looks like a table"),
    "an array": (ARRAY.encode(), "is a JSON array"),
    "an array over lines": (json.dumps([record(0)], indent=1).encode(), "is a JSON array"),
    "an object over lines": (json.dumps(record(0), indent=1).encode(), "over several lines"),
    "no html": (lines({"url": "u", "text": "x"}) * 3, "its fields are url, text;"),
    "no url": (lines({"uri": "u", "html": "x"}), "its fields are uri, html;"),
    "html": (b"<!doctype html><p>x", "is HTML or XML"),
    "gzip": (gzip.compress(THREE), "add .gz to its name, or decompress it (`gzip -dc`)"),
    "zstd": (zstandard.compress(THREE), "add .zst to its name, or decompress it (`zstd -dc`)"),
    "xz": (lzma.compress(THREE), "add .xz to its name, or decompress it (`xz -dc`)"),
    "warc": (b"WARC/1.0\r\nWARC-Type: warcinfo\r\n", "end its name with .warc"),
}


@pytest.mark.parametrize(("content", "words"), OTHER_KINDS.values(), ids=OTHER_KINDS)
def test_a_file_of_another_kind_is_known_by_its_beginning(tmp_path, content, words):
    path = write(tmp_path / "a.jsonl", content)
    problems = []
    assert read(path, on_problem=problems.append) == []
    assert words in str(problems[0])
    assert str(problems[0]).startswith(str(path))


@pytest.mark.parametrize(
    "first",
    [b"torn, and a rest", b"[1, 2]", b"{broken", b"", b'"text"', b"null", b'{"url": "u"}'],
)
def test_a_broken_record_at_the_beginning_does_not_condemn_a_feed(tmp_path, first):
    pages = read(write(tmp_path / "a.jsonl", lines(first, record(0), record(1))))
    assert sum(isinstance(one, Page) for one in pages) == 2


def test_a_first_record_of_any_size_does_not_condemn_a_feed(tmp_path):
    large = record(0, html="<p>" + "word " * 200_000)
    for content in (lines(large), lines(large, record(1)), lines(large)[:-1]):
        assert all(isinstance(one, Page) for one in read(write(tmp_path / "a.jsonl", content)))


def test_a_time_field_that_no_record_has_is_refused_with_the_nearest(tmp_path):
    path = write(tmp_path / "a.jsonl", lines(*[record(n, arrival=n) for n in range(3)]))
    with pytest.raises(UsageProblem, match=r"--time-field arival.*did you mean arrival\?"):
        read(path, time_field="arival")
    with pytest.raises(UsageProblem, match="their fields are arrival, html, url"):
        read(path, time_field="x")
    assert len(read(path, time_field="arrival")) == 3


def test_a_link_is_not_followed_out_of_a_directory(tmp_path):
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    (inside / "deep").mkdir(parents=True)
    secret = write(outside / "secret.html", b"<p>secret")
    page = write(inside / "deep" / "page.html", b"<p>page")
    (inside / "a-secret.html").symlink_to(secret)
    (inside / "b-page.html").symlink_to(page)
    (inside / "c-loop.html").symlink_to(inside / "c-loop.html")
    (inside / "d-outside").symlink_to(outside)
    pages = read(inside)
    assert [getattr(one, "exception", None) or one.body for one in pages] == [
        "LinkLeadsOut", b"<p>page", "NoRegularFile", b"<p>page",
    ]  # fmt: skip
    assert total_bytes([inside]) == 2 * len(b"<p>page")
    (alone,) = read(inside / "a-secret.html")  # a link that is named itself is meant
    assert alone.body == b"<p>secret"
