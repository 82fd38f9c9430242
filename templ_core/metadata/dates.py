"""Dates in markup and text, as RFC 3339 writes them.

A time without a zone is no point in time, so only its day is kept.
"""

import functools
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Literal, cast

from templ_core.metadata.month_names import MONTHS, MONTHS_OF
from templ_core.patterns import pattern

_YEARS = range(1990, 2101)
_YEAR = pattern(r"\d{4}")
MAY_BE_YEAR = pattern(
    r"\d{4}|[和成國国]\s?[\d元]|\d[./-]\s?\d{1,2}[./-]\s?\d|\d[\s./-]{1,2}[^\W\d_]{3,12}[\s./-]{1,2}['’]?\d\d(?!\d)|\s['’]\d\d(?!\d)"
)
"""Figures that may be a year; a text without them names no day."""
_DIRECTION = pattern("[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]")
_OTHER_FIGURE = pattern(r"(?![0-9])\d")
_ARABIC_MONTH = pattern(r"[ء-ي]+(?:\sال[ء-ي]+)?\s?/\s?(?=[ء-ي]{3})|(?<=كانون|تشرين)\s(?=ال)")
"""What is left out of a month in Arabic: the first of two names, and the blank in a name of two words."""
_SPACED = pattern(r"(?<!\d)(\d{4})\s?[-/.]\s?(\d{1,2})\s?[-/.]\s?(\d{1,2})(?!\d)")
_ZONE = pattern(r"\s*(?:UTC|GMT|Z)$|(?<=\d)\s+(?=[+-]\d\d:?\d\d$)|\[[\w/+-]+\]$")
_FRACTION = pattern(r"(:\d\d)[.,](\d+)")
_IN_PATH = pattern(r"/((?:19|20)\d\d)[/-]?(0[1-9]|1[0-2])[/-]?([0-2]\d|3[01])(?![0-9])")
_EAST_ASIAN = pattern(r"(\d{4})\s?[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일]?")
_WORD = r"(?:[^\W\d_](?:[^\s\d.,،;:|()/\[\]\"'’–—-]){1,24}(?:\.[^\W\d_]\.?)?|[ก-ฮ]\.[ก-ฮ]\.?)"
_BLANKS = r"[\s.,،/-]{1,4}"
_DAY = r"(?<!\d)(?P<day>\d{1,2})(?:st|nd|rd|th|er|[aeo]|[ήη]ς|-\w{1,3})?(?:\(a\))?[º°]?(?![^\W_])"
_YEAR_WORD = (
    r"(?:(?:(?:\(e\))?ko|m|г|р|ж|թ|gada|år|ng|يوم|سنة|عام|[cb]\.e|พ\.ศ|ค\.ศ|الموافق)\.?\s{0,2})?"
)
_OF = r"(?:(?:of(?:\sthe)?|de|del|di|da|ta['’]?|a|the|den|tháng)\s{1,2}|d['’]|ב)?"
_TIME = r"(?:\d\d:\d\d(?::\d\d)?\s(?:[+-]\d{4}\s|[A-Z]{3,4}\s)?)?"
_NO_YEAR = r"(?![\s.,]{1,3}\d{4})"
_FORMS = tuple(
    pattern(form, re.IGNORECASE)
    for form in (
        rf"{_DAY}{_BLANKS}{_OF}(?P<month>{_WORD}){_BLANKS}(?:de\s|del\s|of\s)?{_YEAR_WORD}(?P<year>\d{{4}})(?!\d)",
        rf"(?P<month>{_WORD}){_BLANKS}(?:the\s)?{_DAY}{_BLANKS}{_TIME}{_YEAR_WORD}(?P<year>\d{{4}})(?!\d)",
        rf"(?<!\d)(?P<year>\d{{4}})[\s.,]{{0,3}}{_YEAR_WORD}{_BLANKS}?(?P<month>{_WORD}){_BLANKS}{_DAY}{_NO_YEAR}",
        rf"(?<!\d)(?P<year>\d{{4}})[\s.,]{{0,3}}{_YEAR_WORD}{_DAY}{_BLANKS}(?P<month>{_WORD}){_NO_YEAR}",
    )
)
"""Days with the name of the month: day first, month first, and year first with the month or the day behind it."""
_SHORT_YEAR_CHARS_MAX = 80
"""Characters of the longest text in which two figures may be a year; a longer one has other numbers."""
_SHORT_FORMS = tuple(
    pattern(form, re.IGNORECASE)
    for form in (
        rf"{_DAY}[\s./-]{{1,2}}(?P<month>{_WORD})[\s.,/-]{{1,2}}['’]?(?P<year>\d\d)(?=\s*(?:\Z|[,|·•()–—]|\d\d?:\d\d|(?:at|um|by|von|por|par)\b))",
        rf"(?P<month>{_WORD})\s{_DAY},?\s['’](?P<year>\d\d)(?!\d)",
    )
)
_SHORT_FIGURES = pattern(r"(?<![\d./:-])(\d{1,2})([./-])\s?(\d{1,2})\2\s?(\d\d)(?![\w/:-]|\.\d)")
_SHORT_YEAR_FIRST = pattern(r"(?<![\d./:-])(\d\d)([./-])\s?(\d{1,2})\2\s?(\d{1,2})(?![\w/:-]|\.\d)")
_VERSION = pattern(r"(?:\bv|\bver|version|release|build|update|firmware)\W*\Z", re.IGNORECASE)
_YEAR_FIRST = frozenset(("eu", "hu", "ja", "ko", "lt", "mn", "zh"))
"""Languages in which the year comes first, also one of two figures."""
DayOrder = Literal["day", "month", ""]
"""What comes first in days of figures that end with the year; empty = not known."""
_FIGURES_MAX = 200
"""Characters of the longest text that shows the order."""
_MONTH_IN_PATH = pattern(r"/(?:19|20)\d\d[/-](0[1-9]|1[0-2])(?!\d)")
_DAY_FIRST_HOSTS = (".uk", ".au", ".nz", ".ie", ".in", ".za", ".sg", ".hk")
_MONTH_FIRST_HOSTS = (".us", ".gov", ".mil", ".edu")
_VIETNAMESE = pattern(
    r"(?<!\d)(\d{1,2}),?\s(?:tháng|thg)\s(\d{1,2}),?\s(?:năm\s)?(\d{4})(?!\d)", re.IGNORECASE
)
_ERA = pattern(r"(令和|平成|民國|民国)\s?(\d{1,3}|元)\s?年\s?(\d{1,2})\s?月\s?(\d{1,2})\s?日")
_ERA_BEGINS = {"令和": 2018, "平成": 1988, "民國": 1911, "民国": 1911}
_BASQUE_ENDING = "ren"
"""How the names of months end before a day."""
_BUDDHIST = 543
"""Years by which the calendar of Thailand is ahead."""
_GLUED = pattern(r".*[^\W\d_A-Z](?=[A-Z])")
"""What stands before the last capital inside a word, as where two elements follow without a blank."""
_CHANGE_WORDS = (
    r"\b(?:updated|modified|changed|edited|revised|reviewed|aktualisiert|geändert|bearbeitet|modifi|mis à jour|mise à jour"
    r"|actualizado|atualizado|aggiornato|gewijzigd|bijgewerkt|uppdaterad|opdateret|oppdatert|zaktualizowano|frissítve|güncel"
    r"|обновл|изменен|редакт|оновлен)|更新|修改|最終"
)
_CHANGE = pattern(_CHANGE_WORDS, re.IGNORECASE)
_OTHER_WORDS = (
    r"\b(?:(?:next|upcoming|coming|save the) \w+|events?|starts?|starting|begins?|ends?|until|expires?|deadline|due|valid|comment\w*"
    r"|repl(?:y|ied)|joined|registered|born|today|termin|beginn|veranstaltung|läuft|gültig|kommentar|antwort|événement|début|fin|évènement"
    r"|evento|inicio|comienza|comentario|respondió|agenda|wydarzenie|событие|комментар|heute|hoy|oggi|aujourd)\b"
)
_LABELS = pattern(
    rf"(?P<changed>{_CHANGE_WORDS})|(?P<other>{_OTHER_WORDS})"
    r"|(?P<published>\b(?:published|posted|created|written|issued|released|first|veröffentlicht|erschienen|erstellt|publi|postado"
    r"|opublikowano|geplaatst|gepubliceerd|publicerad|udgivet|publisert|опубликован|közzétéve)|発表|公開|发布|發布)",
    re.IGNORECASE,
)
"""Words that say what a day beside them is."""
_WORDS = pattern(r"[^\W\d_]{2,}")
_WORDS_AROUND_MAX = 3
"""Words beside a day, such as those of a byline or a category."""
_TELLS = pattern(
    r"\b(?:by|von|par|por|door|di|av|af|od|przez|publi\w*|posted|created|written|date|datum|fecha|data|veröffentlicht|erschienen|geplaatst)\b|:",
    re.IGNORECASE,
)
_TIME_OF_DAY = pattern(
    r"(?:\b(?:at|um|à|a las|kl\.?)\s)?\s*\d{1,2}[:.h]\s?\d\d(?::\d\d)?(?:\s?[ap]\.?m\b\.?)?(?:\s(?:Uhr|[A-Z]{3,4}\b))?"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b,?",
    re.IGNORECASE,
)
_DOTTED = pattern(r"(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})(?!\d)")
"""Days as most of Europe writes them; between the figures only points mean that the day is first."""
_SHORT_DOTTED = pattern(r"(?<![\d.])(\d\d)\.(\d\d)\s(\d{4})(?!\d)")
_FIGURES = (
    (_SPACED, 1, 2, 3), (_EAST_ASIAN, 1, 2, 3), (_DOTTED, 3, 2, 1), (_SHORT_DOTTED, 3, 2, 1), (_VIETNAMESE, 3, 2, 1),
)  # fmt: skip
"""Days of figures, with the numbers of the groups that are year, month and day."""
_DAY_FIRST = frozenset(("en-AU", "en-GB", "en-IE", "en-IN", "en-NZ", "en-ZA"))
"""Kinds of English in which the day comes first; many pages are said to be in American English that are not."""
NUMERIC = pattern(r"(?<!\d)(\d{1,2})([/-])(\d{1,2})\2(\d{4}|\d\d(?![/-]))(?!\d)")


def point_in_time(text: str, language: str = "") -> str | None:
    """Return a date of markup in RFC 3339, in UTC where it has a time; None where it is no date.

    Args:
        text: ISO 8601, RFC 2822, figures without anything between them, seconds or milliseconds since 1970,
            or a text that names a day.
        language: What `day_in_text` takes.

    >>> point_in_time("2024-03-01T10:00:00+01:00"), point_in_time("2024-03-01 10:00")
    ('2024-03-01T09:00:00Z', '2024-03-01')
    >>> point_in_time("1709283600"), point_in_time("20240301100000"), point_in_time("yesterday")
    ('2024-03-01T09:00:00Z', '2024-03-01', None)
    """
    text = text.strip()
    if not 6 <= len(text) <= 60:
        return None
    if len(text) > 8 and text.isascii() and text.isdecimal():
        return _of_figures(text)
    moment: datetime | date | None
    try:
        moment = datetime.fromisoformat(text)
        moment = moment.date() if len(text) <= 10 else moment
    except ValueError:
        moment = _of_other_form(text)
    if moment is None:
        return day_in_text(text, language)
    if moment.year not in _YEARS:
        return None
    if not isinstance(moment, datetime) or moment.tzinfo is None:
        return moment.isoformat()[:10]
    return moment.astimezone(UTC).isoformat(timespec="seconds")[:19] + "Z"


def day_in_text(text: str, language: str = "", order: DayOrder = "") -> str | None:
    """Return the first day that a text names, as RFC 3339 writes days; None where it names none.

    Days are written with figures, or with the name that the CLDR has for the month in one of some seventy
    languages. Of a day and a month that may be exchanged (03/04/2024) the day is first where the language is
    known and neither English nor American English; else neither is taken for the other: it is no day.

    Args:
        text: The text.
        language: Language tag of the text; empty = not known.
        order: What `day_order` returned for the page.

    >>> day_in_text("Updated March 4th, 2024 at noon"), day_in_text("4. März 2024")
    ('2024-03-04', '2024-03-04')
    >>> day_in_text("03/04/2024"), day_in_text("03/04/2024", "fr")
    (None, '2024-04-03')
    >>> day_in_text("12.03.26"), day_in_text("3/4/26", "", "month"), day_in_text("4 Mar '26")
    ('2026-03-12', '2026-03-04', '2026-03-04')
    """
    placed_day = _first_day(text, language, order)
    return None if placed_day is None else placed_day[1]


def day_order(texts: Iterable[str], language: str, host: str = "", path: str = "") -> DayOrder:
    """Return what comes first in the days of figures of a page, where it is known.

    A page writes all days in one form, so one in which a figure is above 12 shows the order of all. Else the month in the
    address, the country of the host or the language tells it.

    >>> day_order(["3/4/26", "25/3/26"], "en"), day_order([], "en", "a.example.uk")
    ('day', 'day')
    >>> day_order(["3/4/26"], "en", "", "/2026/03/locks"), day_order(["3/4/26"], "en-US")
    ('month', '')

    Args:
        texts: The texts of the page.
        language: Its language tag; empty = not known.
        host: Its host.
        path: The path of its address.
    """
    matches = [one for text in texts if len(text) <= _FIGURES_MAX and (one := NUMERIC.search(text))]
    pairs = [(int(one[1]), int(one[3])) for one in matches]
    is_day = any(first > 12 >= second for first, second in pairs)
    is_month = any(second > 12 >= first for first, second in pairs)
    if is_day == is_month and (month := _MONTH_IN_PATH.search(path)):
        is_day = any(second == int(month[1]) != first for first, second in pairs)
        is_month = any(first == int(month[1]) != second for first, second in pairs)
    if is_day == is_month:
        is_day = host.endswith(_DAY_FIRST_HOSTS) or _is_day_first(language)
        is_month = not is_day and host.endswith(_MONTH_FIRST_HOSTS)
    return "day" if is_day else "month" if is_month else ""


def _is_day_first(language: str) -> bool:
    return language in _DAY_FIRST or language.partition("-")[0] not in {"", "en", "fil"}


def _first_day(text: str, language: str, order: DayOrder) -> tuple[int, str] | None:
    """Return where the first day begins in a text, and the day."""
    if not text.isascii():
        text = _with_ascii_figures(text)
    if not MAY_BE_YEAR.search(text):
        return None
    first = None
    for at, day in _days_in(text, language, order or ("day" if _is_day_first(language) else "")):
        if day is not None and (first is None or (at, day) < first):
            first = at, day
    return first


def _days_in(text: str, language: str, order: DayOrder) -> list[tuple[int, str | None]]:
    """Return where days begin in a text, and the days, for each form the first; None for one that no calendar has."""
    days: list[tuple[int, str | None]] = []
    match: re.Match[str] | None
    for form in _FORMS:
        for match in form.finditer(text):
            if month := month_number(match["month"], language.partition("-")[0]):
                days.append((match.start(), _day(match["year"], month, match["day"])))
                break
    for form, year, month, day in _FIGURES:
        if match := form.search(text):
            days.append((match.start(), _day(match[year], match[month], match[day])))
    if (match := NUMERIC.search(text)) and len(match[4]) == 4:
        days.append((match.start(), _numeric_day(int(match[1]), int(match[3]), match[4], order)))
    if not days and len(text) <= _SHORT_YEAR_CHARS_MAX:
        days += _days_of_short_years(text, language.partition("-")[0], order)
    if not text.isascii() and (match := _ERA.search(text)):
        of_era = _ERA_BEGINS[match[1]] + (1 if match[2] == "元" else int(match[2]))
        days.append((match.start(), _day(of_era, match[3], match[4])))
    return days


def _days_of_short_years(
    text: str, language: str, order: DayOrder
) -> Iterator[tuple[int, str | None]]:
    """Yield where days with a year of two figures begin in a text, and the days."""
    for form in _SHORT_FORMS:
        for match in form.finditer(text):
            if month := month_number(match["month"], language):
                yield match.start(), _day(_year_of(match["year"]), month, match["day"])
    is_year_first = language in _YEAR_FIRST
    numbers = (_SHORT_YEAR_FIRST if is_year_first else _SHORT_FIGURES).search(text)
    if numbers and not _VERSION.search(text[: numbers.start()]):
        first, second, last = numbers[1], numbers[3], numbers[4]
        by_sign: DayOrder = "day" if numbers[2] == "." else order
        if is_year_first:
            yield numbers.start(), _day(_year_of(first), second, last)
        else:
            yield numbers.start(), _numeric_day(int(first), int(second), _year_of(last), by_sign)


def _year_of(figures: str) -> int:
    """Return the year from 1950 to 2049 that two figures stand for."""
    short = int(figures)
    return (2000 if short < 50 else 1900) + short


def _with_ascii_figures(text: str) -> str:
    """Return a text with ASCII figures, with one word for a month, and without marks of direction."""
    text = _ARABIC_MONTH.sub("", _DIRECTION.sub("", text))
    return _OTHER_FIGURE.sub(lambda found: str(int(found[0])), text)


def _of_figures(text: str) -> str | None:
    """Return the time that 10 or 13 figures count from 1970, or the day that 12 or 14 begin with."""
    if len(text) in {12, 14}:
        return _day(text[:4], text[4:6], text[6:8])
    if len(text) not in {10, 13}:
        return None
    moment = datetime.fromtimestamp(int(text[:10]), UTC)
    return f"{moment.isoformat()[:19]}Z" if moment.year in _YEARS else None


def published_day(text: str, language: str = "", order: DayOrder = "") -> str | None:
    """Return the first day that a text names before it speaks of a change of the page, see `day_in_text`.

    >>> published_day("4 May 2020, updated on 6 May 2020")
    '2020-05-04'
    >>> published_day("Updated: 6 May 2020. First published: 4 May 2020")
    '2020-05-04'
    """
    if not MAY_BE_YEAR.search(text):
        return None
    placed_day = _first_day(before_change(text), language, order)
    if placed_day is not None:
        return None if last_label(text[: placed_day[0]]) == "other" else placed_day[1]
    for label in _LABELS.finditer(text):
        if label.lastgroup == "published":
            return published_day(text[label.end() :], language, order)
    return None


def month_number(word: str, language: str = "") -> int | None:
    """Return the month that a word names, 1 to 12, or that is glued to its end; None = none.

    >>> month_number("März"), month_number("LeeMarch"), month_number("Marching")
    (3, 3, None)
    >>> month_number("listopada", "pl"), month_number("listopada", "hr")
    (11, 10)
    """
    for form in (word, _GLUED.sub("", word)):
        name = form.casefold().strip(".").removesuffix(_BASQUE_ENDING)
        month = MONTHS_OF.get(language, MONTHS).get(name) or MONTHS.get(name)
        if month:
            return month
    return None


def before_change(text: str) -> str:
    """Return the part of a text that comes before it speaks of a change of the page.

    >>> (
    ...     before_change("4 May 2020, updated on 6 May 2020"),
    ...     before_change("Last modified: 2014/06/10"),
    ... )
    ('4 May 2020, ', 'Last ')
    """
    match = _CHANGE.search(text)
    return text[: match.start()] if match else text


def last_label(before: str) -> Literal["published", "changed", "other", ""]:
    """Return what the last words before a day say about it; empty where they say nothing.

    >>> last_label("Posted by Ann, updated"), last_label("Next event:"), last_label("By Ann")
    ('changed', 'other', '')
    """
    label: Literal["published", "changed", "other", ""] = ""
    for match in _LABELS.finditer(before):
        label = cast("Literal['published', 'changed', 'other']", match.lastgroup)
    return label


def is_prose(text: str) -> bool:
    """Return whether a text ends as a sentence does and is more than a day, so that a day in it need not be its page's.

    >>> is_prose("They met on 4 May 2020."), is_prose("Posted by Ann | 4 May 2020 | 3 comments")
    (True, False)
    >>> is_prose("2020. május 4."), is_prose("Published 4 May 2020.")
    (False, False)
    """
    ends_so = text.rstrip("\"'”’»)").endswith((".", "!", "?", "…", ":", "。"))
    return ends_so and len(_WORDS.findall(without_days(text))) > 1


def tells_of_day(text: str) -> bool:
    """Return whether a text is little more than a day, or says that it is one of publication.

    >>> (
    ...     tells_of_day("Monday, 4 May 2020 | News"),
    ...     tells_of_day("Conference of the boats, 4 May 2020"),
    ... )
    (True, False)
    >>> tells_of_day("Posted by Ann Lee in News on 4 May 2020")
    True
    """
    around = _WORDS.findall(without_days(text))
    return len(around) <= _WORDS_AROUND_MAX or _TELLS.search(text) is not None


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
        for pattern in (*_FORMS, *(one[0] for one in _FIGURES), NUMERIC):
            text = pattern.sub("", text)
    return _TIME_OF_DAY.sub("", text)


@functools.lru_cache(1 << 6)
def day_behind(day: str, days: int = 1) -> str | None:
    """Return the day that is a number of days after another; None where that is no day.

    >>> day_behind("2024-02-28")
    '2024-02-29'
    """
    try:
        return (date.fromisoformat(day) + timedelta(days)).isoformat()
    except (ValueError, OverflowError):
        return None


def day_in_path(path: str) -> str | None:
    """Return the day in the path of an address, where it has one.

    >>> day_in_path("https://example.com/2024/03/04/council.html")
    '2024-03-04'
    """
    match = _IN_PATH.search(path)
    return _day(match[1], match[2], match[3]) if match else None


def _of_other_form(text: str) -> datetime | None:
    """Return a time that is not quite ISO 8601, or that of a mail."""
    whole = _FRACTION.sub(r"\1", text)
    zoned = _ZONE.sub(lambda zone: "+00:00" if zone[0].strip().isalpha() else "", whole)
    if zoned != text:
        try:
            return datetime.fromisoformat(zoned)
        except ValueError:
            pass
    if "," not in text and not text[:3].isalpha():
        return None
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - few pages need it, and it imports much

    try:
        return parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _numeric_day(first: int, second: int, year: str | int, order: DayOrder) -> str | None:
    if first > 12 or first == second or (order == "day" and second <= 12):
        return _day(year, second, first)
    return _day(year, first, second) if second > 12 or order == "month" else None


def _day(year: str | int, month: str | int, day: str | int) -> str | None:
    if int(year) - _BUDDHIST in _YEARS:
        year = int(year) - _BUDDHIST
    try:
        calendar_day = date(int(year), int(month), int(day))
    except ValueError:
        return None
    return calendar_day.isoformat() if calendar_day.year in _YEARS else None
