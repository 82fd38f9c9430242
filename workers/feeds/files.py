"""Pages from input files and directories, in order."""

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

from templ_core.patterns import pattern
from templ_core.site_key import site_key
from workers.errors import InputProblem
from workers.feeds.lines import read_json_lines
from workers.feeds.reading import (
    KEPT_BYTES,
    PAGE_TOO_LARGE,
    Reading,
    file_source,
)
from workers.feeds.records import canonical_url, clean_text
from workers.feeds.streams import STDIN, as_input_problem, open_counted
from workers.feeds.warc import read_warc
from workers.page import Page, Rejected

LINES_SUFFIXES = tuple(
    f".{kind}{compression}"
    for kind in ("jsonl", "ndjson", "json")
    for compression in ("", ".gz", ".xz", ".zst")
)
WARC_SUFFIXES = (".warc", ".warc.gz", ".warc.zst")
_HTML_TYPES = {".html": "text/html", ".htm": "text/html", ".xhtml": "application/xhtml+xml"}
_IS_ADDRESS = pattern(r"https?:/", re.IGNORECASE)
NO_REGULAR_FILE = "NoRegularFile"
LEADS_OUT = "LinkLeadsOut"
_ACCEPTED = (
    ".warc, .jsonl, either with .gz or .zst, .jsonl.xz, .html, a directory of .html, or - for JSON "
    "Lines on standard input"
)


def read_feed(paths: Sequence[Path], reading: Reading | None = None) -> Iterator[Page | Rejected]:
    """Yield the pages of all inputs in order, and records that are no pages, reading them as needed.

    Inputs are WARC files, JSON Lines files, HTML files and directories of HTML files; `-` stands for JSON Lines on
    standard input. A page's source is the name of its input, a checksum of the record and the number of the record
    in the input (see `file_source`); a second input of the same name is called `NAME~2`. The bytes that are read
    add up to `total_bytes`.

    Raises:
        InputProblem: An input is of an unknown type, cannot be read, or is damaged.
    """
    for path in paths:
        _check(path)
    reading = reading or Reading()
    for path, name in zip(paths, input_names(paths), strict=True):
        try:
            yield from _read(path, name, reading)
        except InputProblem as problem:
            if reading.on_problem is None:
                raise
            reading.on_problem(problem)


def total_bytes(paths: Sequence[Path]) -> int:
    """Return the number of bytes that `read_feed` will read, before decompression.

    Raises:
        InputProblem: An input is of an unknown type or cannot be read.
    """
    total = 0
    for path in paths:
        _check(path)
        for file in _files(path):
            with as_input_problem(file, lambda: ""):
                total += 0 if _leads_out(file, path) else file.stat().st_size
    return total


def _files(path: Path) -> list[Path]:
    if path == STDIN:
        return []
    return _html_files(path) if path.is_dir() else [path]


def input_names(paths: Sequence[Path]) -> list[str]:
    """Return the name of each input in sources and ids; a second one of a name is called `NAME~2`."""
    seen: Counter[str] = Counter()
    names = []
    for path in paths:
        name = path.name or path.resolve().name or "root"
        name = "stdin" if path == STDIN else name.encode("utf-8", "replace").decode()
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name}~{seen[name]}")
    return names


def _check(path: Path) -> None:
    if path == STDIN:
        return
    if _IS_ADDRESS.match(str(path)):
        raise InputProblem(f"{path} is an address, and nothing is fetched: `templ crawl` does that")
    with as_input_problem(path, lambda: ""):
        path.stat()
    name = path.name.lower()
    if name.endswith(".parquet"):
        raise InputProblem(
            f"{path} is Parquet, which is only written: make JSON Lines with `url` and `html` of it, for example with pandas "
            '(`read_parquet(...).to_json("pages.jsonl", orient="records", lines=True)`)'
        )
    if not path.is_dir() and not name.endswith((*LINES_SUFFIXES, *WARC_SUFFIXES, *_HTML_TYPES)):
        raise InputProblem(f"{path} has no known suffix: give {_ACCEPTED}")


def _read(path: Path, name: str, reading: Reading) -> Iterator[Page | Rejected]:
    lower = path.name.lower()
    if path.is_dir():
        files = _html_files(path)
        if not files:
            raise InputProblem(f"{path} holds no HTML file: give {_ACCEPTED}")
        for number, file in enumerate(files):
            if file.is_file() and _leads_out(file, path):
                url = _url(file, path)
                source = file_source(name, number, url.encode())
                yield Rejected(
                    source, url, LEADS_OUT, "a link that leads out of its directory", b""
                )
            else:
                yield _read_html(file, path, name, number, reading)
    elif lower.endswith(WARC_SUFFIXES):
        yield from (placed.record for placed in read_warc(path, name, reading))
    elif path == STDIN or lower.endswith(LINES_SUFFIXES):
        yield from (placed.record for placed in read_json_lines(path, name, reading))
    else:
        yield _read_html(path, path.parent, name, 0, reading)


def _html_files(directory: Path) -> list[Path]:

    def fail(error: OSError) -> None:
        raise error

    files: list[Path] = []
    with as_input_problem(directory, lambda: ""):
        for folder, _, names in os.walk(directory, onerror=fail):
            files += [
                Path(folder, name) for name in names if name.lower().endswith((*_HTML_TYPES,))
            ]
    return sorted(files, key=lambda file: file.relative_to(directory).as_posix())


def _leads_out(file: Path, directory: Path) -> bool:
    if not (file.is_symlink() and directory.is_dir()):
        return False
    try:
        return not file.resolve().is_relative_to(directory.resolve())
    except RuntimeError:  # a loop of links
        return True


def _url(file: Path, directory: Path) -> str:
    return "file:///" + quote(os.fsencode(file.relative_to(directory).as_posix()))


def _read_html(
    file: Path, directory: Path, name: str, number: int, reading: Reading
) -> Page | Rejected:
    """Return the page of an HTML file; its URL is the one that it gives as its own, or its place in the directory."""
    limit_bytes = reading.limit_bytes
    url = _url(file, directory)
    with as_input_problem(file, lambda: ""):
        if not file.is_file():  # opening a pipe would wait for a writer
            source = file_source(name, number, url.encode())
            return Rejected(source, url, NO_REGULAR_FILE, "a pipe, a socket or a device", b"")
        with open_counted(file, reading.on_progress) as stream:
            body = stream.read(limit_bytes + 1)
    source = file_source(name, number, url.encode(), body)
    if len(body) > limit_bytes:
        reason = f"a file of more than {limit_bytes} bytes"
        return Rejected(source, url, PAGE_TOO_LARGE, reason, body[:KEPT_BYTES])
    url = clean_text(canonical_url(body) or url)
    page = Page(
        source=source,
        url=url,
        site=site_key(url),
        id=f"{name}:{number}",
        event_time_ms=reading.event_time_ms(None),
        fetched_at=None,
        content_type=_HTML_TYPES.get(file.suffix.lower(), "text/html"),
        body=body,
    )
    reading.passed(page)
    return page
