import msgspec
import numpy as np
import pytest

from templ_core.clean_document import clean
from templ_core.dom.codec import compress_columns, document_columns
from templ_core.dom.document import parse_document
from templ_core.errors import CodecError
from templ_core.page_level.model.model_file import shipped_model
from templ_core.site_level.places.places import PagePlaces
from templ_core.site_level.site_model import PLACE_TABLES
from templ_core.site_level.site_model_file import decode_site_model, encode_site_model
from templ_core.site_level.strings.string_evidence import PageStrings
from templ_core.site_level.window.page_summary import (
    _FORM,
    decode_page_summary,
    encode_page_summary,
    summarise_page,
)
from tests.templ_core.site_level.builders import (
    CONFIG,
    SENTENCE,
    fit_site_model,
    page,
    site_model,
    window_page,
)

LIMIT = CONFIG.site_model_bytes
SEGMENT_COLUMNS = ("path", "cell", "anchor", "containers", "first", "sizes", "log_odds")


def test_another_window_or_page_model_gives_another_version():
    window = [window_page(f"p{n}", page(n)) for n in range(5)]
    chosen = (window, "page-1"), (window[1:], "page-1"), (window, "page-2"), (window[:], "page-1")
    versions = [fit_site_model(*one, CONFIG).version for one in chosen]
    assert versions[0] == versions[3]
    assert len(set(versions)) == 3


def test_a_model_survives_its_compact_form():
    model = site_model([page(n) for n in range(6)])
    body = encode_site_model(model, LIMIT)
    again = decode_site_model(body)
    assert encode_site_model(again, LIMIT) == body
    assert (again.version, again.documents) == (model.version, 6)
    assert sum(cluster.pages for cluster in again.trees.clusters) == 6
    assert len(again.strings.usual) > 1
    assert clean(page(9), again, CONFIG).text == clean(page(9), model, CONFIG).text
    for name in PLACE_TABLES:
        one, other = getattr(model.places, name), getattr(again.places, name)
        assert one.keys.tolist() == other.keys.tolist()
        assert one.sums.tolist() == other.sums.tolist()


def test_a_learned_page_survives_its_compact_form_for_its_own_page_and_page_model_only():
    learned = summarise_page(page(1), shipped_model())
    body = encode_page_summary(learned, "page-1")
    again = decode_page_summary(body, stored(page(1)), "page-1")
    assert np.array_equal(again.content_log_odds, learned.content_log_odds)
    for name in PagePlaces.__struct_fields__:
        assert np.array_equal(getattr(again.places, name), getattr(learned.places, name))
    for name in PageStrings.__struct_fields__:
        assert np.array_equal(getattr(again.strings, name), getattr(learned.strings, name))
    assert len(again.strings.tokens) > 0
    for document, version, why in (
        (stored(page(1)), "page-2", "another page model"),
        (b"", "page-1", "not a document"),
        (stored(parse_document("<p>One line.", "")), "page-1", "^not a page summary: "),
    ):
        with pytest.raises(CodecError, match=why):
            decode_page_summary(body, document, version)


def stored(document):
    return compress_columns(document_columns(document))


def other_summary(*names, change=None):
    """A page summary as a hostile writer stores it, with other columns."""
    stored_one = _FORM.decode(encode_page_summary(summarise_page(page(1), shipped_model()), "page"))
    columns = {name: change(getattr(stored_one, name)) for name in names}
    return _FORM.encode(msgspec.structs.replace(stored_one, **columns))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        pytest.param("path", lambda body: body[8:], id="a segment less"),
        pytest.param("path", lambda body: body[1:], id="part of a path"),
        pytest.param("tags", lambda body: body[2:], id="an element less"),
        pytest.param("depths", lambda body: body[:-1] + b"\0", id="two roots"),
        pytest.param("prose", lambda body: body + b"\x7f", id="prose beyond the page"),
        pytest.param("prose", lambda body: body + b"\0", id="the same prose again"),
        pytest.param("first", lambda body: body[:1] + b"\xff" + body[2:], id="beyond the page"),
        pytest.param("sizes", lambda body: body[:-1] + b"\xff", id="ends beyond the page"),
        pytest.param("sizes", lambda body: body[:1] + bytes(len(body) - 1), id="no segment"),
        pytest.param("containers", lambda body: body + body, id="containers without segments"),
        pytest.param("log_odds", lambda body: b"\xff\x7f" + body[2:], id="too certain"),
        pytest.param("*", lambda _: b"", id="no text"),
    ],
)
def test_page_summaries_that_compiled_code_must_not_see_are_refused(name, change):
    names = SEGMENT_COLUMNS if name == "*" else (name,)
    assert decode_page_summary(other_summary(), stored(page(1)), "page").places.words.size
    with pytest.raises(CodecError, match="^not a page summary: "):
        decode_page_summary(other_summary(*names, change=change), stored(page(1)), "page")


OTHERS = [page(number) for number in range(2, 22)]
ERRORS = [parse_document(f"<title>Error</title><p>Error {n} occurred.", "u") for n in range(12)]


@pytest.mark.parametrize(
    "window",
    [
        pytest.param([page(1)], id="itself only"),
        pytest.param([page(2)], id="one other page"),
        pytest.param([page(1)] * 30, id="only copies of itself"),
        pytest.param(OTHERS[:7] + [page(1)] * 10, id="refetched ten times"),
        pytest.param(OTHERS + [page(n, site="two") for n in range(30, 50)], id="two sites in one"),
        pytest.param(OTHERS[:10] + ERRORS, id="error pages mixed in"),
        pytest.param([parse_document("<p>x", "u")] * 5, id="nothing to learn"),
    ],
)
def test_no_window_swallows_an_article(window):
    text = clean(page(1), site_model(window), CONFIG).text
    for sentence in range(100, 104):
        assert SENTENCE.format(n=sentence).strip() in text
