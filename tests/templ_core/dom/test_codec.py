import msgspec
import numpy as np
import pytest
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
