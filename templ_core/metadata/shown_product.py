"""The product that a page shows and its markup does not state: price, availability and SKU, by where they stand and their words."""

import re
from collections.abc import Iterator

import msgspec

from templ_core.dom.document import Document
from templ_core.metadata._page_parts import PageParts
from templ_core.metadata._scans import segments_within, types_with_tags
from templ_core.metadata.buy_buttons import BUTTON_CHARS_MAX, BUTTONS, NO_OFFERS
from templ_core.metadata.fields import Product
from templ_core.metadata.page_view import PageView
from templ_core.metadata.prices import Price, price_in, price_of_time, price_to_pay, shows_price
from templ_core.page_level.features._stems import Stems
from templ_core.patterns import pattern

_NAME = pattern(
    r"(?:.*[-_:])?(?:prices?|preise?|prix|precios?|preco|prezzo|cena|pris)(?:[-_].*)?|\w*[Pp]rice",
    re.IGNORECASE,
)
_NOT = pattern(
    r"(?:.*[-_])?(?:old|was|list|compare|comparison|strike\w*|before|msrp|rrp|uvp|shipping|units?|range|filters?|sav(?:e|ed|ings?)|cross\w*|discounts?"
    r"|instal\w*|mini-?cart|cart|basket|total|history|recently\w*|warranty|bundles?|add-?ons?|related|upsells?|crossed|original)(?:[-_].*)?|from-price"
    r"|regular(?!-price$)[-_].*|regular|old\w*|was\w*|\w*[a-z](?:Old|Was|List)(?:Price)?",
    re.IGNORECASE,
)
"""Names of elements with another price than that to pay."""
_SHOP = pattern(
    r"buy-?box|add-?to-?cart|product[-_]?(?:info|main|form|summary|price|details?)", re.IGNORECASE
)
"""Names of elements that are about the product wherever they stand."""
_OTHER_TEXT = pattern(
    r"ship|deliver|versand|frete|livraison|env[ií]o|spedizione|dostaw|доставк|\b(?:save|spar\w*|off|over|above|month\w*|monat\w*|mois|mes|meses"
    r"|week\w*|year|instal\w*|parcel\w*|rat[ey]\w*|interest|klarna|afterpay|sezzle|paypal|deposit|subtotal|total|warrant\w*|plan|protection"
    r"|used|refurbished|gift|credit|points?|reward\w*|trade|vat|tax|msrp|rrp|uvp|was|list price|compare|regular|before)\b",
    re.IGNORECASE,
)
"""Words beside a price that is not the one to pay, where no element is named after a price."""
_STEMS = Stems(("pri", "prezzo", "cena", "preis", "precio", "preco"))
_OPTIONS = frozenset(("option",))
_ELEMENTS_MAX, _TEXTS_MAX, _LEVELS = 24, 4, 2
_BEFORE, _BEHIND = 12, 60
"""Texts before and behind the headline among which the price may stand in an element that is named after it."""
_BEHIND_UNNAMED = 45
_CHARS_MAX, _LETTERS_MAX = 60, 24
_LETTERS = pattern(r"[^\W\d_]")
_HAD = (
    r"(?:in stock|ready to ship|ships (?:with)?in|auf lager|lagernd|sofort lieferbar|lieferbar|verfügbar|vorrätig|en stock|disponible|em estoque"
    r"|disponível|disponibile|op voorraad|i lager|på lager|na stanie|w magazynie|dostępny|skladem|na skladě|raktáron|in stoc|stokta|varastossa"
    r"|в наличии|в наявності|متوفر|במלאי|còn hàng|在庫あり|有货|有貨|现货|재고 있음)\b"
)
_AVAILABILITY = pattern(
    r"(?P<Discontinued>\bdiscontinued\b)|(?P<OutOfStock>out of stock|sold out|not available|\bunavailable\b|no longer available|ausverkauft|plus disponible"
    rf"|(?:\b(?:not?|non|nicht|niet|ikke|ej|inte|nincs|není|nie|ei|nu este|не|нет|немає|غير|slut|brak)|(?<![\d.,])0)\s(?:\w+\s)?{_HAD}"
    r"|rupture de stock|épuisé|indisponib(?:le|il)|agotado|sin existencias|esgotado|indisponível|fora de estoque|esaurito|uitverkocht"
    r"|slutsåld|udsolgt|utsolgt|niedostępny|vyprodáno|elfogyott|stoc epuizat|stokta yok|tükendi|loppu varastosta|אזל"
    r"|hết hàng|売り切れ|在庫なし|在庫切れ|缺货|缺貨|售罄|無貨|无货|품절)"
    r"|(?P<PreOrder>pre-?order|vorbestell|précommand|reserva anticipada|предзаказ)"
    r"|(?P<BackOrder>back-?order|под заказ|nachbestell)"
    rf"|(?P<InStock>\b{_HAD}|\Aavailable\Z)",
    re.IGNORECASE,
)
"""Words that say whether a product is to be had, by the names of schema.org; what is not to be had says so first."""
_AVAILABILITY_CHARS_MAX = 50
_STOCK_CLASSES = {"instock": "InStock", "outofstock": "OutOfStock", "onbackorder": "BackOrder"}
"""Names of elements around a headline by which shops say it."""
_SKU = pattern(
    r"(?:\bsku|артикул)\.?\s?(?:(?:[:#：]\s*#?|(?=\S*\d\S*\Z))(?P<sku>\w[\w./+-]{1,39}+(?!\s?:))|[:：]?\s?\Z)",
    re.IGNORECASE,
)
"""The SKU behind its label, or a label whose SKU is in the next text."""
_NO_SKU = pattern(r"(?:sku|артикул)\W{0,3}(?:n/a|none|-+)(?!\w)", re.IGNORECASE)
_SKU_VALUE = pattern(r"#?(?P<sku>(?=\S*\d)[\w./+-]{2,40})")
_NUMBER = pattern(
    r"(?:\b(?:art(?:ikk?el|icle)?\.?[-\s]?(?:nr|no|nummer|number)|item(?:\s(?:no|number|code))?|style\s(?:no|number)|product\s(?:code|id|no)"
    r"|(?:part|model)\s(?:no|number|(?=#))|produkt-?(?:nr|nummer)|best(?:ell)?-?\.?\s?(?:nr|nummer)|vare(?:nr|nummer)|tuote(?:numero|koodi)"
    r"|cikkszám|reference|référence|réf|referencia|ref|referência|c[oó]d(?:igo)?\.?(?:\sdo\sproduto)?|codice(?:\sprodotto)?|cod\sprodus"
    r"|k[oó]d(?:\sproduktu)?|kat(?:alogové|\.)\sčíslo|ürün\skodu|код\sтовар[ау]|κωδικός|mã(?:\s(?:sản\sphẩm|sp))?)"
    r"|品番|型番|商品コード|商品编号|商品編號|货号|貨號|상품코드)"
    r"(?:\.?\s?(?:[:：]|#\s?:?)|\.(?=\s?\S*\d|\Z))\s*#?(?:(?P<sku>(?=\S*\d)\w[\w./+-]{1,39})|\Z)",
    re.IGNORECASE,
)
"""Other numbers by which shops name their products."""
_NUMBER_VALUE = pattern(r"#?(?P<sku>(?=\S*\d)[\w./+-]{3,40})")
_BADGE = pattern(r"badge|label|tag|sticker", re.IGNORECASE)
"""Names of signs that some shops have on all pages, and hide on most."""
_WAITING = ("notify me", "email me when", "e-mail me when")
"""How the buttons of those begin who wait for a product that is not to be had."""
_CODE = pattern(r"\b[A-Z]{3}\b")
_CURRENCIES = {
    "$": {"us": "USD", "ca": "CAD", "au": "AUD", "nz": "NZD", "sg": "SGD", "hk": "HKD", "mx": "MXN", "ar": "ARS", "cl": "CLP", "co": "COP"},
    "kr": {"sv": "SEK", "se": "SEK", "da": "DKK", "dk": "DKK", "nb": "NOK", "nn": "NOK", "no": "NOK", "is": "ISK"},
    "¥": {"ja": "JPY", "jp": "JPY", "zh": "CNY", "cn": "CNY"},
    "Rs": {"in": "INR", "pk": "PKR", "lk": "LKR", "np": "NPR"},
}  # fmt: skip
"""Currencies of signs that several have, by the region, the language or the country of the host."""


def page_product(page: PageView) -> Product | None:
    """Return the product that a page describes or shows, with what it shows where its markup does not state it."""
    described = page.markup.described
    shown = described or Product(name=page.headline)
    if shown.price is None:
        price = shown_price(page.document, page.parts)
        if price is None and described is None:
            return None
        if price is not None:
            stated = [one.upper() for one in page.meta.get("currency", ())]
            currency = (
                price.currency
                or next(filter(_CODE.fullmatch, stated), None)
                or currency_of_sign(price.sign, page.language, page.host)
                or _only_code(page.texts, price.sign)
            )
            shown = msgspec.structs.replace(shown, price=price.number, price_currency=currency)
    if shown.price is None and page.markup.product is None:
        return None
    return msgspec.structs.replace(
        shown,
        availability=shown.availability or shown_availability(page.document, page.parts),
        sku=shown.sku or shown_sku(page.document, page.parts),
    )


def shown_price(document: Document, parts: PageParts) -> Price | None:
    """Return the price that a page shows of its product: the nearest to its headline, or that of all options.

    Args:
        document: The page of a product.
        parts: Its parts.
    """
    texts = document.segments.texts
    named = _named(document, parts)
    for segment in (*named, *_unnamed(document, parts)):
        price = price_to_pay(texts[segment])
        if price is not None:
            return price
    for segment in named:
        price = price_of_time(texts[segment])
        if price is not None:
            return price
    nodes = document.nodes
    options = set(types_with_tags(nodes.element_types, _OPTIONS))
    owners = nodes.element_type[document.segments.owner].tolist() if options else []
    prices = {price_in(texts[one]) for one, of in enumerate(owners) if of in options}
    prices = {one for one in prices if one is not None and one.is_beside_currency}
    return prices.pop() if len(prices) == 1 else None


def currency_of_sign(sign: str, language: str, host: str) -> str | None:
    """Return the currency that a sign means on a page, where several have it; None = not known.

    >>> currency_of_sign("$", "en-AU", ""), currency_of_sign("kr", "", "shop.example.dk")
    ('AUD', 'DKK')
    >>> currency_of_sign("$", "en", "shop.example.com") is None
    True

    Args:
        sign: A sign of `Price.sign`.
        language: Language tag of the page; empty = not known.
        host: Host of its address.
    """
    known = _CURRENCIES.get(sign.strip("."), {})
    names = (*reversed(language.lower().split("-")[:3]), host.rpartition(".")[2])
    return next((known[name] for name in names if name in known), None)


def _only_code(texts: list[str], sign: str) -> str | None:
    """Return the currency with a sign that a page names, if it names one only, and no choice of several."""
    known = frozenset(_CURRENCIES.get(sign.strip("."), {}).values())
    named = {code for text in texts if known for code in _CODE.findall(text) if code in known}
    return named.pop() if len(named) == 1 else None


def shown_availability(document: Document, parts: PageParts) -> str | None:
    """Return whether a product is to be had, as its page shows it: a name of schema.org; None = it does not say so."""
    nodes, node = document.nodes, int(document.segments.owner[parts.anchor])
    while node >= 0:
        for name in nodes.element_types[nodes.element_type[node]][1].lower().split():
            if name in _STOCK_CLASSES:
                return _STOCK_CLASSES[name]
        node = int(nodes.parent[node])
    for segment in _behind(document, parts):
        text, owner = document.segments.texts[segment], int(document.segments.owner[segment])
        match = _AVAILABILITY.search(text) if len(text) <= _AVAILABILITY_CHARS_MAX else None
        if match is None or _is_badge(document, segment) or parts.is_node_elsewhere(owner):
            continue
        return match.lastgroup
    return "InStock" if _may_be_bought(document, parts) else None


def _may_be_bought(document: Document, parts: PageParts) -> bool:
    """Return whether a page has a button to buy its product, and says nowhere that something is sold out."""
    is_offered = False
    for segment, text in enumerate(document.segments.texts):
        if len(text) <= BUTTON_CHARS_MAX and text.lower().startswith((*BUTTONS, *_WAITING)):
            if text.lower().startswith((*NO_OFFERS, *_WAITING)):
                return False
            is_near = segment in _behind(document, parts)
            is_offered = is_offered or (is_near and not parts.is_elsewhere(segment))
    return is_offered


def _is_badge(document: Document, segment: int) -> bool:
    nodes, segments = document.nodes, document.segments
    inline = range(int(segments.inline_from[segment]), int(segments.inline_to[segment]))
    around = (int(segments.owner[segment]), *inline[:_LEVELS])
    types = (nodes.element_types[nodes.element_type[one]] for one in around)
    return any(_BADGE.search(names) for _, names in types)


def shown_sku(document: Document, parts: PageParts) -> str | None:
    """Return the SKU of a product, as its page shows it behind a label; a label that says SKU is surer than others."""
    texts = document.segments.texts
    for label, value in ((_SKU, _SKU_VALUE), (_NUMBER, _NUMBER_VALUE)):
        for at in _behind(document, parts):
            match = label.search(texts[at]) if len(texts[at]) <= 2 * _CHARS_MAX else None
            if match and label is _SKU and _NO_SKU.search(texts[at], match.start()):
                return None
            if match and not match["sku"]:
                match = value.fullmatch(texts[at + 1].strip()) if at + 1 < len(texts) else None
            if match and not parts.is_node_elsewhere(int(document.segments.owner[at])):
                return match["sku"].rstrip(".")
    return None


def _behind(document: Document, parts: PageParts) -> range:
    return range(parts.anchor, min(parts.anchor + _BEHIND, len(document.segments.texts)))


def _named(document: Document, parts: PageParts) -> list[int]:
    """Return the segments near the headline in elements named after a price, the nearest first."""
    types = document.nodes.element_types
    named = [
        number
        for number in _STEMS.found_in_attributes(types)
        if any(map(_NAME.fullmatch, types[number][1].split()))
    ]
    elements = segments_within(document, named, _ELEMENTS_MAX, _TEXTS_MAX) if named else []
    segments = {
        segment
        for within in elements
        for segment in within
        if -_BEFORE <= segment - parts.anchor <= _BEHIND
        and shows_price(document.segments.texts[segment])
        and not _is_of_other(document, parts, segment)
    }
    return sorted(segments, key=parts.nearness)


def _unnamed(document: Document, parts: PageParts) -> Iterator[int]:
    """Yield the segments behind the headline that are little more than a price."""
    for segment in range(
        parts.anchor + 1, min(parts.anchor + _BEHIND_UNNAMED, len(document.segments.texts))
    ):
        text = document.segments.texts[segment]
        if (
            len(text) <= _CHARS_MAX
            and shows_price(text)
            and len(_LETTERS.findall(text)) <= _LETTERS_MAX
            and not _OTHER_TEXT.search(text)
            and not _is_of_other(document, parts, segment)
        ):
            yield segment


def _is_of_other(document: Document, parts: PageParts, segment: int) -> bool:
    """Return whether a segment is in a part of the page, or in elements, about another price."""
    nodes, node = document.nodes, int(document.segments.owner[segment])
    if nodes.element_types[nodes.element_type[node]][0] in _OPTIONS:
        return True
    is_of_shop, above = False, node
    for _ in range(_LEVELS):
        if above < 0:
            break
        names = nodes.element_types[nodes.element_type[above]][1]
        is_of_shop = is_of_shop or _SHOP.search(names) is not None
        if not _SHOP.search(names) and any(map(_NOT.fullmatch, names.split())):
            return True
        above = int(nodes.parent[above])
    return not is_of_shop and parts.is_node_elsewhere(node)
