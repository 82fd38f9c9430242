"""Reading corpora: JSON Lines files, compressed or not, their pages and samples of them."""

import hashlib
import json
from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from lxml import etree, html

from schemas.cleaned import CleanedRecord, DeletedRecord
from schemas.codec import SchemaError, decode_output
from templ_core.dom.document import Document, parse_document
from templ_core.errors import CodecError, PageError
from templ_core.lab.training.labels.gold_labels import (
    GoldSelectors,
    Labels,
    decoded_markup,
    selected_labels,
)
from templ_core.lab.training.labels.site_labels import CorpusPage
from templ_core.lab.training.pages import GoldRecord
from workers.errors import InputProblem
from workers.feeds.reading import file_source
from workers.feeds.records import page_from_json
from workers.feeds.streams import as_input_problem, open_decompressed
from workers.page import Page

Written = TypeVar("Written")


def corpus_name(path: Path) -> str:
    """Return the name of a corpus: the name of its file without endings."""
    return path.name.partition(".")[0]


def read_nonblank_lines(
    path: Path, on_progress: Callable[[int], None] | None = None
) -> Iterator[bytes]:
    """Yield the lines of a file that are not blank.

    Files that end in `.gz`, `.xz` or `.zst` are decompressed.

    Raises:
        InputProblem: The file cannot be read.
    """
    number = 0
    with (
        as_input_problem(path, lambda: f"after its first {number} lines"),
        open_decompressed(path, on_progress or (lambda _: None)) as lines,
    ):
        for number, line in enumerate(lines, 1):  # noqa: B007 - for the message
            if line.strip():
                yield line


def read_objects(path: Path) -> Iterator[tuple[bytes, dict[str, Any]]]:
    """Yield the JSON objects of a file, each after its line.

    Raises:
        InputProblem: The file cannot be read, or a line is not a JSON object.
    """
    return parse_objects(path, read_nonblank_lines(path))


def parse_objects(path: Path, lines: Iterable[bytes]) -> Iterator[tuple[bytes, dict[str, Any]]]:
    """Yield the JSON objects of some lines, each after its line.

    Raises:
        InputProblem: A line is not a JSON object.
    """
    for number, line in enumerate(lines, 1):
        try:
            record = json.loads(line)
        except ValueError as error:
            raise InputProblem(f"{path}, line {number}: not JSON: {error}") from None
        if not isinstance(record, dict):
            raise InputProblem(f"{path}, line {number}: not a JSON object")
        yield line, record


def site_of(record: Mapping[str, Any]) -> str:
    """Return the site of a record; a page without one is a site of its own."""
    return str(record.get("site") or record.get("url") or "")


def records_with(
    corpora: Sequence[Path], wanted: str, pages_per_site: int | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the records that have the field `wanted`, up to a number of pages for each site."""
    taken: Counter[tuple[Path, str]] = Counter()
    for path in corpora:
        for _, record in read_objects(path):
            key = path, site_of(record)
            if record.get(wanted) and (pages_per_site is None or taken[key] < pages_per_site):
                taken[key] += 1
                yield record


def record_markup(record: dict[str, Any]) -> str:
    """Return the decoded page of a record with `html` or `html_base64`."""
    if record.get("html"):
        return str(record["html"])
    return decoded_markup(b64decode(record["html_base64"]), None, record.get("content_type"))


def parsed(markup: str) -> html.HtmlElement:
    """Return a page as a tree."""
    parser = html.HTMLParser(encoding="utf-8", huge_tree=True)
    return html.document_fromstring(markup.encode("utf-8", "replace"), parser=parser)


def serialised(root: html.HtmlElement) -> bytes:
    """Return the markup of a tree in UTF-8."""
    body: bytes = etree.tostring(root, method="html", encoding="utf-8")
    return body


def read_record(record: dict[str, Any]) -> tuple[str, Document] | None:
    """Return the markup and the document of a record, or None if the page is refused."""
    try:
        markup = record_markup(record)
        return markup, parse_document(markup, record["url"])
    except PageError:
        return None


def record_labels(record: dict[str, Any], markup: str, document: Document) -> Labels | None:
    """Return labels from the selectors of a record, or None if it has none that can be used."""
    gold = GoldSelectors.of(record)
    return selected_labels(document, markup, gold) if gold else None


def record_page(name: str, offset: int, line: bytes) -> Page:
    """Return the page of a record.

    Raises:
        InputProblem: The record is not a page.
    """
    source = file_source(name, offset, line.rstrip(b"\r\n"))
    page = page_from_json(line, source, default_id="", event_time_ms=lambda _: 0)
    if isinstance(page, Page) and page.body is not None:
        return page
    reason = "it records a deletion" if isinstance(page, Page) else page.message
    raise InputProblem(f"{name}, record {offset}: is not a page: {reason}")


def corpus_page(path: Path, record: dict[str, Any]) -> CorpusPage:
    """Return the page of a record with `html`, for methods that need no gold."""
    return CorpusPage(
        corpus=corpus_name(path),
        site=site_of(record),
        url=record["url"],
        body=(record.get("html") or "").encode("utf-8", "replace"),
        charset="utf-8",
    )


def read_site_pages(corpora: Sequence[Path]) -> Iterator[CorpusPage]:
    """Yield all pages of the corpora, in order."""
    for path in corpora:
        for _, record in read_objects(path):
            yield corpus_page(path, record)


def file_digest(path: Path) -> str:
    """Return the BLAKE2b-128 digest of a file in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


def read_written(path: Path, decode: Callable[[bytes], Written], command: str) -> Written:
    """Return what a command of the laboratory has written to a file.

    Raises:
        InputProblem: The file cannot be read, or another command wrote it.
    """
    try:
        return decode(path.read_bytes())
    except (OSError, CodecError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputProblem(f"{path}: {reason}; name a file {command}") from None


def write_file(path: Path, body: bytes) -> None:
    """Write a file, with the directory that it is in.

    Raises:
        InputProblem: The file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    except OSError as error:
        raise InputProblem(f"{path}: {error.strerror}; name a place that can be written") from None


_CONFIDENCE_MIN = 0.75
"""Confidence, 0 to 1, of the texts that are learned from."""
_WORDS_MIN = 20
"""Words of the shortest of these texts."""


def read_taught_pages(path: Path, cleaned: Path) -> Iterator[GoldRecord]:
    """Yield the pages of a corpus without gold, with the texts that their site's model published.

    What the pages of a site share shows its content better than one page does, so these texts teach the
    page model. Only sure and not too short ones count; of each page the last one does. The pages bear
    the name of the file of texts, and `gold_text` of the corpus is not read.

    Raises:
        InputProblem: A line of the outputs is not one, or none of them is of a page of the corpus.
    """
    texts = {}
    for number, line in enumerate(read_nonblank_lines(cleaned), 1):
        record = read_output(cleaned, number, line)
        if isinstance(record, CleanedRecord) and record.source.topic == path.name:
            texts[record.source.offset] = record
    is_any_taught = False
    for offset, (line, fields) in enumerate(read_objects(path)):
        text = texts.get(offset)
        if text is not None and _teaches(text):
            is_any_taught = True
            page = record_page(str(path), offset, line)
            yield GoldRecord(
                corpus=corpus_name(cleaned),
                gold_text=text.text,
                selectors=None,
                **page_fields(page, fields),
            )
    if not is_any_taught:
        raise InputProblem(f"{cleaned}: it has no sure text of a page of {path}")


def read_output(path: Path, number: int, line: bytes) -> CleanedRecord | DeletedRecord:
    """Return the record of a line of an output of `templ run`.

    Raises:
        InputProblem: It is none.
    """
    try:
        return decode_output(line)
    except SchemaError as error:
        raise InputProblem(f"{path}, line {number}: not a cleaned record: {error}") from None


def _teaches(record: CleanedRecord) -> bool:
    return (
        record.method == "site"
        and record.confidence >= _CONFIDENCE_MIN
        and len(record.text.split()) >= _WORDS_MIN
    )


def page_fields(page: Page, record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a `GoldRecord` that describe the page."""
    return {
        "url": page.url,
        "site": str(record.get("site") or page.url),
        "page_type": str(record.get("kind") or ""),
        "body": page.body,
        "charset": page.charset,
    }
