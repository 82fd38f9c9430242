"""Rows of label and value in the gold of a page, by the decision of its segments."""

import numpy as np

from templ_core.dom.document import parse_document
from templ_core.lab.evaluation.rows import RowCounts, count_rows, gold_rows

_TABLE = "<table>{}</table>".format
_PAGE = (
    _TABLE("<tr><th>Weight<td>1 kg<tr><th>Rating<td>★★★<tr><th>Made in<td>China")
    + "<dl><dt>Length</dt><dd>7 cm</dd><dt>Cities</dt><dd>Oslo</dd><dd>Rome</dd></dl>"
    + "<ul><li>Colour: blue<li>Delivery: two days<li>Tea of May</ul>"
    + "<div class=facts><div><p>Height</p><p>3 m</p></div><div><p>Depth</p><p>2 m</p></div></div>"
    + _TABLE("<tr><td>Bread<td>two<td>EUR 4")
)


def _rows(content):
    page = parse_document(_PAGE, "")
    kept = np.array([content(text) for text in page.segments.texts])
    return [tuple(page.segments.texts[segment] for segment in row) for row in gold_rows(page, kept)]


def test_rows_of_tables_terms_lines_and_boxes_are_rows():
    assert _rows(lambda _: True) == [
        ("Weight", "1 kg"),
        ("Made in", "China"),
        ("Length", "7 cm"),
        ("Colour: blue",),
        ("Delivery: two days",),
        ("Height", "3 m"),
        ("Depth", "2 m"),
    ]


def test_a_row_is_of_the_gold_if_all_of_it_is():
    assert _rows(lambda text: text in {"Weight", "1 kg", "Length", "Colour: blue"}) == [
        ("Weight", "1 kg"),
        ("Colour: blue",),
    ]


def test_rows_are_kept_whole_in_part_or_not_at_all():
    page = parse_document(_PAGE, "")
    texts = page.segments.texts
    rows = gold_rows(page, np.ones(len(texts), np.bool_))
    kept = np.array([text in {"Weight", "1 kg", "China", "Colour: blue"} for text in texts])
    assert count_rows(rows, kept) == RowCounts(whole=2, in_part=1, lost=4)
    assert count_rows([], kept) == RowCounts(whole=0, in_part=0, lost=0)
