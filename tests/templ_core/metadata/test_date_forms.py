"""Forms of dates: those that the CLDR has for the languages of most pages, and those of reports."""

from datetime import date

import pytest
from babel import Locale
from babel.dates import format_date

from templ_core.dom.document import parse_document
from templ_core.metadata.dates import (
    day_behind,
    day_in_text,
    is_prose,
    last_label,
    point_in_time,
    published_day,
)
from templ_core.metadata.markup import PageMarkup
from templ_core.metadata.month_names import MONTHS, MONTHS_OF
from templ_core.metadata.page_metadata import read_metadata

DAY = date(2026, 3, 4)
LOCALES = (
    *("en", "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "cs", "tr", "fi", "ro", "sv", "da", "nb", "hu", "el", "uk"),
    *("bg", "sr", "sr_Latn", "hr", "sl", "sk", "lt", "lv", "et", "ca", "gl", "eu", "id", "ms", "vi", "th", "ar", "he"),
    *("hi", "bn", "mr", "ta", "te", "ur", "fa", "ka", "hy", "az", "kk", "be", "mk", "sq", "is", "ga", "cy", "af", "sw"),
    *("fil", "de_AT", "en_AU", "ja", "ko", "zh"),
)  # fmt: skip
OF_REPORTS = [
    ("en", "Wednesday, 4th of March 2026"), ("en", "the 4th of March, 2026"), ("en", "2026 March 4"), ("en", "4-Mar-2026"),
    ("en", "March 4th 2026"), ("en", "MARCH 4, 2026"), ("en", "Wed Mar 04 10:00:00 +0000 2026"),
    ("en", "Wed Mar 04 2026 10:00:00 GMT+0100"), ("en", "1772618400"), ("en", "1772618400000"), ("en", "20260304100000"),
    ("en", "202603041000"), ("en", "2026/3/4"), ("de", "4. Mrz 2026"), ("de", "4.3.2026"), ("fr", "04/03/2026"),
    ("hu", "2026. március 4-én"), ("hu", "2026.03.04."), ("ko", "2026. 3. 4."), ("ja", "令和8年3月4日"),
    ("zh", "民國115年3月4日"), ("zh", "2026 年 3 月 4 日"), ("ja", "２０２６年３月４日"), ("th", "4 มีนาคม 2569"),
    ("th", "4 มี.ค. 2569"), ("ar", "٤ مارس ٢٠٢٦"), ("ar", "4 آذار 2026"), ("hi", "४ मार्च २०२६"), ("fa", "۴ مارس ۲۰۲۶"),
    ("vi", "ngày 4 tháng 3 năm 2026"), ("es", "4 de marzo del 2026"), ("es", "04-03-2026"), ("he", "4 במרץ 2026"),
    ("de", "04.03.26"), ("", "4.3.26"), ("de", "Mittwoch, 04.03.26, 10:15 Uhr"), ("en-GB", "4/3/26"), ("en-GB", "By Ann Lee, 04/03/26 10:20"),
    ("nl", "04-03-26"), ("es", "4/3/26"), ("ko", "26. 3. 4."), ("zh", "26-3-4"), ("en", "4 Mar 26"), ("en", "04-Mar-26"),
    ("en", "March 4, '26"), ("en", "4 March ’26, 10:00"), ("de", "4. März 26"),
]  # fmt: skip


TWO_WORDS = {"ga": {9, 10}}
"""Months whose names are of two words, and not read."""
DECLINED = {
    "sr-Latn": "januara februara marta aprila maja juna jula avgusta septembra oktobra novembra decembra",
    "sr": "јануара фебруара марта априла маја јуна јула августа септембра октобра новембра децембра",
    "sl": "januarja februarja marca aprila maja junija julija avgusta septembra oktobra novembra decembra",
    "hr": "siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada studenog prosinca",
    "lv": "janvārī februārī martā aprīlī maijā jūnijā jūlijā augustā septembrī oktobrī novembrī decembrī",
    "el": "ΙΑΝΟΥΑΡΙΟΥ ΦΕΒΡΟΥΑΡΙΟΥ ΜΑΡΤΙΟΥ ΑΠΡΙΛΙΟΥ ΜΑΪΟΥ ΙΟΥΝΙΟΥ ΙΟΥΛΙΟΥ ΑΥΓΟΥΣΤΟΥ ΣΕΠΤΕΜΒΡΙΟΥ ΟΚΤΩΒΡΙΟΥ ΝΟΕΜΒΡΙΟΥ ΔΕΚΕΜΒΡΙΟΥ",
    "th": "ม.ค. ก.พ. มี.ค. เม.ย. พ.ค. มิ.ย. ก.ค. ส.ค. ก.ย. ต.ค. พ.ย. ธ.ค.",
    "ar": "كانون_الثاني شباط آذار نيسان أيار حزيران تموز آب أيلول تشرين_الأول تشرين_الثاني كانون_الأول",
    "ar-LB": "كانون_الثاني/يناير شباط/فبراير آذار/مارس نيسان/أبريل أيار/مايو حزيران/يونيو تموز/يوليو آب/أغسطس أيلول/سبتمبر تشرين_الأول/أكتوبر"
    " تشرين_الثاني/نوفمبر كانون_الأول/ديسمبر",
    "hi": "जनवरी फरवरी मार्च अप्रैल मई जून जुलाई अगस्त सितम्बर अक्तूबर नवम्बर दिसम्बर",
    "bn": "জানুয়ারি ফেব্রুয়ারি মার্চ এপ্রিল মে জুন জুলাই আগস্ট সেপ্টেম্বর অক্টোবর নভেম্বর ডিসেম্বর",
    "uk": "січ лют бер кві тра чер лип сер вер жов лис гру",
    "fr": "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
    "de-AT": "Jänner Feber März April Mai Juni Juli August September Oktober November Dezember",
}
"""Names of months that pages write and the CLDR does not have: declined, in capitals without accents, of several words."""


@pytest.mark.parametrize("form", ["full", "long", "medium"])
@pytest.mark.parametrize("locale", LOCALES)
def test_forms_of_the_cldr(locale, form):
    for month in set(range(1, 13)) - TWO_WORDS.get(locale, set()):
        day = DAY.replace(month=month)
        assert day_in_text(format_date(day, form, locale=locale), locale) == day.isoformat()


@pytest.mark.parametrize("language", DECLINED)
def test_names_of_months_as_pages_write_them(language):
    for number, month in enumerate(DECLINED[language].split(), 1):
        text = f"4 {month.replace('_', ' ')} 2026"
        assert day_in_text(text, language) == f"2026-{number:02}-04"


def test_a_day_in_basque():
    assert day_in_text("2026ko martxoaren 4a", "eu") == "2026-03-04"


@pytest.mark.parametrize("locale", [one for one in LOCALES if one not in {"en", "fil"}])
def test_short_forms_of_the_cldr(locale):
    for day in (DAY, date(2026, 3, 14)):
        read = day_in_text(format_date(day, "short", locale=locale), locale.replace("_", "-"))
        assert read == day.isoformat()


@pytest.mark.parametrize(("language", "text"), OF_REPORTS)
def test_forms_of_reports(language, text):
    assert (point_in_time(text, language) or "")[:10] == "2026-03-04"


@pytest.mark.parametrize("locale", [one for one in LOCALES if one != "zh"])
def test_the_names_of_months_are_those_of_the_cldr(locale):
    months = Locale.parse(locale).months
    for context in ("format", "stand-alone"):
        for width in ("wide", "abbreviated"):
            for number, name in months[context][width].items():
                plain = name.casefold().strip(". ")
                if plain.isalpha() and len(plain) > 1:
                    assert (MONTHS_OF.get(locale, {}).get(plain) or MONTHS[plain]) == number


@pytest.mark.parametrize(
    "text",
    ["Copyright 2024. All rights", "12 may be 2024 pages", "4 words 2026", "March 2026", "32 March 2026", "9" * 10_000,
     "Jan " * 5000 + "2024", "1" * 9_999 + " March 2026", "0000000000000", "2026-13-44", "99999999999999",
     "version 1.12.26", "v1.12.26", "192.168.12.26", "4 may 26 boats came", "10/12/26 GB", "24/7", "12.03.85", "13/14/26", "3/4/26",
     "Mar 26", "10:12:26", "1/2-26", "The lock of 4.3.26 " * 9],
)  # fmt: skip
def test_what_is_no_day(text):
    assert day_in_text(text) is None
    assert point_in_time(text) is None


def test_the_first_of_several_days_counts():
    assert day_in_text("Copyright 2024. 5 March 2026") == "2026-03-05"
    assert day_in_text("March 4, 2026, changed 5 May 2027") == "2026-03-04"
    assert day_in_text("2025-01-02 or 4 March 2026") == "2025-01-02"


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Next event: 12 May 2027", None), ("Deadline 12 May 2027", None), ("Posted 12 May 2027", "2027-05-12"),
        ("Updated 12 May 2027", None), ("12 May 2027, updated 13 May 2027", "2027-05-12"),
        ("Ends 1 May 2027, posted on 2 April 2027", None), ("Updated 6 May 2027. First published: 4 May 2027", "2027-05-04"),
        ("Updated 6 May 2027", None),
    ],
)  # fmt: skip
def test_words_before_a_day_say_what_it_is(text, day):
    assert published_day(text) == day


def test_labels_and_the_day_behind():
    assert last_label("Created today, last modified") == "changed"
    assert (day_behind("2026-12-31"), day_behind("soon")) == ("2027-01-01", None)


@pytest.mark.parametrize(
    ("language", "day"),
    [
        ("en-GB", "2026-03-04"),
        ("en-AU", "2026-03-04"),
        ("en", None),
        ("en-US", None),
        ("de", "2026-03-04"),
    ],
)
def test_kinds_of_english_in_which_the_day_comes_first(language, day):
    assert day_in_text("04/03/2026", language) == day


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("2026. március 4.", False),
        ("4 marca 2026 r.", False),
        ("The lock opened on 4 March 2026.", True),
    ],
)
def test_a_day_with_a_point_at_its_end_is_no_prose(text, is_so):
    assert is_prose(text) is is_so


LINES = "<p>The lock keeper counted the boats, and wrote to the council about them.</p>" * 5


@pytest.mark.parametrize(
    ("tag", "url", "below", "day"),
    [
        ("en", "https://a.example/locks", "<footer>25/3/26</footer>", "2026-04-03"),
        ("en", "https://a.example/locks", "<footer>3/25/26</footer>", "2026-03-04"),
        ("en", "https://a.example/2026/03/locks", "", "2026-03-04"),
        ("en", "https://a.example/2026/04/locks", "", "2026-04-03"),
        ("en", "https://a.example.uk/locks", "", "2026-04-03"),
        ("en", "https://locks.example.gov/locks", "", "2026-03-04"),
        ("en-GB", "https://a.example/locks", "", "2026-04-03"),
        ("it", "https://a.example/locks", "", "2026-04-03"),
        ("en", "https://a.example/locks", "", None),
    ],
)
@pytest.mark.parametrize("year", ["26", "2026"])
def test_what_a_page_says_of_its_order_decides_days_of_figures(tag, url, below, day, year):
    body = f"<h1>The locks are open</h1><p class=date>3/4/{year}</p>{LINES}{below}"
    page = parse_document(f"<html lang={tag}><title>The locks are open</title>{body}", url)
    assert read_metadata(page, url, PageMarkup(page)).published_at == day
