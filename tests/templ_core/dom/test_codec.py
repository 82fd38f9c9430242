import msgspec
import numpy as np
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from templ_core.dom.codec import (
    compress_columns,
    content_digest,
    decode_document,
    document_columns,
)
from templ_core.dom.document import parse_document
from templ_core.errors import CodecError

PIECES = st.lists(
    st.sampled_from(
        ["<div class='a b'>", "</div>", "<p id=x>", "text ", "日本語", "<a href='//o.org'>", "</a>",
         "<br>", "<img>", "<td>", "<li hidden>", "&amp;", "<pre> x\n y</pre>", "é", "<table>"]
    ),
    max_size=40,
)  # fmt: skip


def assert_equal(one, other):
    for field in one.__struct_fields__:
        left, right = getattr(one, field), getattr(other, field)
        if isinstance(left, msgspec.Struct):
            assert_equal(left, right)
        elif isinstance(left, np.ndarray):
            assert left.tolist() == right.tolist(), field
        else:
            assert left == right, field


@given(PIECES)
def test_a_document_is_equal_after_encoding_and_decoding(pieces):
    document = parse_document("".join(pieces), "https://example.com/")
    assert_equal(document, decode_document(compress_columns(document_columns(document))))


def test_digests_are_equal_for_equal_content_only():
    def digest(markup):
        return content_digest(document_columns(parse_document(markup, "https://example.com/")))

    assert digest("<p>a") == digest("<p>a")
    assert digest("<p>a") != digest("<p>b")
    assert digest("<p class=x>a") != digest("<p>a")


@pytest.mark.parametrize("damaged", [b"", b"nonsense", b"\x28\xb5\x2f\xfd\x00\x00"])
def test_bytes_that_are_not_a_document_are_refused(damaged):
    with pytest.raises(CodecError):
        decode_document(damaged)


def test_a_truncated_document_is_refused():
    body = compress_columns(document_columns(parse_document("<p>" + "word " * 500, "u")))
    with pytest.raises(CodecError):
        decode_document(body[: len(body) // 2])


PAGE = parse_document("<div class=a><p>One <b>two</b><p>Three</div>Four", "https://example.com/")
FIELDS = ["format", "title", "language", "html_chars", "scripts", "tag_table", "tags", "depth", "attribute_table", "attributes", "hidden", "images", "texts", "owner", "inline_from", "inline_count", "links", "link_chars", "external_links", "page_links"]  # fmt: skip


def changed(**columns):
    """The page as a hostile writer stores it, with other columns."""
    fields = msgspec.msgpack.decode(document_columns(PAGE))
    for name, values in columns.items():
        fields[FIELDS.index(name)] = values
    return zstandard.compress(msgspec.msgpack.encode(fields))


def test_the_page_of_the_next_test_has_six_nodes_and_three_segments():
    document = decode_document(changed())
    assert document.nodes.depth.tolist() == [0, 1, 2, 3, 4, 3]
    assert document.segments.owner.tolist() == [3, 5, 1]
    assert document.segments.inline_to.tolist() == [5, 6, 6]


@pytest.mark.parametrize(
    "columns",
    [
        pytest.param({"tags": bytes([1, 0, 1, 2, 3, 4, 9])}, id="no such tag"),
        pytest.param({"attributes": bytes([1, 0, 0, 2, 0, 0, 0])}, id="no such attributes"),
        pytest.param({"tag_table": ["", "b", "c", "d", "e", "f"]}, id="tag without a name"),
        pytest.param({"depth": bytes([1, 0, 1, 2, 3, 4])}, id="a node less"),
        pytest.param({"depth": bytes([1, 0, 0, 1, 2, 3, 2])}, id="two roots"),
        pytest.param({"depth": bytes([1, 0, 1, 2, 3, 5, 3])}, id="a level left out"),
        pytest.param({"images": bytes([4]) + b"\xff" * 24}, id="negative"),
        pytest.param({"hidden": b""}, id="bits missing"),
        pytest.param({"texts": ["One two", "", "Four"]}, id="empty text"),
        pytest.param({"texts": ["One two", "Three"]}, id="a text less"),
        pytest.param({"owner": bytes([1, 9, 9, 9])}, id="owner beyond the page"),
        pytest.param({"owner": bytes([1, 0, 0, 0])}, id="owner before the page"),
        pytest.param({"owner": bytes([1, 8, 6, 8])}, id="text outside of its owner"),
        pytest.param({"inline_count": bytes([1, 1, 0, 9])}, id="elements beyond the page"),
        pytest.param({"inline_count": bytes([1, 2, 0, 0])}, id="segments out of order"),
        pytest.param({"inline_from": bytes([1, 0, 0, 0])}, id="text before its owner"),
        pytest.param({"links": bytes([8]) + bytes(24)}, id="values of eight bytes"),
        pytest.param({"html_chars": 1 << 63}, id="number beyond 32 bits"),
        pytest.param({"texts": [[]] * 3}, id="lists for texts"),
    ],
)
def test_columns_that_compiled_code_must_not_see_are_refused(columns):
    with pytest.raises(CodecError, match="^not a document: "):
        decode_document(changed(**columns))


def test_a_document_with_another_digest_is_refused():
    body = compress_columns(document_columns(PAGE))
    assert decode_document(body, content_digest(document_columns(PAGE))).segments.texts
    with pytest.raises(CodecError, match="its digest does not fit"):
        decode_document(body, bytes(16))


def test_more_pairs_of_tags_and_attributes_than_a_table_has_room_for_are_told_apart():
    markup = "".join(f"<x-{n % 270} class=c{n % 299}>w{n}</x-{n % 270}>" for n in range(600))
    document = parse_document(markup, "https://example.com/")
    assert len(document.nodes.element_types) > 500
    assert_equal(document, decode_document(compress_columns(document_columns(document))))
