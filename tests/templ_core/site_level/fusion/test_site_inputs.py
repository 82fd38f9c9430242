import numpy as np
import pytest

from templ_core.dom.document import read_document
from templ_core.page_level.features.page_features import read_features
from templ_core.page_level.model.page_type import PageType
from templ_core.site_level.fusion._site_inputs import combine
from templ_core.site_level.fusion.site_inputs import TRUST, site_inputs
from tests.templ_core.site_level.builders import CONFIG, site_model

SETTINGS = {
    "documentation": 0.7,
    "usual": -0.15,
    "certain": 4.0,
    "margin": 0.02,
    "long_words": 50,
    "doubt": 3.0,
    "open_above": -1.0,
    "open_below": 3.0,
}


def slow_combine(page, place, near, best, steps, below, labels, *rest, pages, cluster_pages):
    path_pages, constant, text_pages, shape_pages, words, place_share, change = rest
    sure = np.log(0.98 / 0.02)
    content = (page > 4) | (page > 0) & (steps == 0)
    meant = 0.7 * (labels | content & (best - best.max() > -0.15))
    around = np.clip(near, 0.02, 0.98)
    long = np.log(np.minimum(words, 50))
    recurs = (1 - meant) * shape_pages / max(pages, 1)
    mass = words / (1 + np.exp(-page))
    known_share = mass[path_pages > 0].sum() / mass.sum()
    columns = [
        np.clip(page, -sure, sure),
        np.log(around / (1 - around)),
        best - best.max(),
        np.where(steps == 0, 0.5, -0.5),
        np.where(constant, place + meant * np.maximum(page - place, 0), place),
        recurs,
        pages / (pages + 3) * recurs * long,
        (1 - meant) * place_share * (1 - change) * cluster_pages / (cluster_pages + 1),
        np.where((text_pages > 1) | (shape_pages > 1), 1, known_share),
        long,
        text_pages > 1,
    ]
    high, low = np.maximum(page, place), np.minimum(page, place)
    is_open = (high > -1) & (low < 3) & (below == 0) & ((words <= 50) | (shape_pages > 1))
    return np.stack(columns), is_open


@pytest.mark.parametrize("seed", range(20))
def test_columns_equal_those_by_definition(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 40))
    columns = [
        *(rng.normal(0, 3, (2, size))),
        *(rng.random((2, size))),
        rng.integers(0, 3, size).astype(np.float64),
        rng.integers(0, 2, size).astype(np.float64),
        rng.random(size) < 0.3,
        rng.integers(0, 3, size),
        rng.random(size) < 0.5,
        *rng.integers(0, 5, (2, size)),
        rng.integers(1, 200, size).astype(np.int32),
        *(rng.random((2, size))),
    ]
    pages, cluster_pages = int(rng.integers(0, 9)), int(rng.integers(0, 9))
    found, is_open = combine(*columns, pages=pages, cluster_pages=cluster_pages, **SETTINGS)
    wanted, wanted_open = slow_combine(*columns, pages=pages, cluster_pages=cluster_pages)
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)
    assert (is_open == wanted_open).all()


def read(html):
    return read_document(html.encode(), "http://s.example/")


def columns_of(html, window, kind):
    document = read(html)
    features = read_features(document)
    log_odds = np.zeros(len(document.segments.texts))
    texts = document.segments.texts
    model = site_model(list(map(read, window)))
    return texts, site_inputs(document, features, log_odds, kind, model, CONFIG)


def test_a_page_of_a_new_design_is_trusted_to_the_page_alone_but_for_texts_that_were_seen():
    seen = "Write to us at the old harbour if you find a mistake in these pages."
    window = [f"<div id=old><p>Story {n} of the boats.</div><p>{seen}" for n in range(8)]
    texts, columns = columns_of(
        f"<main><section><h2>New things</h2></section><aside><b>{seen}</b></aside></main>",
        window,
        PageType(),
    )
    assert columns[TRUST].tolist() == [float(text == seen) for text in texts]


def test_labels_of_records_say_nothing_on_documentation_and_are_template_elsewhere():
    def page(number):
        records = "".join(f"<dt>Value {number} {n}<dd>Returns" for n in range(4))
        return f"<dl>{records}</dl><p>Made by the builders of harbours"

    window = [page(number) for number in range(9)]
    documentation = PageType(documentation=1.0, other=0.0)
    texts, columns = columns_of(page(99), window, documentation)
    assert columns["same shape"][texts.index("Returns")] == 0
    assert columns["same shape"][texts.index("Made by the builders of harbours")] > 0.5
    texts, columns = columns_of(page(99), window, PageType())
    assert columns["same shape"][texts.index("Returns")] > 0.5


def test_on_documentation_the_page_has_the_word_on_text_of_all_pages_in_its_usual_box():
    def page(number):
        text = f"<p>Opens harbour {number} for the boats that wait until {number}, and for others."
        content = f"{text}<h2>Method Summary</h2>{text} It asks no toll."
        return f"<nav><b>Contents of the manual</b></nav><main>{content}</main>"

    window = [page(number) for number in range(9)]
    documentation = PageType(documentation=1.0, other=0.0)
    document = read(page(99))
    texts = document.segments.texts
    features, model = read_features(document), site_model(list(map(read, window)))
    log_odds = np.array([2.0 if text != "Contents of the manual" else -2.0 for text in texts])
    columns = site_inputs(document, features, log_odds, documentation, model, CONFIG)
    assert columns["same shape"][texts.index("Method Summary")] == 0
    assert columns["same shape"][texts.index("Contents of the manual")] > 0.5
