import numpy as np

from templ_core.dom.document import parse_document
from templ_core.lab.training.sparse import attribute_rows, stack, text_rows
from templ_core.page_level.features.page_features import read_features
from templ_core.page_level.features.surroundings import last_headings
from templ_core.page_level.model.hashed_scores import (
    TABLE_SIZE,
    HashedTable,
    read_attributes,
    text_scores,
)

MARKUP = (
    "<html><body class=home><div id=wrap class='outer leftSide'><div class=outer><section><ul>"
    "<li class=item>one <b class=x>two</b> <i>three</i></li><li>four</li></ul></section>"
    "<h2>A heading of words</h2><p itemprop=text>some more text, and more of it</p>tail</div></div>"
)


def random_table():
    rng = np.random.default_rng(1)
    weights = rng.integers(-127, 128, TABLE_SIZE).astype(np.int8)
    return HashedTable(weights=weights, unit=1e-3, bias=0.25)


def test_rows_times_weights_equal_the_compiled_scores():
    document = parse_document(MARKUP, "https://example.com/")
    features = read_features(document)
    words, heading = features.words, last_headings(features.surroundings)
    table = random_table()
    weights = table.weights * table.unit
    rows = stack([attribute_rows(document)])
    assert np.allclose(
        rows @ weights + table.bias, read_attributes(document, table).log_odds, atol=1e-6
    )
    rows = stack([text_rows(words, heading)])
    assert np.allclose(rows @ weights + table.bias, text_scores(words, heading, table), atol=1e-6)


def test_the_last_heading_is_the_one_before_the_segment():
    document = parse_document("<p>a<h1>b</h1><p>c<h2>d</h2>e", "https://example.com/")
    assert last_headings(read_features(document).surroundings).tolist() == [-1, -1, 1, 1, 3]
