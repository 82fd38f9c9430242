"""What a page says about the product that it sells: JSON-LD, microdata, RDFa and OpenGraph (schema.org names)."""

import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from templ_core.metadata._scans import Claims
from templ_core.metadata.fields import Offer, Product
from templ_core.metadata.forms import short_text
from templ_core.metadata.json_ld import Item, JsonLd, Value, texts_of, types_of
from templ_core.patterns import pattern

_PRODUCT_TYPES = frozenset(
    ("Product", "ProductGroup", "ProductModel", "IndividualProduct", "Vehicle", "Car")
)
_OFFERS_MAX = 50
_TEXT_CHARS_MAX = 200
_OFFER_NAMES = ("price", "lowPrice", "highPrice", "priceCurrency", "availability")
_RATING_NAMES = ("ratingValue", "bestRating", "ratingCount", "reviewCount")
_OWN_NAMES = ("sku", "mpn", "brand")
_NAMES = {name.lower(): name for name in (*_OFFER_NAMES, *_RATING_NAMES, *_OWN_NAMES, "name")}
_AVAILABILITIES = {
    name.lower(): name
    for name in (
        *("InStock", "OutOfStock", "PreOrder", "PreSale", "BackOrder", "SoldOut", "Discontinued"),
        *("LimitedAvailability", "OnlineOnly", "InStoreOnly", "MadeToOrder", "Reserved"),
    )
} | {"oos": "OutOfStock", "available": "InStock"}
_PLAIN_NUMBER = pattern(r"\d{1,12}(?:\.\d{1,6})?")
_NUMBER = pattern(r"\d[\d.,'’\s]*")
_FRACTION = pattern(r"[.,](\d{1,2})$")
_WORD = pattern(r"\w+")
_NO_LETTERS = pattern(r"[\W_]+")
_OTHER_ITEMS = frozenset(
    ("review", "reviews", "reviewrating", "isrelatedto", "issimilarto", "itemlistelement", "author")
)
"""Properties whose objects tell of something else than the product, in lower case."""


def read_product(claims: Claims, json_ld: JsonLd, title: str) -> Product | None:
    """Return the product that a page is about; None where the page says nothing of one but its name.

    A page that names several products is a list of them, unless the title of the page begins
    with the name of one.
    Of several sources, JSON-LD comes first, then microdata and RDFa, then OpenGraph, value by value.

    Args:
        claims: The claims of the page.
        json_ld: The objects of its JSON-LD.
        title: Title of the page.

    >>> from templ_core.metadata.markup import read_claims
    >>> script = (
    ...     b'{"@type": "Product", "sku": "B1", "offers": {"price": 4.5, "priceCurrency": "EUR"}}'
    ... )
    >>> found = read_product(read_claims(b""), JsonLd([script]), "")
    >>> found.sku, found.price, found.price_currency
    ('B1', '4.5', 'EUR')
    """
    sources = (
        _main_product(json_ld.of_types(_PRODUCT_TYPES), title),
        _main_product(_marked_up(claims.statements), title),
        _of_meta(claims.meta),
    )
    stated = [item for item in sources if item]
    if not stated:
        return None
    found = Product(name=_text(stated[0].get("name")) or None)
    for source in stated:
        found = _completed(found, _product(source, json_ld))
    return None if found == Product(name=found.name) else found


def price_number(text: str) -> str | None:
    """Return a price as a decimal number with a point; None where there is none.

    >>> price_number("1.299,00 €"), price_number("$1,299"), price_number("on request")
    ('1299.00', '1299', None)
    """
    if _PLAIN_NUMBER.fullmatch(text):
        return text
    found = _NUMBER.search(text)
    if found is None or "-" in text[: found.start()]:
        return None
    number = found[0].rstrip(".,'’ \t\n\xa0\u202f")
    fraction = _FRACTION.search(number)
    whole = "".join(filter(str.isdecimal, number[: fraction.start()] if fraction else number))
    number = f"{whole}.{fraction[1]}" if fraction else whole
    return number if _PLAIN_NUMBER.fullmatch(number) else None


def _main_product(items: Sequence[Item], title: str) -> Item | None:
    if len(items) < 2:
        return items[0] if items else None
    groups = [item for item in items if "ProductGroup" in types_of(item)]
    if len(groups) == 1:
        return groups[0]
    own = _WORD.findall(title.casefold())
    for item in items:
        name = _WORD.findall(_text(item.get("name")).casefold())
        if name and name == own[: len(name)]:
            return item
    return None


def _marked_up(statements: Iterable[tuple[str, str, str]]) -> list[Item]:
    """Return the products of microdata and RDFa as objects of JSON-LD.

    Statements do not tell where an object ends, so the name of a property decides what it belongs to.
    """
    products: list[Item] = []
    offers: list[Item] = []
    within = ""
    for of_type, names, value in statements:
        if of_type:
            within = "" if names == "mainentity" else names
            if of_type in _PRODUCT_TYPES and not within:
                offers = []
                products.append({"@type": of_type, "offers": offers})
            elif within == "offers" and products:
                offers.append({})
        if not products or within in _OTHER_ITEMS:
            continue
        for name in names.split():
            known = _NAMES.get(name)
            if known and value:
                _place(products[-1], offers, known, value, within)
    return products


def _place(product: Item, offers: list[Item], name: str, value: str, within: str) -> None:
    if name in _OFFER_NAMES:
        if not offers:
            offers.append({})
        offers[-1].setdefault(name, value)
    elif name in _RATING_NAMES:
        rating = product.setdefault("aggregateRating", {})
        if isinstance(rating, dict):
            rating.setdefault(name, value)
    elif name != "name":
        product.setdefault(name, value)
    elif within in {"", "brand"}:
        product.setdefault(within or name, value)


def _of_meta(meta: Mapping[str, list[str]]) -> Item | None:
    """Return what `meta` elements of OpenGraph and its relatives say of a product."""
    if "price" not in meta and "product" not in " ".join(meta.get("type", ())).lower():
        return None
    first = {field: texts[0] for field, texts in meta.items()}
    offer = {"price": "price", "priceCurrency": "currency", "availability": "availability"}
    return {
        "sku": first.get("sku", ""),
        "brand": first.get("brand", ""),
        "offers": {name: first.get(field, "") for name, field in offer.items()},
    }


def _product(item: Item, json_ld: JsonLd) -> Product:
    by_id = json_ld.by_id
    offers = _offers(item, by_id)
    priced = next((one for one in offers if one.price or one.low_price), Offer())
    rating = next(iter(_objects(item.get("aggregateRating"), by_id)), {})
    brand = [*_objects(item.get("brand"), by_id), *texts_of(item.get("brand"), "name")]
    return Product(
        sku=_short(item.get("sku")),
        mpn=_short(item.get("mpn")),
        brand=next((name for name in map(_short, brand) if name), None),
        price=priced.price or priced.low_price,
        price_currency=priced.price_currency,
        availability=next((one.availability for one in offers if one.availability), None),
        rating_value=_number(rating.get("ratingValue")),
        best_rating=_number(rating.get("bestRating")),
        rating_count=_count(rating.get("ratingCount")),
        review_count=_count(rating.get("reviewCount")),
        offers=offers,
    )


def _offers(item: Item, by_id: Mapping[str, Item]) -> list[Offer]:
    """Return the offers of a product, or those of its variants."""
    stated = _objects(item.get("offers"), by_id)
    if not stated:
        variants = _objects(item.get("hasVariant"), by_id)
        stated = [one for variant in variants for one in _objects(variant.get("offers"), by_id)]
    stated += [one for group in stated for one in _objects(group.get("offers"), by_id)]
    offers = (_offer(one, by_id) for one in stated[:_OFFERS_MAX])
    return [offer for offer in offers if offer != Offer()]


def _offer(item: Item, by_id: Mapping[str, Item]) -> Offer:
    within = [item, *_objects(item.get("priceSpecification"), by_id)]

    def first(name: str) -> str:
        return next((text for one in within if (text := _text(one.get(name)))), "")

    currency = first("priceCurrency").upper()
    of_letters = _NO_LETTERS.sub("", _text(item.get("availability")).rpartition("/")[2]).lower()
    return Offer(
        price=price_number(first("price")),
        low_price=price_number(_text(item.get("lowPrice"))),
        high_price=price_number(_text(item.get("highPrice"))),
        price_currency=currency if re.fullmatch("[A-Z]{3}", currency) else None,
        availability=_AVAILABILITIES.get(of_letters.removeprefix("schema")),
        sku=_short(item.get("sku")),
    )


def _completed(found: Product, other: Product) -> Product:
    """Return a product with the values that it lacks from another source."""
    lacking = {
        name: getattr(other, name)
        for name in Product.__struct_fields__
        if not name.startswith("price") and getattr(found, name) in (None, [])
    }
    if found.price is None:
        lacking |= {"price": other.price, "price_currency": other.price_currency}
        lacking["offers"] = other.offers or found.offers
    return msgspec.structs.replace(found, **lacking)


def _objects(value: Value, by_id: Mapping[str, Item]) -> list[Item]:
    found = value if isinstance(value, list) else [value]
    objects = [one for one in found[:_OFFERS_MAX] if isinstance(one, dict)]
    return [
        by_id.get(str(one.get("@id")), one) if one.keys() <= {"@id", "@type"} else one
        for one in objects
    ]


def _text(value: Value) -> str:
    """Return the text of a value, which may be a number, an object with a name, or a list of them."""
    if isinstance(value, list):
        return _text(value[0]) if value else ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:.6f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
    return next(iter(texts_of(value, "name", "@value")), "")


def _short(value: Value) -> str | None:
    return short_text(_text(value), _TEXT_CHARS_MAX)


def _number(value: Value) -> float | None:
    text = _text(value).replace(",", ".")
    return float(text) if _PLAIN_NUMBER.fullmatch(text) else None


def _count(value: Value) -> int | None:
    text = _text(value)
    return int(text) if text.isdecimal() and len(text) < 10 else None
