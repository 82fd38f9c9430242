import msgspec
import pytest

from templ_core.dom.document import parse_document
from templ_core.errors import CodecError
from templ_core.metadata.fields import Metadata
from templ_core.page_details import _FORM, PageDetails, decode_details, encode_details

PAGE = parse_document("<p>See <a href=/b>b</a> <img alt=c></p><img src=d>", "", with_marks=True)
DETAILS = PageDetails(metadata=Metadata(title="T", tags=["a"]), kind="article", marks=PAGE.marks)


def test_details_are_equal_after_encoding_and_decoding():
    found = decode_details(encode_details(DETAILS), PAGE)
    assert (found.metadata, found.kind) == (DETAILS.metadata, "article")
    for name in PAGE.marks.__struct_fields__:
        assert list(getattr(found.marks, name)) == list(getattr(PAGE.marks, name))


def test_missing_fields_may_be_null_as_earlier_versions_stored_them():
    told = {"title": "T", "tags": ["a"], "product": None, "declared_language": None}
    earlier = msgspec.structs.replace(
        _FORM.decode(encode_details(DETAILS)), metadata={**told, "kind": "article"}
    )
    found = decode_details(_FORM.encode(earlier), PAGE)
    assert (found.metadata, found.kind) == (DETAILS.metadata, "article")


@pytest.mark.parametrize("stored", [{"title": 7}, {"tags": "a"}, {"kind": "poem"}])
def test_metadata_of_a_wrong_form_is_refused(stored):
    wrong = msgspec.structs.replace(_FORM.decode(encode_details(DETAILS)), metadata=stored)
    with pytest.raises(CodecError):
        decode_details(_FORM.encode(wrong), PAGE)


def test_nothing_is_stored_for_a_page_without_details():
    assert encode_details(PageDetails()) == b""
    assert decode_details(b"", PAGE) == PageDetails()


def test_damaged_details_and_those_of_another_page_are_refused():
    body = encode_details(DETAILS)
    with pytest.raises(CodecError):
        decode_details(body[:-4], PAGE)
    with pytest.raises(CodecError):
        decode_details(body, parse_document("<p>a", ""))
