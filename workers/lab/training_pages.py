"""Files of training: pages with gold, pages whose text a site's model published, and what is written."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from schemas.cleaned import CleanedRecord
from schemas.codec import SchemaError, decode_output
from schemas.source import Source
from templ_core.lab.training.labels.gold_labels import GoldSelectors
from templ_core.lab.training.pages import GoldRecord
from workers.errors import InputProblem
from workers.feeds.records import page_from_json
from workers.lab.corpora import corpus_name, read_nonblank_lines, read_objects
from workers.page import Rejected


def file_digest(path: Path) -> str:
    """Return the BLAKE2b-128 digest of a file in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


def write_file(path: Path, body: bytes) -> None:
    """Write a file.

    Raises:
        InputProblem: The file cannot be written.
    """
    try:
        path.write_bytes(body)
    except OSError as error:
        raise InputProblem(f"{path}: {error.strerror}; name a place that can be written") from None


_CONFIDENCE_MIN = 0.75
"""Confidence, 0 to 1, of the texts that are learned from."""
_WORDS_MIN = 20
"""Words of the shortest of these texts."""


def read_gold_pages(path: Path) -> Iterator[GoldRecord]:
    """Yield the pages of a corpus that have gold text.

    Raises:
        InputProblem: A record with gold text is not a page, or no record has gold text.
    """
    found = 0
    for number, (line, record) in enumerate(read_objects(path), 1):
        if record.get("gold_text"):
            found += 1
            yield GoldRecord(
                corpus=corpus_name(path),
                gold_text=record["gold_text"],
                selectors=GoldSelectors.of(record),
                **_page(path, number, line, record),
            )
    if not found:
        raise InputProblem(f"{path}: no page has `gold_text`, so there is nothing to learn from")


def read_taught_pages(path: Path, cleaned: Path) -> Iterator[GoldRecord]:
    """Yield the pages of a corpus without gold, with the texts that their site's model published.

    What the pages of a site share tells its content better than one page does, so these texts teach the
    page model. Only sure and not too short ones count; of each page the last one does. The pages bear
    the name of the file of texts, and `gold_text` of the corpus is not read.

    Args:
        path: The corpus, a file that `templ run` has cleaned.
        cleaned: What `templ run` wrote.

    Raises:
        InputProblem: A line of the outputs is not one, or none of them is of a page of the corpus.
    """
    texts = {}
    for number, line in enumerate(read_nonblank_lines(cleaned), 1):
        try:
            record = decode_output(line)
        except SchemaError as error:
            raise InputProblem(f"{cleaned}, line {number}: not a cleaned record: {error}") from None
        if isinstance(record, CleanedRecord) and record.source.topic == path.name:
            texts[record.source.offset] = record
    found = 0
    for number, (line, fields) in enumerate(read_objects(path), 1):
        text = texts.get(number - 1)
        if text is not None and _teaches(text):
            found += 1
            yield GoldRecord(
                corpus=corpus_name(cleaned),
                gold_text=text.text,
                selectors=None,
                has_headline=True,
                **_page(path, number, line, fields),
            )
    if not found:
        raise InputProblem(f"{cleaned}: it has no sure text of a page of {path}")


def _teaches(record: CleanedRecord) -> bool:
    return (
        record.method == "site"
        and record.confidence >= _CONFIDENCE_MIN
        and len(record.text.split()) >= _WORDS_MIN
    )


def _page(path: Path, number: int, line: bytes, record: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a `GoldRecord` that describe the page."""
    page = page_from_json(
        line, Source(path.name, 0, number), default_id="", event_time_ms=lambda _: 0
    )
    if isinstance(page, Rejected) or page.body is None:
        reason = page.message if isinstance(page, Rejected) else "it records a deletion"
        raise InputProblem(f"{path}, line {number}: not a page: {reason}")
    return {
        "url": page.url,
        "site": record.get("site") or page.url,
        "page_type": record.get("kind") or "",
        "body": page.body,
        "charset": page.charset,
    }
