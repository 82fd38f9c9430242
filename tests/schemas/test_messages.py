import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import get_args

import msgspec
import pytest

import schemas.json_schema
from schemas.cleaned import (
    CleanedRecord,
    DeletedRecord,
    Link,
    Metadata,
    PageChanges,
    PageKind,
    RevisionReason,
    TextSegment,
    Warning_,
)
from schemas.codec import (
    SchemaError,
    decode_document_record,
    decode_json,
    decode_output,
    decode_site_model_record,
    encode_json,
    encode_msgpack,
)
from schemas.dead_letter import DeadLetter
from schemas.document import document_key, site_of_key
from schemas.json_schema import generate_schemas
from schemas.page import PageRecord
from schemas.site_settings import SiteSettingsRecord
from schemas.source import Source
from schemas.topics import DEAD_LETTERS, PAGES, TOPICS
from templ_core import decide
from templ_core.site_level.fusion.site_columns import REASONS
from tests.workers.builders import document

CLEANED = CleanedRecord(
    url="https://example.com/", site="example.com", fetched_at=None, id="1", title="",
    text="text", method="page", confidence=0.5, revision=0, source=Source("pages", 1, 2),
    site_model_version=None, page_model_version="p", cleaner_version="c", fingerprint=None,
    warnings=["empty"], chars_in=9, chars_out=4, blocks_kept=1, blocks_removed=2,
)  # fmt: skip


def test_the_schema_files_agree_with_the_types():
    folder = Path(schemas.json_schema.__file__).parent
    kept = {path.name: path.read_bytes() for path in folder.glob("*.json")}
    assert kept == generate_schemas(), "stale: run `make schemas`"


def test_output_records_are_equal_after_encoding_and_decoding():
    deleted = DeletedRecord(url="u", site="s", id="i", source=Source("pages", 0, 1))
    assert decode_output(encode_json(CLEANED)) == CLEANED
    assert decode_output(encode_json(deleted)) == deleted


@pytest.mark.parametrize("warnings", [["no such warning"], "empty"])
def test_values_outside_the_schema_are_refused(warnings):
    value = msgspec.to_builtins(CLEANED) | {"warnings": warnings}
    with pytest.raises(SchemaError, match="warnings"):
        decode_json(msgspec.json.encode(value), CleanedRecord)


def test_unknown_fields_of_a_page_record_are_ignored_and_missing_ones_reported():
    assert decode_json(b'{"url":"u","html":"h","more":1}', PageRecord).html == "h"
    with pytest.raises(SchemaError, match="url"):
        decode_json(b'{"html":"h"}', PageRecord)


def test_documents_are_equal_after_encoding_and_decoding():
    assert decode_document_record(encode_msgpack(document(3))) == document(3)


@pytest.mark.parametrize("decode", [decode_document_record, decode_site_model_record])
@pytest.mark.parametrize("data", [b"", b"\xc1", b"\x01", b"\x80", b"\xff\xfe"])
def test_bytes_that_are_not_a_message_are_refused(decode, data):
    with pytest.raises(SchemaError):
        decode(data)


def test_the_site_is_read_from_a_document_key():
    key = document_key("bücher.example", Source("pages", 0, 1))
    assert site_of_key(key) == "bücher.example"


def test_dead_letter_headers_are_short_text():
    letter = DeadLetter(exception="E", message="ü" * 600, stage="clean", attempts=2)
    headers = letter.headers("pages", 3, 4, "2026-01-01T00:00:00Z", "0.1")
    assert headers["__streams.errors.offset"] == b"4"
    assert headers["templ.attempts"] == b"2"
    assert all(len(value) <= 500 for value in headers.values())


def test_dead_letters_have_room_for_their_headers():
    room = TOPICS[DEAD_LETTERS].max_message_bytes - TOPICS[PAGES].max_message_bytes
    assert room == 64 << 10


def test_a_cleaned_record_of_version_1_is_read():
    new = ("page_type", "metadata", "markdown", "html", "links")
    old = {name: value for name, value in msgspec.to_builtins(CLEANED).items() if name not in new}
    record = decode_output(msgspec.json.encode({**old, "schema": "cleaned/1"}))
    assert record == msgspec.structs.replace(CLEANED, schema="cleaned/1")


README = Path(schemas.json_schema.__file__).parents[1].joinpath("README.md").read_text("utf-8")


def test_the_readme_describes_every_field_warning_and_reason():
    names = {
        *CleanedRecord.__struct_fields__,
        *Metadata.__struct_fields__,
        *Link.__struct_fields__,
        *PageChanges.__struct_fields__,
        *TextSegment.__struct_fields__,
        *get_args(Warning_),
        *get_args(PageKind),
        *get_args(RevisionReason),
        *REASONS,
        *(value for name, value in vars(decide).items() if name.startswith("REASON_")),
    }
    assert not [name for name in sorted(names) if f"`{name}`" not in README]


def test_the_example_of_the_readme_is_a_record_with_all_fields():
    example = re.search(r"```json\n(.*?)```", README, re.DOTALL)[1]
    record = decode_output(example.encode())
    on_request = {
        "site_settings_version",
        "changes",
        "quality",
        "records",
        "chunks",
        "duplicate_of",
        "observed",
    }
    plain = set(CleanedRecord.__struct_fields__) - on_request
    assert set(msgspec.json.decode(example)) == plain
    assert record.markdown
    assert record.metadata.authors == ["Ann Lee"]


def test_the_indexer_of_the_readme_keeps_the_newest_text_of_each_page(monkeypatch):
    def message(url, *order):
        value = json.dumps(dict(zip(("fetched_at", "revision"), order, strict=False)))
        return SimpleNamespace(key=url.encode(), value=value.encode() if order else None)

    late, later = "2026-03-01T12:00:00Z", "2026-03-01T12:00:00.250Z"
    messages = [
        *(message("again", later, 0), message("again", late, 1)),
        *(message("revised", late, 0), message("revised", late, 1), message("revised", late, 0)),
        *(message("gone", late, 0), message("gone"), message("never known")),
    ]
    kafka = SimpleNamespace(KafkaConsumer=lambda *_, **__: messages)
    monkeypatch.setitem(sys.modules, "kafka", kafka)
    names = {}
    exec(re.search(r"```python\n(.*?)```", README, re.DOTALL)[1], names)
    rows = {url: tuple(record.values()) for url, record in names["index"].items()}
    assert rows == {"again": (later, 0), "revised": (late, 1)}


def test_the_settings_of_the_readme_can_be_used():
    form = r"```json\n(\{\n  \"schema\": \"site-settings.*?)```"
    (example,) = re.findall(form, README, re.DOTALL)
    record = decode_json(example.encode(), SiteSettingsRecord)
    assert [rule.action for rule in record.rules] == ["remove", "keep"]
    assert record.window.pages_max == 200
