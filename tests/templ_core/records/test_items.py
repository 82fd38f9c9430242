"""The items of listings: names, addresses, days, prices, pictures and texts."""

import pytest

from templ_core import CleanerOptions, clean
from templ_core.records.records import RECORDS_MAX, Item

URL = "https://shop.example/lamps/"
LISTING = '<script type=application/ld+json>{"@type": "CollectionPage"}</script>'
MENU = (
    "<nav><ul>"
    + "".join(f"<li><a href=/part/{n}>Part {n} of it</a>" for n in range(9))
    + "</ul></nav>"
)
NAMES = ("Lamp Aurora", "Desk light Nova", "Reading lamp Otto", "Candle Vesta")
TEXTS = (
    "A lamp of brass and smoked glass that stands on three feet beside the sofa.",
    "It bends in two places, and its light is as warm or as cold as you like it.",
    "Made for long evenings, with a switch that is found in the dark by its shape.",
    "Not a lamp at all, but nothing makes a table look better on a winter evening.",
)


def items_of(layout, head=LISTING, **given):
    rows = zip(range(len(NAMES)), NAMES, TEXTS, strict=True)
    body = "".join(layout.format(n=n, day=n + 11, name=name, text=text) for n, name, text in rows)
    html = f"<html lang=en><title>Lamps</title>{head}{MENU}<h1>Lamps</h1>{body}<footer><a href=/terms>Terms</a></footer>"
    return clean(html, given.get("url", URL), CleanerOptions(with_records=True)).records.items


def expected(**fields):
    return [
        Item(
            name=name,
            url=f"https://shop.example/lamps/{n}",
            **{key: value.format(n=n, day=n + 11, text=text) for key, value in fields.items()},
        )
        for n, (name, text) in enumerate(zip(NAMES, TEXTS, strict=True))
    ]


def test_the_products_of_a_grid_have_price_picture_and_text():
    layout = (
        "<li class=product><a class=link href={n}><img src=/img/{n}.jpg></a><a class=link href={n}><h3>{name}</h3></a>"
        "<p>{text}</p><div class=price><del>€ 99.50</del> <ins>€ {day}.50</ins></div>"
        "<a href=/lamps/?add-to-cart={n}>Add to cart</a><span>Free shipping</span></li>"
    )
    assert items_of(layout) == expected(
        text="{text}",
        price="{day}.50",
        price_currency="EUR",
        image="https://shop.example/img/{n}.jpg",
    )


LAYOUTS = {
    "a title that is a link": "<article><h2><a href={n}>{name}</a></h2><p>{day} March 2024</p><p>{text}</p></article>",
    "a title and a link below": (
        "<article><h2>{name}</h2><p>{day} March 2024</p><p>{text}</p><p><a href={n}>Read more</a></p></article>"
    ),
    "a day that is a link": (
        "<article><h2>{name}</h2><p><a href={n}>{day} March 2024</a></p><p>{text}</p></article>"
    ),
    "terms and their meanings": "<dt><a href={n}>{name}</a></dt><dd>{day} March 2024</dd><dd>{text}</dd>",
    "backslashes": "<article><h2><a href=..\\lamps\\{n}>{name}</a></h2><p>{day} March 2024</p><p>{text}</p></article>",
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_entries_of_a_list_have_name_address_day_and_text(layout):
    items = items_of(LAYOUTS[layout])
    assert items == expected(text="{text}", date_published="2024-03-{day}")


def test_links_in_sentences_and_menus_are_no_items():
    assert items_of("<p>{text} See also <a href={n}>{name}</a>, which we like as well.</p>") == []


@pytest.mark.parametrize(
    "stated",
    [
        '{"@type": "NewsArticle", "headline": "Lamps"}',
        '{"@type": "Product", "name": "Lamps", "offers": {"price": 5, "priceCurrency": "EUR"}}',
    ],
)
def test_a_page_of_one_article_or_product_has_no_items(stated):
    layout = LAYOUTS["a title that is a link"]
    head = f"<script type=application/ld+json>{stated}</script>"
    assert len(items_of(layout)) == 4
    assert items_of(layout, head) == []


def test_addresses_are_joined_to_the_base_of_the_page():
    items = items_of(LAYOUTS["a title that is a link"], f"{LISTING}<base href=/other/>")
    assert items[2].url == "https://shop.example/other/2"


def test_a_page_of_ten_thousand_items_is_cut():
    body = "".join(
        f"<li class=item><a href=/lamps/{n}>Lamp {n}x</a><p>It is the lamp {n} of them.</li>"
        for n in range(10 * RECORDS_MAX)
    )
    cleaned = clean(LISTING + body, URL, CleanerOptions(with_records=True))
    assert len(cleaned.records.items) == RECORDS_MAX
    assert "records-cut" in cleaned.warnings
