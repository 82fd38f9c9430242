"""Prices in texts: the number that stands beside a currency, as a decimal number with a point.

price-parser takes the first number of a text, and a point before three figures for that of thousands.
"""

import re
from typing import NamedTuple

import numpy as np

from templ_core.dom.document import Document
from templ_core.metadata._scans import segments_within, types_with_tags
from templ_core.metadata.page_parts import PageParts
from templ_core.page_level.features._stems import Stems
from templ_core.patterns import pattern

_PLAIN_NUMBER = pattern(r"[0-9]{1,12}(?:\.[0-9]{1,6})?")
_TEXT_CHARS_MAX = 200
"""Characters of the longest text that is a price."""
_NUMBER = pattern(r"\d+(?:[.,'’]\d+|[ \u00a0\u2009\u202f]\d{3}(?!\d))*")
_THREE_DECIMALS = "BHD IQD JOD KWD LYD OMR TND"
"""Currencies with a thousand parts (ISO 4217)."""
_CODES = (
    "AED ARS AUD BGN BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR JPY KRW MXN MYR NOK NZD PEN PHP PKR"
    f" PLN RON RSD RUB SAR SEK SGD THB TRY TWD UAH USD VND ZAR {_THREE_DECIMALS}"
)
_CURRENCY = (
    rf"(?:[$€£¥₹₽₩₺₴₫฿₪₦₱₡₲₸₼₾]|\b(?:{_CODES.replace(' ', '|')}|kr|Rs|zł|Kč|Ft|lei|din|RM|R|KD|SFr|Fr)\b\.?"
    r"|лв|руб|грн|р\.|ر\.س|د\.إ|د\.ك|元|円|원)"
)
_SIGN = rf"(?:[$€£¥₹₽₩₺₴₫฿₪₦₱₡₲₸₼₾]|\b(?:{_CODES.replace(' ', '|')}|kr|Rs|zł|Kč|Ft|RM)\b|руб|грн|元|円|원)"
"""Currencies whose signs no other words have."""
_FIGURE = pattern(r"\d")
_SHOWN = pattern(rf"{_SIGN}\.?\s?\d|\d\s?{_SIGN}")
_CURRENCY_BEFORE = pattern(rf"(?P<currency>{_CURRENCY})\s{{0,2}}\Z")
_CURRENCY_BEHIND = pattern(rf"(?:[.,][-–—]{{1,2}})?\s{{0,2}}(?P<currency>{_CURRENCY})")
_RANGE = pattern(r"\s{0,2}[-–—]\s{0,2}(?:[$€£]\s?)?\Z")
_CURRENCY_OF = {
    "€": "EUR",
    "£": "GBP",
    "₹": "INR",
    "₽": "RUB",
    "₩": "KRW",
    "₺": "TRY",
    "₴": "UAH",
    "₫": "VND",
    "zł": "PLN",
}
"""Currencies by signs that mean no other one."""
_GROUPS = pattern(r"[ \u00a0\u2009\u202f'’]")
_OTHER_SCRIPT = pattern(r"(?![0-9])\d")


class Price(NamedTuple):
    """A price in a text."""

    number: str
    """A decimal number with a point."""
    currency: str | None
    """Three capitals (ISO 4217); None = no currency, or one whose sign others have, too."""
    is_beside_currency: bool


def shows_price(text: str) -> bool:
    """Return whether a text has a figure beside a currency.

    >>> shows_price("Now only $ 12.50"), shows_price("12 pieces")
    (True, False)
    """
    return _FIGURE.search(text) is not None and _SHOWN.search(text) is not None


def price_number(text: str) -> str | None:
    """Return a price as a decimal number with a point; None where there is none.

    >>> price_number("1.299,00 €"), price_number("$1,299"), price_number("on request")
    ('1299.00', '1299', None)
    >>> price_number("£0.350"), price_number("2 pairs from $349"), price_number("-20% 15,99 €")
    ('0.350', '349', '15.99')
    """
    if _PLAIN_NUMBER.fullmatch(text):
        return text
    found = price_in(text)
    return found.number if found else None


def price_in(text: str) -> Price | None:
    """Return the first price beside a currency in a text, else the first number that is no share and not negative."""
    if len(text) > _TEXT_CHARS_MAX:
        return None
    if not text.isascii():
        text = _OTHER_SCRIPT.sub(lambda one: str(int(one[0])), text)
        text = text.replace("٫", ".").replace("٬", ",")
    first, last_end, last_number = None, -1, ""
    for found in _NUMBER.finditer(text):
        before, behind = text[: found.start()], text[found.end() :]
        is_of_range = last_end >= 0 and _RANGE.fullmatch(text[last_end : found.start()])
        sign = _CURRENCY_BEFORE.search(before) or _CURRENCY_BEHIND.match(behind)
        is_negative = before.endswith(("-", "−")) and not is_of_range
        if behind.lstrip().startswith("%") or (is_negative and sign is None):
            last_end = -1
            continue
        currency = sign["currency"].strip(".") if sign else ""
        number = _decimal(last_number if is_of_range else found[0], currency)
        if number is not None and sign is not None:
            code = _CURRENCY_OF.get(currency) or (currency if currency in _CODES.split() else None)
            return Price(number, code, is_beside_currency=True)
        if number is not None and first is None:
            first = Price(number, None, is_beside_currency=False)
        last_end, last_number = found.end(), found[0]
    return first


def _decimal(number: str, currency: str) -> str | None:
    """Return a number with a point before its decimals, however its thousands are set apart."""
    number = _GROUPS.sub("", number)
    points = [at for at, one in enumerate(number) if one in ".,"]
    if points:
        last, one = points[-1], number[points[-1]]
        decimals = len(number) - last - 1
        is_thousands = number.count(one) > 1 or (
            decimals == 3 and len(points) == 1 and last <= 3 and not number.startswith("0")
        )
        if is_thousands and currency not in {"KD", *_THREE_DECIMALS.split()}:
            last = len(number)
        whole = re.sub("[.,]", "", number[:last])
        number = f"{whole}.{number[last + 1 :]}" if last < len(number) else whole
    return number if _PLAIN_NUMBER.fullmatch(number) else None


_NAME = pattern(
    r"(?:.*[-_])?(?:prices?|preise?|prix|precios?|prezzo|cena|pris)(?:[-_].*)?|\w*[Pp]rice",
    re.IGNORECASE,
)
_NOT = pattern(
    r"old|was|regular|list|compare|strike|before|msrp|rrp|uvp|shipping|unit|range|filter|sav(?:e|ing)|cross|from-price|discount",
    re.IGNORECASE,
)
"""Names of elements with another price than that to pay."""
_STEMS = ("pri", "prezzo", "cena", "preis", "precio")
_OPTIONS = frozenset(("option",))
_ELEMENTS_MAX = 12
_TEXTS_MAX = 4


def shown_price(document: Document, parts: PageParts) -> Price | None:
    """Return the price that a page shows of its product: the nearest to its headline, or that of all options.

    Args:
        document: The page of a product.
        parts: Its parts.
    """
    types = document.nodes.element_types
    named = [
        number
        for number in Stems(_STEMS).found_in_attributes(types)
        if any(map(_NAME.fullmatch, types[number][1].split())) and not _NOT.search(types[number][1])
    ]
    texts = document.segments.texts
    elements = segments_within(document, named, _ELEMENTS_MAX, _TEXTS_MAX) if named else []
    own = [one for one in elements if one and not parts.is_elsewhere(one[0])]
    for within in sorted(own, key=lambda one: parts.nearness(one[0])):
        found = price_in(" ".join(texts[one] for one in within))
        if found is not None and found.is_beside_currency:
            return found
    options = np.isin(
        document.nodes.element_type[document.segments.owner], types_with_tags(types, _OPTIONS)
    )
    prices = {price_in(texts[one]) for one in options.nonzero()[0].tolist()}
    prices = {one for one in prices if one is not None and one.is_beside_currency}
    return prices.pop() if len(prices) == 1 else None
