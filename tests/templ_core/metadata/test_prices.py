import pytest

from templ_core.dom.document import parse_document
from templ_core.metadata.markup import PageMarkup
from templ_core.metadata.page_metadata import read_metadata
from templ_core.metadata.prices import price_in, price_number, shows_price


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("£0.350", "0.350"), ("0,125 €", "0.125"), ("3 pairs from $49", "49"), ("Box of 12: 7,49 €", "7.49"), ("-20% 15,99 €", "15.99"),
        ("٣٤٩ ر.س", "349"), ("١٬٢٩٩٫٥٠", "1299.50"), ("1 299,50 kr", "1299.50"), ("CHF 1'299.-", "1299"), ("KD 3.350", "3.350"),
        ("₹1,29,999.00", "129999.00"), ("10–20 €", "10"), ("R$ 1.234,56", "1234.56"), ("1.299.000 ₫", "1299000"),
        ("€ 12,-", "12"), ("1,299", "1299"), ("12,5", "12.5"), ("2 for 1", "2"), ("-5", None), ("20 %", None),
        ("49^90 €", "49.90"), ("49€90", "49.90"), ("49 €90", "49.90"), ("$.99", "0.99"), (".99 $", "0.99"), ("49,- €", "49"),
        ("on request", None), ("1" * 10_000, None), ("1." * 5000, None),
    ],
)  # fmt: skip
def test_the_number_beside_the_currency_is_the_price(text, number):
    assert price_number(text) == number


@pytest.mark.parametrize(
    ("text", "number", "currency"),
    [
        ("￥4,990", "4990", None), ("49,90 лв.", "49.90", "BGN"), ("١٢٩ ر.س", "129", None), ("1.249,90 lei", "1249.90", "RON"),
        ("1249:-", "1249", "SEK"), ("49,- €", "49", "EUR"), ("49^90 €", "49.90", "EUR"), ("Fr. 49.–", "49", "CHF"), ("49.- Fr.", "49", "CHF"), ("SFr. 1'249.50", "1249.50", "CHF"), ("CHF 49.–", "49", "CHF"), ("$.99", "0.99", None),
    ],
)  # fmt: skip
def test_a_price_alone_is_seen_with_the_sign_of_its_currency(text, number, currency):
    assert shows_price(text)
    assert price_in(text)[:3] == (number, currency, True)


@pytest.mark.parametrize(
    ("text", "number", "currency"),
    [
        ("4,990円", "4990", "JPY"), ("1.299.000 đ", "1299000", "VND"), ("1,299 บาท", "1299", "THB"),
        ("R 49.90", "49.90", "ZAR"), ("S$49.90", "49.90", "SGD"), ("S/ 49.90", "49.90", "PEN"), ("49 euros", "49", "EUR"),
        ("USD $49.90", "49.90", "USD"), ("CAD$49.90", "49.90", "CAD"), ("US $49.90", "49.90", "USD"), ("99p", "0.99", "GBP"), ("99¢", "0.99", None),
        ("€ 49 90", "49.90", "EUR"), ("$49 .90", "49.90", None),
    ],
)  # fmt: skip
def test_a_stated_price_has_the_sign_of_its_currency_in_any_form(text, number, currency):
    assert price_in(text)[:3] == (number, currency, True)


@pytest.mark.parametrize(
    "text", ["Fr. 12.30 Uhr", "Do 9-12 Fr 13-17", "Fr 9.00-12.00", "Mo. - Fr. 8.00 - 18.00"]
)
def test_a_friday_is_no_price(text):
    assert not shows_price(text)


def test_a_sign_names_a_currency_only_if_no_other_has_it():
    assert [price_in(text).currency for text in ("5 €", "5 CHF", "$5", "5")] == [
        "EUR",
        "CHF",
        None,
        None,
    ]


def priced(body, kind="itemscope itemtype=https://schema.org/Product"):
    text = "<p>A kettle of steel that holds two litres and whistles when the water boils on the hob.</p>"
    page = parse_document(
        f"<title>Kettle</title><body><div {kind}><h1>Kettle</h1>{body}{text}</div>", ""
    )
    return read_metadata(page, "https://shop.example/kettle", PageMarkup(page)).product


@pytest.mark.parametrize(
    ("body", "price"),
    [
        ("<div class=price>€ 24.50</div>", "24.50"),
        ("<div class=price>€24.50/month</div>", "24.50"),
        ("<div class=price>24,50 € pro Monat</div>", "24.50"),
        ("<div class=price>€ 2.50/month</div><div class=price>€ 24.50</div>", "24.50"),
        ("<div class=old-price>€ 30.00</div><div class=sale-price>€ 24.50</div>", "24.50"),
        ("<select><option>Red - €24.50</option><option>Blue - €24.50</option></select>", "24.50"),
    ],
)
def test_a_price_that_only_the_page_shows(body, price):
    assert (priced(body).price, priced(body).price_currency) == (price, "EUR")


@pytest.mark.parametrize(
    "body",
    [
        "<select><option>Small - €20</option><option>Large - €24.50</option></select>", "<div class=price>on request</div>",
        "<aside class=related><b class=price>€ 9.00</b></aside>", "<nav><b class=price>€ 9.00</b></nav>",
    ],
)  # fmt: skip
def test_other_prices_are_not_those_of_the_product(body):
    assert not priced(body) or priced(body).price is None


def test_a_page_without_a_product_has_no_price():
    assert not priced("<div class=price>€ 24.50</div>", kind="")
