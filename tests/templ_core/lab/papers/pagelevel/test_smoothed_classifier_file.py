import numpy as np
import pytest

from templ_core.errors import CodecError
from templ_core.lab.papers.pagelevel.smoothed_classifier import (
    LogisticRegression,
    SmoothedClassifier,
    decode_classifier,
    encode_classifier,
)


def classifier():
    model = LogisticRegression(
        mean=np.array([0.1, 2]), scale=np.array([1, 1 / 3]), weights=np.array([-1, 0.5]), bias=0.25
    )
    return SmoothedClassifier(features=["a", "b"], area_from=[0.0, 5.0], models=[model, model])


def test_a_classifier_is_unchanged_by_encoding_and_decoding():
    again = decode_classifier(encode_classifier(classifier()))
    rows = np.array([[1.0, 2.0], [0.0, -3.0]])
    assert again.area_from == [0.0, 5.0]
    assert again.models[1].log_odds(rows) == pytest.approx(classifier().models[1].log_odds(rows))
    assert encode_classifier(again) == encode_classifier(classifier())


@pytest.mark.parametrize("body", [b"", b"{}", b"[1]", b"\x00", b'{"format": 3}'])
def test_other_files_raise_an_error_that_says_so(body):
    with pytest.raises(CodecError, match="not a PAGELEVEL classifier"):
        decode_classifier(body)


def test_another_format_version_raises_an_error_that_names_it():
    body = encode_classifier(classifier()).replace(b"classifier-1", b"classifier-9")
    with pytest.raises(CodecError, match="classifier-9"):
        decode_classifier(body)
