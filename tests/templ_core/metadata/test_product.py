import json

import pytest
from msgspec import UNSET

from templ_core.dom.document import parse_document
from templ_core.metadata.fields import Offer, Product
from templ_core.metadata.markup import PageMarkup
from templ_core.metadata.page_metadata import read_metadata
from templ_core.metadata.prices import price_number

URL = "https://shop.example/pot"

MICRODATA = """
<div itemscope itemtype="http://schema.org/Product"><h1 itemprop="name">Tea pot</h1>
<div itemprop="brand" itemscope itemtype="https://schema.org/Brand"><meta itemprop="name" content="Acme"></div>
<div itemprop="aggregateRating" itemscope itemtype="http://schema.org/AggregateRating">
<span itemprop="ratingValue">4,5</span> of <span itemprop="reviewCount">12</span></div>
<div itemprop="offers" itemscope itemtype="http://schema.org/Offer"><meta itemprop="priceCurrency" content="EUR">
<strong itemprop="price">19,90 €</strong><link itemprop="availability" href="http://schema.org/InStock"></div>
<td itemprop="sku">T-1</td>
<div itemprop="review" itemscope itemtype="http://schema.org/Review"><b itemprop="name">Bad</b>
<span itemprop="ratingValue">1</span></div></div>
"""
RDFA = """
<div vocab="http://schema.org/" typeof="Product"><h1 property="name">Tea pot</h1>
<div property="offers" typeof="Offer"><span property="price" content="19.90">19,90</span>
<meta property="priceCurrency" content="EUR"><link property="availability" href="https://schema.org/OutOfStock"></div></div>
"""
OPEN_GRAPH = """
<meta property="og:type" content="product"><meta property="product:price:amount" content="1,299.00">
<meta property="product:price:currency" content="usd"><meta property="product:availability" content="in stock">
<meta property="product:brand" content="Acme"><meta property="product:retailer_item_id" content="T-1">
"""


def product(*items, body="", title="Tea pot"):
    start = '<script type="application/ld+json">'
    scripts = "".join(f"{start}{json.dumps(item)}</script>" for item in items)
    markup = f"<html><title>{title}</title>{scripts}<body>{body}<p>Text</body></html>"
    document = parse_document(markup, URL)
    return read_metadata(document, URL, PageMarkup(document)).product


def offered(**fields):
    return {"@type": "Product", "name": "Tea pot", "offers": {"@type": "Offer", **fields}}


@pytest.mark.parametrize(
    ("fields", "price", "currency"),
    [
        ({"price": "49.90", "priceCurrency": "€"}, "49.90", "EUR"),
        ({"price": "49,90 EUR"}, "49.90", "EUR"),
        ({"price": "$49.90"}, "49.90", None),
        ({"price": "49.90", "priceCurrency": "euros"}, "49.90", "EUR"),
        ({"price": "49.90", "priceCurrency": "credits"}, "49.90", None),
    ],
)
def test_a_currency_may_be_stated_by_its_sign(fields, price, currency):
    found = product(offered(**fields))
    assert (found.price, found.price_currency) == (price, currency)


@pytest.mark.parametrize("kind", ["ListPrice", "https://schema.org/StrikethroughPrice"])
def test_a_former_price_is_not_that_to_pay(kind):
    former = {"priceType": kind, "price": "80.00", "priceCurrency": "EUR"}
    own = {"price": "49.90", "priceCurrency": "EUR"}
    for prices in ([former, own], [own, former]):
        assert product(offered(priceSpecification=prices)).price == "49.90"


@pytest.mark.parametrize(
    ("stated", "availability"),
    [("unavailable", "OutOfStock"), ("https://schema.org/InStock/", "InStock"), ("in stock", "InStock"), ("perhaps", None)],
)  # fmt: skip
def test_forms_of_availability(stated, availability):
    assert product(offered(price="1", availability=stated)).availability == availability


def test_all_fields_of_json_ld():
    item = {
        "@context": "https://schema.org",
        "@type": "Product",
        "name": "Tea pot",
        "sku": 17,
        "mpn": "M1",
        "brand": {"@type": "Brand", "name": "Acme"},
        "aggregateRating": {"ratingValue": "4.5", "bestRating": 5, "ratingCount": 7, "reviewCount": 3},
        "offers": [
            {"@type": "Offer", "price": 19.9, "priceCurrency": "EUR", "availability": "http://schema.org/InStock"},
            {"@type": "Offer", "priceSpecification": [{"price": "25", "priceCurrency": "EUR"}], "sku": "17b"},
        ],
    }  # fmt: skip
    assert product(item) == Product(
        name="Tea pot", sku="17", mpn="M1", brand="Acme", price="19.9", price_currency="EUR",
        availability="InStock", rating_value=4.5, best_rating=5, rating_count=7, review_count=3,
        offers=[
            Offer(price="19.9", price_currency="EUR", availability="InStock"),
            Offer(price="25", price_currency="EUR", sku="17b"),
        ],
    )  # fmt: skip


def test_microdata_but_that_of_reviews_and_rdfa():
    offer = {"price": "19.90", "price_currency": "EUR", "availability": "InStock"}
    assert product(body=MICRODATA) == Product(
        name="Tea pot", sku="T-1", brand="Acme", rating_value=4.5, review_count=12, offers=[Offer(**offer)], **offer
    )  # fmt: skip
    offer["availability"] = "OutOfStock"
    assert product(body=RDFA) == Product(name="Tea pot", offers=[Offer(**offer)], **offer)


def test_open_graph_completes_other_markup_but_never_the_currency_of_a_price():
    tea_pot = product({"@type": "Product", "name": "Tea pot", "sku": "A"}, body=OPEN_GRAPH)
    assert (tea_pot.sku, tea_pot.brand, tea_pot.availability) == ("A", "Acme", "InStock")
    assert (tea_pot.price, tea_pot.price_currency) == ("1299.00", "USD")
    tea_pot = product(offered(price="5"), body=OPEN_GRAPH)
    assert (tea_pot.price, tea_pot.price_currency) == ("5", None)


def test_offers_of_variants_and_of_aggregates():
    variants = [offered(price="5"), offered(price="7")]
    group = {"@type": "ProductGroup", "name": "Tea pots", "hasVariant": variants}
    assert [offer.price for offer in product(group).offers] == ["5", "7"]
    tea_pot = product(offered(lowPrice="5", highPrice="9", offers=[{"price": "6"}]))
    assert tea_pot.price == "5"
    assert tea_pot.offers == [Offer(low_price="5", high_price="9"), Offer(price="6")]
    other = offered(price="6") | {"name": "Cup"}
    assert product(other, offered(price="5"), title="Tea pot | Shop").price == "5"


def test_offers_and_brands_are_found_by_reference():
    graph = {
        "@graph": [
            {"@type": "Product", "name": "Tea pot", "offers": {"@id": "#o"}, "brand": {"@id": "#b"}},
            {"@type": "Offer", "@id": "#o", "price": "5"},
            {"@type": "Brand", "@id": "#b", "name": "Acme"},
        ]
    }  # fmt: skip
    tea_pot = product(graph)
    assert (tea_pot.price, tea_pot.brand) == ("5", "Acme")


@pytest.mark.parametrize(
    "items",
    [
        [],
        [{"@type": "Product", "name": "Tea pot"}],
        [{"@type": "NewsArticle", "headline": "Tea"}, offered(price="5")],
        [offered(price="5") | {"name": "Cup"}, offered(price="6") | {"name": "Bowl"}],
        [{"@type": "Product", "offers": "free", "aggregateRating": [None, 7], "brand": {"@id": {}}}],
    ],
    ids=["nothing", "only-a-name", "article", "list-of-products", "wrong-forms"],
)  # fmt: skip
def test_pages_without_a_product(items):
    assert product(*items) is UNSET


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("19.90", "19.90"), ("19,90", "19.90"), ("1.299,00", "1299.00"), ("1,299.00", "1299.00"),
        ("1 299,5 zł", "1299.5"), ("CHF 1'299.-", "1299"), ("12.345.678", "12345678"),
        ("-5", None), ("", None), ("ask", None), ("9" * 30, None),
    ],
)  # fmt: skip
def test_forms_of_prices(text, number):
    assert price_number(text) == number
