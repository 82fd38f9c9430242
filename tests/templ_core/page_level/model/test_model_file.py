import msgspec
import numpy as np
import pytest

from templ_core.dom.document import parse_document
from templ_core.errors import CodecError
from templ_core.page_level.features.page_features import read_features
from templ_core.page_level.model.model_file import decode_model, encode_model, shipped_model

PAGE = "<nav><a href=/>Home</a></nav><p>Some text, long enough to be one.</p><footer>(c)</footer>"


def log_odds(model):
    document = parse_document(PAGE, "https://example.com/")
    return model.log_odds(document, read_features(document)).tolist()


def test_a_model_read_from_its_file_is_the_same():
    body = encode_model(shipped_model())
    again = decode_model(body)
    assert again.version == shipped_model().version
    assert log_odds(again) == log_odds(shipped_model())
    assert encode_model(again) == body


def test_the_shipped_model_says_where_it_comes_from_and_what_it_reaches():
    about = shipped_model().about
    assert about.corpora.keys() == about.quality.keys()
    assert about.licence
    assert len(encode_model(shipped_model())) < 1 << 20


def test_log_odds_are_rounded():
    assert np.round(log_odds(shipped_model()), 3).tolist() == log_odds(shipped_model())


@pytest.mark.parametrize("body", [b"", b"PK\x03\x04 something else", b"templ page model"])
def test_a_file_that_is_no_page_model_is_refused(body):
    with pytest.raises(CodecError, match="not a page model"):
        decode_model(body)


def test_a_truncated_file_is_refused_as_damaged():
    body = encode_model(shipped_model())
    with pytest.raises(CodecError, match="not a page model"):
        decode_model(body[: len(body) // 2])


def test_other_numbers_give_another_version():
    model = shipped_model()
    other = msgspec.structs.replace(
        model, trees=msgspec.structs.replace(model.trees, base=model.trees.base + 1)
    )
    again = decode_model(encode_model(other))
    assert again.version != model.version
