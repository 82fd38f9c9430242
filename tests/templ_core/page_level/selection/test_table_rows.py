import numpy as np
import pytest

from templ_core.clean import clean
from templ_core.config import CoreConfig
from templ_core.dom.document import parse_document
from templ_core.page_level.page_tree import read_tree
from templ_core.page_level.selection.table_rows import pooled_by_row, short_rows


def rows_of(markup):
    document = parse_document(markup, "https://example.com/")
    words = np.array([float(len(text.split())) for text in document.segments.texts])
    rows = short_rows(document, read_tree(document, words))
    return [row.tolist() for row in np.split(rows.segments, rows.starts)[1:]]


@pytest.mark.parametrize(
    ("markup", "rows"),
    [
        ("<table><tr><th>Weight<td>1.4 kg<tr><th>Height<td>28 cm</table>", [[0, 1], [2, 3]]),
        ("<p>First<table><tr><th>Weight<td>1.4 kg</table>", [[1, 2]]),
        ("<table><tr><td>One cell</table>", []),
        ("<table><tr><td>a<td>b<td>c<td>d<td>e</table>", []),
        (f"<table><tr><td>Menu<td>{'text ' * 40}</table>", []),
        ("<dl><dt>Weight<dd>1.4 kg</dl>", []),
    ],
)
def test_short_rows_have_few_segments_and_words(markup, rows):
    assert rows_of(markup) == rows


def test_without_rows_nothing_changes():
    document = parse_document("<p>One<p>Two", "https://example.com/")
    words, log_odds = np.ones(2), np.array([1.0, -1.0])
    rows = short_rows(document, read_tree(document, words))
    assert pooled_by_row(log_odds, words, rows) is log_odds


def test_a_label_stays_or_goes_with_its_value():
    cells = "".join(f"<tr><th>Label {n}<td>{n} kg, {n} cm and more" for n in range(12))
    markup = (
        f"<nav><a href=/>Home</a></nav><h1>A lamp of brass</h1><p>{'It is made by hand. ' * 8}"
        f"<table>{cells}</table><footer>All rights reserved</footer>"
    )
    document = parse_document(markup, "https://example.com/")
    log_odds = clean(document, None, CoreConfig()).decision.log_odds
    assert all(len(set(log_odds[row].tolist())) == 1 for row in rows_of(markup))
    assert len(rows_of(markup)) == 12
