"""Dates in markup and text, as RFC 3339 writes them.

A time without a zone is no point in time, so only its day is kept.
"""

import re
from datetime import UTC, date, datetime

from templ_core.patterns import pattern

_YEARS = range(1990, 2101)
_MONTH_NAMES = """
january jan januar januari janvier janv enero ene janeiro gennaio gen styczeń stycznia января январь янв leden ledna ocak januarie tammikuu tammikuuta ianuarie január
february feb februar februari février févr fév febrero fevereiro fev febbraio luty lutego февраля февраль фев únor února şubat helmikuu helmikuuta februarie február
march mar märz maart mars marzo março marzec marca марта март březen března mart maaliskuu maaliskuuta martie március
april apr avril avr abril abr aprile kwiecień kwietnia апреля апрель апр duben dubna nisan huhtikuu huhtikuuta aprilie április
may mai mei mayo maio maggio mag maj maja мая май květen května mayıs toukokuu toukokuuta május
june jun juni juin junio junho giugno giu czerwiec czerwca июня июнь июн červen června haziran kesäkuu kesäkuuta iunie június
july jul juli juillet juil julio julho luglio lug lipiec lipca июля июль июл červenec července temmuz heinäkuu heinäkuuta iulie július
august aug augustus août agosto ago sierpień sierpnia августа август авг srpen srpna ağustos elokuu elokuuta augusti augusztus
september sep sept septembre septiembre setembro set settembre wrzesień września сентября сентябрь сен září eylül syyskuu syyskuuta septembrie szeptember
october oct oktober okt octobre octubre outubro out ottobre ott październik października октября октябрь окт říjen října ekim lokakuu lokakuuta octombrie október
november nov novembre noviembre novembro listopad listopada ноября ноябрь ноя listopadu kasım marraskuu marraskuuta noiembrie
december dec dezember dez décembre déc diciembre dic dezembro dicembre grudzień grudnia декабря декабрь дек prosinec prosince aralık joulukuu joulukuuta decembrie
"""

_MONTHS = {
    name[:12]: number
    for number, names in enumerate(_MONTH_NAMES.strip().splitlines(), 1)
    for name in names.split()
}
"""Numbers of months, 1 to 12, by their names in lower case, cut to 12 letters."""
_YEAR = pattern(r"\d{4}")
_SPACED = pattern(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})")
_ZONE = pattern(r"\s*(?:UTC|GMT|Z)$|(?<=\d)\s+(?=[+-]\d\d:?\d\d$)")
_FRACTION = pattern(r"(:\d\d)[.,](\d+)")
_IN_PATH = pattern(r"/((?:19|20)\d\d)[/-]?(0[1-9]|1[0-2])[/-]?([0-2]\d|3[01])(?![0-9])")
_EAST_ASIAN = pattern(r"(\d{4})\s?[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일]?")
_NAMED = pattern(
    r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|º|\.)?,?\s+(?:de\s+|d[’'])?(?P<month>[^\W\d_]{3,12})\.?,?"
    r"\s+(?:de\s+|del\s+)?(?P<year>\d{4})"
    r"|(?P<month2>[^\W\d_]{3,12})\.?\s+(?P<day2>\d{1,2})(?:st|nd|rd|th)?,?\s+(?P<year2>\d{4})"
)
_GLUED = pattern(r".*[^\W\d_A-Z](?=[A-Z])")
"""What stands before the last capital inside a word, as where two elements follow without a blank."""
_CHANGE = pattern(
    r"\b(?:updated|modified|changed|edited|aktualisiert|geändert|bearbeitet|modifi|mis à jour|actualizado"
    r"|atualizado|aggiornato|gewijzigd|uppdaterad|opdateret|oppdatert|обновл|изменен|редакт)|更新|修改|最終",
    re.IGNORECASE,
)
_TIME_OF_DAY = pattern(
    r"(?:\b(?:at|um|à|a las|kl\.?)\s)?\s*\d{1,2}[:.h]\s?\d\d(?::\d\d)?(?:\s?[ap]\.?m\b\.?)?(?:\s(?:Uhr|[A-Z]{3,4}\b))?"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b,?",
    re.IGNORECASE,
)
_DOTTED = pattern(
    r"(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})(?!\d)|(?<![\d.])(\d\d)\.(\d\d)\s(\d{4})(?!\d)"
)
"""Days as most of Europe writes them; between the figures only points mean that the day is first."""
_NUMERIC = pattern(r"(?<!\d)(\d{1,2})([/-])(\d{1,2})\2(\d{4})(?!\d)")


def point_in_time(text: str) -> str | None:
    """Return a date of markup in RFC 3339, in UTC where it has a time; None where it is no date.

    Args:
        text: ISO 8601, RFC 2822, or the beginning of one with a day.

    >>> point_in_time("2024-03-01T10:00:00+01:00"), point_in_time("2024-03-01 10:00")
    ('2024-03-01T09:00:00Z', '2024-03-01')
    >>> point_in_time("yesterday") is None
    True
    """
    text = text.strip()
    if not 6 <= len(text) <= 60:
        return None
    moment = _iso(text) or _mail_date(text)
    return day_in_text(text) if moment is None else _written(moment)


def day_in_text(text: str) -> str | None:
    """Return the first day that a text names, as RFC 3339 writes days; None where it names none.

    Days are written with figures, or with the month's name in one of some twenty languages. Of a day
    and a month that may be exchanged (03/04/2024) neither is taken for the other: it is no day.

    >>> day_in_text("Updated March 4th, 2024 at noon"), day_in_text("4. März 2024")
    ('2024-03-04', '2024-03-04')
    >>> day_in_text("03/04/2024") is None
    True
    """
    if not _YEAR.search(text):
        return None
    for form in (_SPACED, _EAST_ASIAN):
        found = form.search(text)
        if found:
            return _day(found[1], found[2], found[3])
    for found in _NAMED.finditer(text):
        month = month_number(found["month"] or found["month2"])
        if month:
            return _day(found["year"] or found["year2"], month, found["day"] or found["day2"])
    found = _DOTTED.search(text)
    if found:
        return _day(found[3] or found[6], found[2] or found[5], found[1] or found[4])
    found = _NUMERIC.search(text)
    return _numeric_day(int(found[1]), int(found[3]), int(found[4])) if found else None


def published_day(text: str) -> str | None:
    """Return the first day that a text names before it speaks of a change of the page.

    >>> published_day("4 May 2020, updated on 6 May 2020")
    '2020-05-04'
    """
    return day_in_text(before_change(text)) if _YEAR.search(text) else None


def month_number(word: str) -> int | None:
    """Return the month that a word names, 1 to 12, or that is glued to its end; None = none.

    >>> month_number("März"), month_number("LeeMarch"), month_number("Marching")
    (3, 3, None)
    """
    return _MONTHS.get(word.lower()) or _MONTHS.get(_GLUED.sub("", word).lower())


def before_change(text: str) -> str:
    """Return the part of a text that comes before it speaks of a change of the page.

    >>> (
    ...     before_change("4 May 2020, updated on 6 May 2020"),
    ...     before_change("Last modified: 2014/06/10"),
    ... )
    ('4 May 2020, ', 'Last ')
    """
    found = _CHANGE.search(text)
    return text[: found.start()] if found else text


def is_prose(text: str) -> bool:
    """Return whether a text ends as a sentence does, so that a day in it need not be its page's.

    >>> is_prose("They met on 4 May 2020."), is_prose("Posted by Ann | 4 May 2020 | 3 comments")
    (True, False)
    """
    return text.rstrip("\"'”’»)").endswith((".", "!", "?", "…", ":", "。"))


def without_month(text: str) -> str:
    """Return a text without the name of a month at its end.

    >>> without_month("Ann Lee March"), without_month("Ann LeeMarch"), without_month("Ann Lee")
    ('Ann Lee', 'Ann Lee', 'Ann Lee')
    """
    head, _, last = text.rpartition(" ")
    if month_number(last) is None:
        return text
    glued = _GLUED.match(last)
    return f"{head} {glued[0] if glued else ''}".strip()


def without_days(text: str) -> str:
    """Return a text without days of the year, times of the day and weekdays.

    >>> without_days("Posted on Monday, June 10, 2004 at 8:15 pm by")
    'Posted on    by'
    """
    if _YEAR.search(text):
        for pattern in (_SPACED, _EAST_ASIAN, _NAMED, _DOTTED, _NUMERIC):
            text = pattern.sub("", text)
    return _TIME_OF_DAY.sub("", text)


def day_in_path(path: str) -> str | None:
    """Return the day in the path of an address, where it has one.

    >>> day_in_path("https://example.com/2024/03/04/council.html")
    '2024-03-04'
    """
    found = _IN_PATH.search(path)
    return _day(found[1], found[2], found[3]) if found else None


def _iso(text: str) -> datetime | date | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        whole = _FRACTION.sub(r"\1", text)
        zoned = _ZONE.sub(lambda zone: "+00:00" if zone[0].strip() else "", whole)
        return None if zoned == text else _iso(zoned)
    return moment.date() if len(text) <= 10 else moment


def _mail_date(text: str) -> datetime | None:
    if "," not in text and not text[:3].isalpha():
        return None
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - few pages need it, and it imports much

    try:
        return parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _written(moment: datetime | date) -> str | None:
    if moment.year not in _YEARS:
        return None
    if not isinstance(moment, datetime) or moment.tzinfo is None:
        return moment.isoformat()[:10]
    return moment.astimezone(UTC).isoformat(timespec="seconds")[:19] + "Z"


def _numeric_day(first: int, second: int, year: int) -> str | None:
    if first > 12 or first == second:
        return _day(year, second, first)
    return _day(year, first, second) if second > 12 else None


def _day(year: str | int, month: str | int, day: str | int) -> str | None:
    try:
        found = date(int(year), int(month), int(day))
    except ValueError:
        return None
    return found.isoformat() if found.year in _YEARS else None
