"""The fields of pages: rows of tables, terms, lines and boxes; no carts, filters and hidden variants."""

import pytest

from templ_core import CleanerOptions, clean

URL = "https://shop.example/lamps/aurora"
FIELDS = {"Weight": "1 kg", "Colour": "brass", "Country of origin": "Portugal"}
STORY = (
    "<p>The lamp of brass and smoked glass stands on three feet beside the sofa, and it is warm in winter. "
    * 4
)
PRODUCT = (
    '<script type=application/ld+json>{"@type": "Product", "name": "Lamp Aurora",'
    ' "offers": {"price": 50, "priceCurrency": "EUR"}}</script>'
)
TABLE = "<table>{rows}</table>", "<tr><th>{name}</th><td>{value}</td></tr>"
LAYOUTS = {
    "rows of a table": TABLE,
    "terms": ("<dl>{rows}</dl>", "<dt>{name}</dt><dd>{value}</dd>"),
    "items of a list": ("<ul>{rows}</ul>", "<li><b>{name}:</b> {value}</li>"),
    "rows of boxes": (
        "<div>{rows}</div>",
        "<div class=attribute><span class=n><div>{name}</div></span><div>{value}</div></div>",
    ),
}


def cleaned(rows, layout=TABLE, around="{rows}", fields=FIELDS):
    whole, row = layout
    table = whole.format(
        rows="".join(row.format(name=name, value=value) for name, value in fields.items())
    )
    html = f"<html lang=en><title>Lamp Aurora</title>{PRODUCT}<main><h1>Lamp Aurora</h1>{STORY}{around.format(rows=table)}{rows}</main>"
    return clean(html, URL, CleanerOptions(with_records=True))


def pairs(page):
    return {one.name: one.value for one in page.records.fields}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_names_and_values_are_found(layout):
    page = cleaned("", LAYOUTS[layout])
    assert pairs(page) == FIELDS
    assert page.metadata.product.additional_properties == page.records.fields
    assert page.metadata.product.price == "50"


@pytest.mark.parametrize(
    "around",
    [
        "<div class=cart-contents>{rows}</div>",
        "<div class=layered-filter>{rows}</div>",
        "<div class=recently-viewed>{rows}</div>",
        "<div class=installments>{rows}</div>",
        "<div style='display: none'>{rows}</div>",
    ],
)
def test_other_rows_are_no_fields(around):
    assert pairs(cleaned("", TABLE, around)) == {}


def test_the_head_of_a_table_and_a_table_of_three_columns_are_no_fields():
    head = "<tr><th>Name</th><th>Value</th></tr>{rows}"
    assert pairs(cleaned("", (f"<table>{head}</table>", TABLE[1]))) == FIELDS
    three = "<tr><td>{name}</td><td>{value}</td><td>More of it</td></tr>"
    assert pairs(cleaned("", (TABLE[0], three))) == {}


def test_one_line_with_a_colon_is_no_field():
    layout = LAYOUTS["items of a list"]
    assert pairs(cleaned("", layout, fields={"Note": "this lamp is not for children"})) == {}
    assert pairs(cleaned("", layout, fields=FIELDS)) == FIELDS
