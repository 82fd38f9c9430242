"""Prices in texts: the number that stands beside a currency, as a decimal number with a point.

price-parser takes the first number of a text, and a point before three figures for that of thousands.
"""

import re
from typing import NamedTuple

from templ_core.patterns import pattern

_PLAIN_NUMBER = pattern(r"[0-9]{1,12}(?:\.[0-9]{1,6})?")
_TEXT_CHARS_MAX = 200
"""Characters of the longest text that is a price."""
_NUMBER = pattern(r"\d+(?:[.,'’]\d+|[ \u00a0\u2009\u202f]\d{3}(?!\d))*")
_CENTS = (
    (pattern(r"(?<=\d)\^(?=\d\d(?!\d))"), "."),
    (pattern(r"(?<![\d.,])(\d+)\s?([€£])(\d\d)(?![\d.,])"), r"\1.\3 \2"),
    (pattern(r"(?<=\d)\s\.(?=\d\d\Z)"), "."),
    (pattern(r"([$€£]\s?\d+)\s(?=\d\d\Z)"), r"\1."),
    (pattern(r"(?<![\d.,])\.(?=\d\d(?!\d))"), "0."),
    (pattern(r"(?<![\d.,])(\d\d)p(?!\w)"), r"£0.\1"),
    (pattern(r"(?<![\d.,])(\d\d)\s?¢"), r"$0.\1"),
    (pattern(r"\b(US|CA|AU|NZ|HK|NT|MX)\s\$(?=\s?\d)"), r"\1$"),
    (pattern(r"\b(USD|CAD|AUD|NZD|HKD|SGD|TWD|MXN)\s?\$\s?(?=\d)"), r"\1 "),
)
"""Decimals that are raised, that stand behind the sign, or that stand alone, parts of a pound or a dollar, and signs
beside the name of their country; and their usual form."""
_THREE_DECIMALS = "BHD IQD JOD KWD LYD OMR TND"
"""Currencies with a thousand parts (ISO 4217)."""
_CODES = (
    "AED AMD ARS AUD AZN BDT BGN BOB BRL BYN CAD CHF CLP CNY COP CRC CZK DKK DZD EGP EUR GBP GHS GTQ HKD HRK HUF IDR ILS INR ISK JPY"
    " KES KRW KZT LBP LKR MAD MDL MKD MXN MYR NGN NOK NPR NZD PEN PHP PKR PLN PYG QAR RON RSD RUB SAR SEK SGD THB TRY TWD TZS UAH UGX"
    f" USD UYU UZS VND XAF XOF ZAR {_THREE_DECIMALS}"
)
_CURRENCY = (
    r"(?:\b(?:R|US|AU?|CA?|NZ|HK|NT|MX|S)\$|\bS/\.?|[$€£¥￥₹₽₩₺₴₫฿₪₦₱₡₲₸₼₾]"
    rf"|\b(?:{_CODES.replace(' ', '|')}|kr|Rs|zł|Kč|Ft|lei|din|RM|R|KD|SFr|Fr|Rp|Tk|KSh|Ksh|TL|Dhs|đ|[Ee]uros?)\b\.?"
    r"|лв|руб|грн|р\.|ر\.س|د\.إ|د\.ك|元|円|원|บาท|:-)"
)
_SIGN = (
    rf"(?:[$€£¥￥₹₽₩₺₴₫฿₪₦₱₡₲₸₼₾]|(?<![^\W\d_])(?:{_CODES.replace(' ', '|')}|kr|Rs|zł|Kč|Ft|lei|RM|Rp|Tk|KSh|Ksh|TL|Dhs)(?![^\W\d_])"
    r"|лв|руб|грн|р\.|ر\.س|د\.إ|د\.ك|元|円|원|:-|(?<![^\W\d_])SFr(?![^\W\d_]))"
)
"""Currencies whose signs no other words have."""
_FIGURE = pattern(r"\d")
_FRANCS = r"(?<![^\W\d_])Fr\.?\s?\d[\d'’]*[.,](?:[-–—]|\d\d(?![\d:.]|\s?(?:Uhr|h\b|[-–—])))|\d[.,](?:[-–—]{1,2}|\d\d)\s?Fr(?!\.?\s?\d)(?![^\W\d_])"
"""Swiss prices, whose sign is Friday in German."""
_SHOWN = pattern(rf"{_SIGN}\.?\s?\.?\d|\d(?:[.,][-–—]{{1,2}})?\s?{_SIGN}|{_FRANCS}")
_CURRENCY_BEFORE = pattern(rf"(?P<currency>{_CURRENCY})\s{{0,2}}\Z")
_CURRENCY_BEHIND = pattern(rf"(?:[.,][-–—]{{1,2}})?\s{{0,2}}(?P<currency>{_CURRENCY})")
_RANGE = pattern(r"\s{0,2}[-–—]\s{0,2}(?:[$€£]\s?)?\Z")
_CURRENCY_OF = {
    "R$": "BRL",
    "US$": "USD",
    "A$": "AUD",
    "AU$": "AUD",
    "C$": "CAD",
    "CA$": "CAD",
    "NZ$": "NZD",
    "HK$": "HKD",
    "NT$": "TWD",
    "MX$": "MXN",
    "S$": "SGD",
    "S/": "PEN",
    "R": "ZAR",
    "€": "EUR",
    "£": "GBP",
    "₹": "INR",
    "₽": "RUB",
    "₩": "KRW",
    "₺": "TRY",
    "₴": "UAH",
    "₫": "VND",
    "zł": "PLN",
    "Kč": "CZK",
    "Ft": "HUF",
    "₪": "ILS",
    "₱": "PHP",
    "₦": "NGN",
    "฿": "THB",
    "บาท": "THB",
    "đ": "VND",
    "円": "JPY",
    "원": "KRW",
    **dict.fromkeys(("euro", "euros", "Euro", "Euros"), "EUR"),
    "₸": "KZT",
    "₼": "AZN",
    "лв": "BGN",
    "грн": "UAH",
    "руб": "RUB",
    "Rp": "IDR",
    "Tk": "BDT",
    "KSh": "KES",
    "Ksh": "KES",
    "TL": "TRY",
    "RM": "MYR",
    "lei": "RON",
    ":-": "SEK",
    "KD": "KWD",
    "Fr": "CHF",
    "SFr": "CHF",
}
"""Currencies by signs that mean no other one."""
_SHARED = frozenset(("$", "¥", "kr", "Rs"))
"""Signs that several currencies have."""
_OF_A_PART = pattern(
    rf"\(?{_CURRENCY}?\s?\d[\d.,]*\s?{_CURRENCY}?\s?(?:/|per\b|pro\b)\s?(?!stk|stück|шт|pc|item|ea)\w+\)?"
    rf"|(?:save|you save|sie sparen|économisez|ahorr\w+|off|rabatt)\W{{0,3}}{_CURRENCY}?\s?\d[\d.,]*\s?{_CURRENCY}?"
    rf"|{_CURRENCY}?\s?\d[\d.,]*\s?{_CURRENCY}?\s(?:off|discount|saved)\b",
    re.IGNORECASE,
)
"""The price of an amount or of some time, and what somebody saves."""
_OF_TIME = pattern(
    r"\d\s?(?:[$€£]|[A-Za-z.]{2,4})?\s?(?:/|\bper\b|\bpro\b|\bpar\b|\bpor\b|\bal\b|\ba\b|\bp)\s?(?:mo(?:nth|nat|is)?|m|mes|mês|mese|maand|mån(?:ad)?|měsíc|мес\w*"
    r"|y(?:ea)?r|jahr|an|año|ano|anno|jaar|år|week|woche|day|tag|jour|día|night|nacht|nuit)\b",
    re.IGNORECASE,
)
_GROUPS = pattern(r"[ \u00a0\u2009\u202f'’]")
_OTHER_SCRIPT = pattern(r"(?![0-9])\d")


class Price(NamedTuple):
    """A price in a text."""

    number: str
    """A decimal number with a point."""
    currency: str | None
    """Three capitals (ISO 4217); None = no currency, or one whose sign others have, too."""
    is_beside_currency: bool
    sign: str = ""
    """The currency as the text has it."""


def shows_price(text: str) -> bool:
    """Return whether a text has a figure beside a currency.

    >>> shows_price("Now only $ 12.50"), shows_price("12 pieces")
    (True, False)
    """
    return _FIGURE.search(text) is not None and _SHOWN.search(text) is not None


def price_number(text: str) -> str | None:
    """Return a price as a decimal number with a point, or None.

    >>> price_number("1.299,00 €"), price_number("$1,299"), price_number("on request")
    ('1299.00', '1299', None)
    >>> price_number("£0.350"), price_number("2 pairs from $349"), price_number("-20% 15,99 €")
    ('0.350', '349', '15.99')
    """
    if _PLAIN_NUMBER.fullmatch(text):
        return text
    price = price_in(text)
    return price.number if price else None


def price_in(text: str) -> Price | None:
    """Return the first price beside a currency in a text, else the first number that is no share and not negative."""
    prices = prices_in(text)
    beside = (one for one in prices if one.is_beside_currency)
    return next(beside, prices[0] if prices else None)


def price_of_time(text: str) -> Price | None:
    """Return the first price beside a currency in a text that says for which time it is to pay: a month, a year.

    >>> price_of_time("$49.90/month").number, price_of_time("€ 4,00 / 100 g")
    ('49.90', None)
    """
    priced = (one for one in prices_in(text) if one.is_beside_currency)
    return next(priced, None) if _OF_TIME.search(text) else None


def price_to_pay(text: str) -> Price | None:
    """Return the price beside a currency that is to pay: the lowest, since a former price stands beside the one of a sale.

    What is saved and the price of a part do not count.

    >>> (
    ...     price_to_pay("€ 50,00 € 40,00 (€ 4,00 / 100 g)").number,
    ...     price_to_pay("You save $5, now $20").number,
    ... )
    ('40.00', '20')
    """
    whole = _OF_A_PART.sub(" ", text)
    priced = [one for one in prices_in(whole) if one.is_beside_currency and float(one.number) > 0]
    same = [one for one in priced if one.currency == priced[0].currency]
    return min(same, key=lambda one: float(one.number), default=None)


def prices_in(text: str) -> list[Price]:
    """Return the numbers of a text that are no share and not negative, but one for each range, and those of a long text not at all."""
    if len(text) > _TEXT_CHARS_MAX:
        return []
    if not text.isascii():
        text = _OTHER_SCRIPT.sub(lambda one: str(int(one[0])), text)
        text = text.replace("٫", ".").replace("٬", ",").replace("￥", "¥")
    for form, usual in _CENTS:
        text = form.sub(usual, text)
    prices: list[Price] = []
    last_end, last_number = -1, ""
    for match in _NUMBER.finditer(text):
        before, behind = text[: match.start()], text[match.end() :]
        is_of_range = last_end >= 0 and _RANGE.fullmatch(text[last_end : match.start()])
        sign = _CURRENCY_BEFORE.search(before)
        named = _CURRENCY_BEHIND.match(behind)
        # In "$12.50 CAD" the sign is that of several currencies, and the code is of one.
        if sign is None or (named and named["currency"] in _CODES and sign["currency"] in _SHARED):
            sign = named
        is_negative = before.endswith(("-", "−")) and not is_of_range
        if behind.lstrip().startswith("%") or (is_negative and sign is None):
            last_end = -1
            continue
        currency = sign["currency"].strip(".") if sign else ""
        number = _decimal(last_number if is_of_range else match[0], currency)
        if number is not None:
            if is_of_range and prices:
                prices.pop()
            code = _CURRENCY_OF.get(currency) or (currency if currency in _CODES.split() else None)
            prices.append(Price(number, code, sign is not None, currency))
        last_end, last_number = match.end(), match[0]
    return prices


def _decimal(number: str, currency: str) -> str | None:
    """Return a number with a point before its decimals, however its thousands are set apart."""
    number = _GROUPS.sub("", number)
    points = [at for at, one in enumerate(number) if one in ".,"]
    if points:
        last, mark = points[-1], number[points[-1]]
        decimals = len(number) - last - 1
        is_thousands = number.count(mark) > 1 or (
            decimals == 3 and len(points) == 1 and last <= 3 and not number.startswith("0")
        )
        if is_thousands and currency not in {"KD", *_THREE_DECIMALS.split()}:
            last = len(number)
        whole = re.sub("[.,]", "", number[:last])
        number = f"{whole}.{number[last + 1 :]}" if last < len(number) else whole
    return number if _PLAIN_NUMBER.fullmatch(number) else None
