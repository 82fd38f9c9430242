from typing import Annotated

import msgspec
import numpy as np
import pytest
import zstandard
from hypothesis import example, given
from hypothesis import strategies as st

from templ_core.dom.codec import _FORM, compress_columns, decode_document, document_columns
from templ_core.dom.document import parse_document
from templ_core.errors import CodecError
from templ_core.stored import columns
from templ_core.stored._columns import packed, packed_differences
from templ_core.stored.columns import (
    BITS,
    ROWS_MAX,
    Column,
    hashes,
    read_column,
    read_columns,
)
from templ_core.stored.compact import CompactColumns, CompactForm, content_digest
from tests.templ_core.any_markup import any_markup


def assert_equal(one, other):
    for field in one.__struct_fields__:
        left, right = getattr(one, field), getattr(other, field)
        if isinstance(left, msgspec.Struct):
            assert_equal(left, right)
        elif isinstance(left, np.ndarray):
            assert left.tolist() == right.tolist(), field
        else:
            assert left == right, field


MANY = "".join(f"<x-{n % 270} class=c{n % 299}>w{n}</x-{n % 270}>" for n in range(600))
"""More pairs of tags and attributes than a table has room for."""


@given(any_markup())
@example(MANY)
def test_a_document_is_equal_after_encoding_and_decoding(markup):
    document = parse_document(markup, "https://example.com/")
    document = msgspec.structs.replace(document, claims=b"")  # details of a page hold what they say
    assert_equal(document, decode_document(compress_columns(document_columns(document))))


def test_digests_are_equal_for_equal_content_only():
    def digest(markup):
        return content_digest(document_columns(parse_document(markup, "https://example.com/")))

    assert digest("<p>a") == digest("<p>a")
    assert digest("<p>a") != digest("<p>b")
    assert digest("<p class=x>a") != digest("<p>a")


PAGE = parse_document("<div class=a><p>One <b>two</b><p>Three</div>Four", "https://example.com/")


def changed(**columns):
    """The page as a hostile writer stores it, with other columns."""
    return _FORM.encode(msgspec.structs.replace(_FORM.unpack(document_columns(PAGE)), **columns))


@pytest.mark.parametrize(
    ("column", "values"),
    [
        pytest.param("tags", bytes([1, 0, 1, 2, 3, 4, 9]), id="no such tag"),
        pytest.param("attributes", bytes([1, 0, 0, 2, 0, 0, 0]), id="no such attributes"),
        pytest.param("tag_table", ["", "b", "c", "d", "e", "f"], id="tag without a name"),
        pytest.param("depth", bytes([1, 0, 1, 2, 3, 4]), id="a node less"),
        pytest.param("depth", bytes([1, 0, 0, 1, 2, 3, 2]), id="two roots"),
        pytest.param("depth", bytes([1, 0, 1, 2, 3, 5, 3]), id="a level left out"),
        pytest.param("images", bytes([4]) + b"\xff" * 24, id="negative"),
        pytest.param("hidden", b"", id="bits missing"),
        pytest.param("texts", ["One two", "", "Four"], id="empty text"),
        pytest.param("texts", ["One two", "Three"], id="a text less"),
        pytest.param("owner", bytes([1, 9, 9, 9]), id="owner beyond the page"),
        pytest.param("owner", bytes([1, 0, 0, 0]), id="owner before the page"),
        pytest.param("owner", bytes([1, 8, 6, 8]), id="text outside of its owner"),
        pytest.param("inline_count", bytes([1, 1, 0, 9]), id="elements beyond the page"),
        pytest.param("inline_count", bytes([1, 2, 0, 0]), id="segments out of order"),
        pytest.param("inline_from", bytes([1, 0, 0, 0]), id="text before its owner"),
        pytest.param("links", bytes([8]) + bytes(24), id="values of eight bytes"),
        pytest.param("html_chars", 1 << 63, id="number beyond 32 bits"),
        pytest.param("texts", [[]] * 3, id="lists for texts"),
    ],
)
def test_columns_that_compiled_code_must_not_see_are_refused(column, values):
    whole = decode_document(changed())
    assert whole.nodes.depth.tolist() == [0, 1, 2, 3, 4, 3]
    assert whole.segments.owner.tolist() == [3, 5, 1]
    assert whole.segments.inline_to.tolist() == [5, 6, 6]
    with pytest.raises(CodecError, match="^not a document: "):
        decode_document(changed(**{column: values}))


def test_a_document_with_another_digest_is_refused():
    body = compress_columns(document_columns(PAGE))
    assert decode_document(body, content_digest(document_columns(PAGE))).segments.texts
    with pytest.raises(CodecError, match="its digest does not fit"):
        decode_document(body, bytes(16))


class Stored(msgspec.Struct):
    places: Annotated[bytes, Column(rows="rows", high=300)] = b"\2" + b"\1\0\2\0\3\0"
    steps: Annotated[bytes, Column(rows="rows", high="known", differences=True, shift="known")] = (
        bytes([1, 7, 4, 6])
    )
    keys: Annotated[bytes, hashes("rows", increasing=True)] = np.arange(3, dtype="<u8").tobytes()
    flags: Annotated[bytes, Column(rows="rows", form=BITS)] = b"\xa0"
    signed: Annotated[bytes, Column(rows="others", form="<i2", low=-5, high=5, order="sorted")] = (
        np.array([-5, 0, 0, 5], "<i2").tobytes()
    )


def read(**changed):
    return {
        name: column.tolist()
        for name, column in read_columns(Stored(**changed), {"known": 5}).items()
    }


def test_columns_are_read_as_declared():
    assert read() == {
        "places": [1, 2, 3],
        "steps": [2, 1, 2],
        "keys": [0, 1, 2],
        "flags": [1, 0, 1],
        "signed": [-5, 0, 0, 5],
    }


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"places": b""}, "neither 1, 2 nor 4 bytes"),
        ({"places": b"\3" + bytes(9)}, "neither 1, 2 nor 4 bytes"),
        ({"places": b"\2" + bytes(5)}, "multiple of element size"),
        ({"places": b"\2" + b"\x2d\1" * 3}, "`places` holds 301, and 300 is the most"),
        ({"places": b"\1" + bytes(ROWS_MAX + 1)}, "and 524288 is the most"),
        ({"steps": bytes([1, 7, 4])}, "`steps` has 2 values, not 3"),
        ({"steps": bytes([1, 7, 4, 9])}, "`steps` holds 5, and 4 is the most"),
        ({"steps": bytes([1, 4, 4, 9])}, "`steps` holds -2, and 0 is the least"),
        ({"keys": bytes(24)}, "`keys` does not ascend"),
        ({"keys": bytes(23)}, "multiple of element size"),
        ({"flags": b"\0\0"}, "2 bytes cannot hold 3 bits"),
        ({"signed": np.array([-6], "<i2").tobytes()}, "`signed` holds -6, and -5 is the least"),
        ({"signed": np.array([1, 0], "<i2").tobytes()}, "`signed` does not ascend"),
    ],
)
def test_columns_that_are_not_as_declared_are_refused(changed, said):
    with pytest.raises(ValueError, match=said):
        read(**changed)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint64])
@pytest.mark.parametrize("largest", [0, 255, 256, 65535, 65536, (1 << 31) - 1])
def test_packed_values_have_the_fewest_bytes_that_hold_the_largest(dtype, largest):
    values = np.array([0, largest, 1, 2], dtype)[::2]
    for column in (values, np.array([largest, 3], dtype)):
        width = next(width for width in (1, 2, 4) if column.max() < 1 << 8 * width)
        assert packed(column) == bytes([width]) + column.astype(f"<u{width}").tobytes()
    with pytest.raises(ValueError, match=f"cannot hold {1 << 32}"):
        packed(np.array([1 << 32]))


def test_packed_differences_are_added_up_again():
    owner = np.array([4, 6, 5, 5], np.int32)
    assert read(steps=packed_differences(owner[1:] - 4, 5))["steps"] == [2, 1, 1]
    assert packed_differences(np.array([3, 5, 4]), 1) == b"\1\4\3\0"
    assert packed_differences(np.empty(0, np.int64)) == packed(np.empty(0, np.int32)) == b"\1"


def outcome(column, body, rows):
    try:
        return read_column("x", column, body, {"rows": rows, "shift": 3}).tolist()
    except ValueError as error:
        return str(error)


@given(
    st.sampled_from([1, 2, 4]),
    st.lists(st.integers(0, 9) | st.sampled_from([255, 300, 70_000, 1 << 31]), max_size=6),
    st.builds(
        Column,
        rows=st.just("rows"),
        low=st.sampled_from([0, 2]),
        high=st.sampled_from([5, 1000, (1 << 31) - 1]),
        order=st.sampled_from(["any", "sorted", "increasing"]),
        differences=st.booleans(),
        shift=st.sampled_from(["", "shift"]),
    ),
)
def test_compiled_code_reads_what_the_rest_reads_and_refuses(width, values, column):
    stored = np.array(values, np.int64) % (1 << 8 * width)
    body = bytes([width]) + stored.astype(f"<u{width}").tobytes()
    compiled = outcome(column, body, len(values))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "packed_values", lambda *_: None)
        assert compiled == outcome(column, body, len(values))


class Text(CompactColumns, frozen=True, array_like=True):
    text: str


FORM = CompactForm("text", 1, Text, max_bytes=1000)


@pytest.mark.parametrize("says_its_size", [True, False])
def test_content_beyond_the_bound_is_refused_whether_or_not_the_frame_says_its_size(says_its_size):
    packed = FORM.pack(Text(1, "a" * 2000))
    compressor = zstandard.ZstdCompressor(write_content_size=says_its_size)
    with pytest.raises(CodecError, match="text"):
        FORM.decode(compressor.compress(packed))


def test_the_format_stands_first_and_another_one_is_named_even_if_its_columns_differ():
    assert FORM.pack(Text(1, "boats")) == msgspec.msgpack.encode([1, "boats"])
    other = FORM.compress(msgspec.msgpack.encode([2, ["boats"], 7]))
    with pytest.raises(CodecError, match="text of format 2, known is 1"):
        FORM.decode(other)


DEEP = b"\x92\x01" + b"\x91" * 900
MESSAGES = [b"", b"\x01", b"\x90", b"\x92\x01\x05", b"\x91\xa1x", DEEP]


@pytest.mark.parametrize(
    "body",
    [b"", b"nonsense", b"\x28\xb5\x2f\xfd\x00\x00", FORM.encode(Text(1, "boats"))[:-3]]
    + [FORM.compress(message) for message in MESSAGES],
)
def test_damaged_bytes_and_other_messages_are_refused(body):
    with pytest.raises(CodecError, match="not a text"):
        FORM.decode(body)


def test_a_frame_that_says_it_holds_six_gib_is_refused_before_memory_is_taken():
    frame = b"\x28\xb5\x2f\xfd\xc0\x58" + (6 << 30).to_bytes(8, "little") + b"\x01\x00\x00"
    with pytest.raises(CodecError, match="content of 6442450944 bytes, and 1000 is the most"):
        FORM.decode(frame)


def test_no_changed_bit_of_a_stored_value_changes_what_is_read():
    stored = Text(1, "boats on the river, and a few in the harbour")
    body = FORM.encode(stored)
    refused = 0  # Some bits of a frame mean nothing.
    for bit in range(8 * len(body)):
        changed = bytearray(body)
        changed[bit // 8] ^= 1 << bit % 8
        try:
            assert FORM.decode(bytes(changed)) == stored
        except CodecError:
            refused += 1
    assert refused > 0.9 * 8 * len(body)
