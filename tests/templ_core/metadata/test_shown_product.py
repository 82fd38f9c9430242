import pytest
from msgspec import UNSET

from templ_core import clean
from templ_core.dom.document import parse_document
from templ_core.metadata.markup import PageMarkup
from templ_core.metadata.page_metadata import read_metadata
from templ_core.metadata.prices import price_to_pay

URL = "https://shop.example/products/brass-kettle"


def product(body, *, head="", lang="en", page_type="product", url=URL):
    page = parse_document(
        f"<html lang={lang}><head>{head}</head><body><h1>Brass kettle</h1>{body}</body></html>", url
    )
    return read_metadata(page, url, PageMarkup(page), page_type=page_type).product


@pytest.mark.parametrize(
    ("text", "price"),
    [
        ("€50.00 €40.00", "40.00"), ("249€ 149€ –40%", "149"), ("₹250.00 – ₹650.00", "250.00"), ("You save $5, now $20", "20"),
        ("€ 4,00 (€ 40,00 / kg)", "4.00"), ("£0.00", None), ("12 pieces", None), ("Rp 230.000", "230000"), ("Tk 750.00 BDT", "750.00"),
        ("€132.34 AED 549.56", "132.34"),
    ],
)  # fmt: skip
def test_the_price_to_pay_is_that_of_a_sale_and_no_saving_and_no_part(text, price):
    found = price_to_pay(text)
    assert (found and found.number) == price


@pytest.mark.parametrize(
    ("body", "price"),
    [
        ("<p class=price>€49,00", "49.00"),
        ("<div class=product-price>$ 1,299.00</div>", "1299.00"),
        ("<p class=price><del>€59,00</del> <ins>€49,00</ins>", "49.00"),
        ("<div class='buy-box'><aside class='buy-box'><div class=price>€49,00</div></aside></div>", "49.00"),
        ("<p>A kettle of brass.<p>$49.00", "49.00"),
        ("<p><button>Add to cart - $49</button>", "49"),
        ("<select><option>Small - $49.00<option>Large - $49.00</select>", "49.00"),
        ("<p>Free shipping over $75", None),
        ("<p>or 4 payments by Klarna of $12.25 a month", None),
        ("<div class=mini-cart><p class=price>$12.00</div>", None),
        ("<div class=recently-viewed><p class=price>$12.00</div>", None),
        ("<section class='related products'><p class=price>$12.00</section>", None),
        ("<div class=price-filter><p>$10 - $90</div>", None),
        ("<p class=old-price>$59.00", None),
        ("<p>In 1887 it cost $2 and was praised by all who saw it in the window of the shop.", None),
    ],
)  # fmt: skip
def test_a_price_near_the_headline_is_that_of_the_product(body, price):
    kettle = product(body)
    assert (None if kettle is UNSET else kettle.price) == price


def test_what_the_page_shows_is_told_with_the_names_of_schema_org():
    found = product(
        "<p class=price>$49.00<p>Only 3 left, in stock<p>SKU: BK-100 Categories: Kettles",
        lang="en-AU",
    )
    assert (found.name, found.price, found.price_currency) == ("Brass kettle", "49.00", "AUD")
    assert (found.availability, found.sku) == ("InStock", "BK-100")


@pytest.mark.parametrize(
    ("body", "availability"),
    [
        ("<p>Nicht auf Lager", "OutOfStock"), ("<p>Auf Lager", "InStock"), ("<p>Esgotado", "OutOfStock"), ("<p>Pre-order", "PreOrder"),
        ("<span class=badge>Sold out</span><p>In stock", "InStock"), ("<p>We have no idea", None),
        ("<aside class=related><p>Sold out</aside>", None), ("<button>Add to cart</button>", "InStock"), ("<p>Nicht mehr lieferbar", "OutOfStock"),
        ("<button>Add to cart</button><section class=related><button>Sold out</button></section>", None),
        ("<button>Add to cart</button><button>Notify me when available</button>", None),
        ("<section class=related><p>Lamp<button>Add to cart</button></section>", None), ("<p>This kettle is discontinued", "Discontinued"),
    ],
)  # fmt: skip
def test_words_near_the_headline_say_whether_it_is_to_be_had(body, availability):
    assert product(f"<p class=price>€49,00</p>{body}").availability == availability


@pytest.mark.parametrize(
    ("had", "not_had"),
    [
        ("In stock", "Not in stock"), ("12 in stock", "0 in stock"), ("In stock", "No longer in stock"), ("Auf Lager", "Nicht auf Lager"),
        ("Disponible", "No disponible"), ("Disponible", "Actualmente no está disponible"), ("Disponibile", "Non più disponibile"),
        ("I lager", "Ej i lager"), ("På lager", "Ikke på lager"), ("Raktáron", "Nincs raktáron"), ("Skladem", "Není skladem"),
        ("Op voorraad", "Niet op voorraad"), ("В наличии", "Нет в наличии"), ("In stoc", "Nu este in stoc"), ("Stokta", "Stokta yok"),
        ("Varastossa", "Ei varastossa"), ("متوفر", "غير متوفر"), ("在庫あり", "在庫切れ"), ("现货", "无货"), ("Available", "Unavailable"),
    ],
)  # fmt: skip
def test_what_is_not_to_be_had_says_so_by_a_word_before(had, not_had):
    for text, availability in ((had, "InStock"), (not_had, "OutOfStock")):
        assert product(f"<p class=price>€49,00</p><p>{text}").availability == availability


LABELS = (
    "Item No.", "Part #:", "Art.-Nr.", "Ref.", "Réf. :", "Cód.:", "Codice prodotto:", "Artikkelnummer:", "Tuotenumero:", "Kód produktu:",
    "Kat. číslo:", "Cod produs:", "Ürün Kodu:", "Код товара:", "Κωδικός:", "商品コード：", "货号：", "상품코드 :", "Mã SP:", "Model no.",
)  # fmt: skip


@pytest.mark.parametrize("label", LABELS)
def test_labels_of_numbers(label):
    price = "<p class=price>€49,00</p>"
    assert product(f"{price}<p>{label} 4711-B").sku == "4711-B"
    assert product(f"{price}<dl><dt>{label}<dd>4711-B</dl>").sku == "4711-B"
    assert product(f"{price}<p>{label} of the maker").sku is None


@pytest.mark.parametrize(
    ("body", "sku"),
    [
        ("<p>Art.-Nr.: 4711-B", "4711-B"), ("<table><tr><td>SKU<td>A15278</table>", "A15278"), ("<p>Артикул: 885", "885"),
        ("<p>SKU: N/A", None), ("<p>Código: Ok", None), ("<p>Item #: 4711", "4711"), ("<p>SKU AB-12", "AB-12"), ("<p><label>Reference: </label>4711-B", "4711-B"), ("<p>Produktnummer: <b>4711-B", "4711-B"),
        ("<p>Bestell-Nr.: 4711-B", "4711-B"), ("<p>Varenummer: 4711-B", "4711-B"), ("<p>Reference: the maker", None), ("<p>SKU: zero", "zero"), ("<p>SKU: Categories: Kettles", None),
        ("<p>Código: 920449<p>SKU: A213", "A213"), ("<p>Código: 920449<p>SKU: N/A", None),
    ],
)  # fmt: skip
def test_a_sku_stands_behind_its_label(body, sku):
    assert product(f"<p class=price>€49,00</p>{body}").sku == sku


def test_what_the_markup_states_wins():
    head = (
        '<script type="application/ld+json">{"@type": "Product", "name": "Kettle", "sku": "K1",'
        ' "offers": {"price": "45.00", "priceCurrency": "EUR", "availability": "OutOfStock"}}</script>'
    )
    kettle = product("<p class=price>$49.00<p>In stock<p>SKU: BK-100", head=head)
    assert (kettle.price, kettle.price_currency, kettle.availability, kettle.sku) == (
        "45.00", "EUR", "OutOfStock", "K1",
    )  # fmt: skip


def test_a_page_that_is_no_product_has_none():
    assert product("<p class=price>€49,00", page_type="article") is UNSET
    assert product("<p>A kettle of brass.") is UNSET


def test_a_page_of_a_shop_without_markup_has_a_product():
    page = (
        "<html lang=de><title>Messingkessel</title><nav><a href=/a>Start</a> <a href=/b>Kessel</a></nav><h1>Messingkessel</h1>"
        "<p class=price>49,00 €</p><p>Auf Lager</p><button class=add-to-cart>In den Warenkorb</button>"
        "<p>Ein Kessel aus Messing, der zwei Liter fasst und auf jedem Herd steht.</p><p>Art.-Nr.: 4711"
        "<section class=related><h2>Auch gekauft</h2><p class=price>12,00 €</section>"
    )
    cleaned = clean(page, "https://laden.example/produkt/messingkessel/")
    assert cleaned.page_type == "product"
    described = cleaned.metadata.product
    assert (described.price, described.price_currency, described.availability, described.sku) == (
        "49.00",
        "EUR",
        "InStock",
        "4711",
    )


@pytest.mark.parametrize(
    ("body", "head", "currency"),
    [
        ("<p class=price>$49.00 CAD", "", "CAD"), ("<p class=price>$49.00<p>All prices are in USD.", "", "USD"),
        ("<p class=price>$49.00<select><option>USD<option>CAD<option>EUR</select>", "", None), ("<p class=price>$49.00", "", None),
        ("<p class=price>$49.00", "<meta property=product:price:currency content=nzd>", "NZD"), ("<p class=price>€49.00<p>USD", "", "EUR"),
    ],
)  # fmt: skip
def test_a_sign_of_several_currencies_is_that_which_the_page_names(body, head, currency):
    assert product(body, head=head).price_currency == currency
