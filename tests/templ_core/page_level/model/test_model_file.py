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


def with_trees(**columns):
    """The shipped model with other trees."""
    trees = msgspec.structs.replace(shipped_model().trees, **columns)
    return msgspec.structs.replace(shipped_model(), trees=trees)


def with_networks(change):
    networks = [change(network) for network in shipped_model().networks]
    return msgspec.structs.replace(shipped_model(), networks=networks)


def changed(name, place, value):
    column = getattr(shipped_model().trees, name).copy()
    column[place] = value
    return {name: column}


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(with_trees(**changed("feature", 0, 200)), id="no such feature"),
        pytest.param(with_trees(**changed("feature", 0, -1)), id="negative feature"),
        pytest.param(with_trees(**changed("left", 0, 2300)), id="no such node"),
        pytest.param(with_trees(**changed("left", 1, 0)), id="a cycle"),
        pytest.param(with_trees(**changed("left", 0, 5)), id="a node below two nodes"),
        pytest.param(with_trees(**changed("roots", 1, 0)), id="a root twice"),
        pytest.param(with_trees(**changed("value", 3, np.nan)), id="not finite"),
        pytest.param(with_trees(base=float("inf")), id="infinite base"),
        pytest.param(with_trees(threshold=np.zeros(9, np.float32)), id="columns of other lengths"),
        pytest.param(with_trees(threshold=np.zeros(2300, np.int32)), id="other types"),
        pytest.param(
            with_networks(lambda one: msgspec.structs.replace(one, scale=one.scale[:-1])),
            id="scale of another length",
        ),
        pytest.param(
            with_networks(lambda one: msgspec.structs.replace(one, weights=one.weights[::-1])),
            id="layers in another order",
        ),
        pytest.param(
            with_networks(lambda one: msgspec.structs.replace(one, weights=[], biases=[])),
            id="no layers",
        ),
    ],
)
def test_a_model_whose_arrays_do_not_fit_each_other_is_refused(model):
    body = encode_model(model)
    with pytest.raises(CodecError, match="^not a page model: "):
        decode_model(body)
