"""The kinds of page of a site: template, fields with their open values, records, and each page's own text."""

import numpy as np

from templ_core.dom.document import parse_document
from templ_core.explain.page_kinds import KeptPage, kinds_of_pages
from tests.templ_core.site_level.builders import site_model

MENU = "<nav><ul><li>Home</li><li>Kitchen</li></ul></nav>"
COLOURS = ("Rust", "Cream", "Sand")


def product(number):
    rows = f"<tr><td>Colour</td><td>{COLOURS[number % 3]}</td></tr><tr><td>Guarantee</td><td>{number} years</td></tr>"
    body = f"<h1>Bowl number {number}</h1><p>Bowl {number} holds soup for some people.</p><table>{rows}</table>"
    return f"<html><body>{MENU}<div id=main>{body}</div></body></html>"


def listing(number):
    cards = "".join(
        f"<div class=card><h2>Bowl {number + one}</h2><p>{one + 3}.00</p></div>" for one in range(4)
    )
    return f"<html><body>{MENU}<section><h1>Bowls {number}</h1>{cards}</section></body></html>"


def read(markup, number):
    document = parse_document(markup, f"https://shop.example/{number}")
    kept = np.array([text not in {"Home", "Kitchen"} for text in document.segments.texts])
    return KeptPage(f"https://shop.example/{number}", document, kept)


def test_template_fields_records_and_own_text_are_told_apart():
    pages = [read(product(number), number) for number in range(12)]
    pages += [read(listing(number), 100 + number) for number in range(12)]
    kinds = kinds_of_pages(pages, site_model([page.document for page in pages]))
    products = next(one for one in kinds if one.fields)
    assert {(one.text, one.pages) for one in products.template} == {
        ("Home", products.pages),
        ("Kitchen", products.pages),
    }
    fields = {one.name: one for one in products.fields}
    assert (fields["Colour"].pages, fields["Colour"].value_count) == (12, 3)
    assert sorted(fields["Colour"].values) == sorted(COLOURS)
    assert fields["Guarantee"].value_count == 12
    records = [record for one in kinds for record in one.records]
    assert [(one.path, one.pages, one.count) for one in records] == [("section > div.card", 12, 4)]
    assert records[0].example == ["Bowl 14", "6.00"]
    texts = {text.path: text for one in kinds for text in one.texts}
    assert texts["div#main > h1"].value_count == texts["div#main > p"].value_count == 12
    assert texts["section > h1"].example == "Bowls 11"


def test_a_window_without_pages_has_no_kinds():
    assert kinds_of_pages([], site_model([read(product(1), 1).document])) == []
