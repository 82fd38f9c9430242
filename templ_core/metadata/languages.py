"""The language of a text, where its page names none or a wrong one."""

import functools
import re
from collections import Counter
from typing import cast

from resiliparse.parse.lang import detect_fast

from templ_core.metadata._scans import ratio_of
from templ_core.patterns import pattern

_CHARS = 2000
"""Characters of the text that are looked at."""
_CHARS_MIN = 100
SHORT_CHARS = 300
"""A text of fewer characters is looked at with what stands around it."""
_LANGUAGES = [
    "af", "ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "et", "fa", "fi", "fr", "gu", "he",
    "hi", "hr", "hu", "id", "it", "ja", "kn", "ko", "lt", "lv", "ml", "mr", "ms", "nl", "no", "pa", "pl",
    "pt", "ro", "ru", "sk", "sl", "sr", "sv", "ta", "te", "th", "tr", "uk", "ur", "vi", "zh",
]  # fmt: skip
"""Languages of most pages; rare relatives are left out, which the detector would report instead (lb for de)."""
_OUT_OF_PLACE_MAX = 1100
"""Largest measure of resiliparse's detector with which it is believed; it says 0 for a perfect fit."""
_CONTRADICTS_MAX = 365
"""Largest measure of that detector with which it is believed against the page, unless the words are English, too."""
_SAMPLED = 8
"""Every how many characters one is looked at to find the script of a text."""
_ENGLISH = frozenset(
    ("the", "of", "and", "to", "a", "in", "is", "for", "that", "with", "on", "it", "as", "are", "was", "by", "you")
)  # fmt: skip
_ENGLISH_RATIO_MIN = 0.1
"""Share of the words of an English text that are among `_ENGLISH`; the words of other languages are below it."""
_ENGLISH_ONLY = frozenset(
    ("the", "of", "and", "with", "are", "by", "you", "this", "from", "not", "or", "be", "have")
)
"""Frequent English words that other languages do not have."""
_ENGLISH_ONLY_RATIO_MIN = 0.04
_FREQUENT = {
    language: frozenset(words.split())
    for language, words in {
        "es": "de la que el en y a los del se las por un para con no una su al es lo como más pero sus le ha hay",
        "de": "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass wir uns",
        "fr": "de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont avec son nous vous",
        "it": "di e il la che in a per un è del non con una i le si da della dei nel alla sono al più come lo gli",
        "pt": "de a o que e do da em um para é com não uma os no se na por mais as dos como mas ao das seu sua",
        "nl": "de van het een en in is dat op te zijn met voor niet aan er om ook als dan maar bij uit door naar wij ons",
        "pl": "w i na z się do nie że to jest o od za po jak przez ale dla są przy lub czy oraz we nad która który którzy mają tego",
        "sv": "och i att det som en på är av för med till den har inte om ett han men var jag sig från vi",
        "no": "og i det er på en som til av for med at ikke om har et den var de han fra vi jeg seg men ble etter ved kan skal",
        "ro": "de și în a la cu pe care din nu este că o un mai pentru să se au fost sau după al ale ca iar prin",
        "cs": "a v se na je že s z do o to by která který po ve pro jako ale od za si byla bylo ze až jsou při není",
        "hu": "a az és hogy nem is egy meg van ki már csak de volt amely ezt el kell mint után vagy ez még óta alatt lehet",
        "fi": "ja on ei se että joka oli ovat myös kun mutta hän niin tai olla jo sen vain kuin ole ollut mukaan jälkeen sekä yli",
        "tr": "ve bir bu için de da ile çok olarak daha en gibi kadar sonra ne olan her göre var o ise karar yeni eski konusunda",
        "id": "yang di dan dengan untuk pada dari ini itu dalam tidak akan oleh sebagai adalah telah ke karena setelah bahwa atas para juga sejak",
        "hr": "je i u na se da za su od s koji ili kao što ne o iz će sa nije bi po koja do to ali prema nakon bio",
        "sl": "je in v na se da za so z ki s pri po kot bo od do tudi ne ali pa bi o iz če jih k še pred",
        "sk": "a v na sa je že s z do o ktorá ktoré ktorý ako po za aj od bude sú pre pri ale k si alebo so nie",
        "et": "ja on ei et see kui oli ka ning mis mida või oma aga veel kes seda tema üle pärast ole nad välja kuid",
        "lt": "ir yra kad į iš su o tai per po kurie apie kaip jau nuo prie bet ar dėl nes bus buvo kuris iki",
        "lv": "un ir ka par no uz ar kas pēc to pie vai bet kā tika lai līdz pa šo nav jau arī tās savu ja",
        "ca": "de la el que i a en les els per amb un una del es al no com més ha va dels aquest però són fins",
        "da": "og i at det er en til af på den for med som der de ikke et har om var han men sig fra vi",
    }.items()
}  # fmt: skip
"""Frequent words of languages, which confirm what the detector says of a short text."""
_FREQUENT_RATIO_MIN = 0.2
_ENDINGS_RATIO_MIN = 0.1
_BY_ENDINGS = frozenset(("cs", "et", "fi", "hr", "hu", "id", "lt", "lv", "pl", "sk", "sl", "tr"))
"""Languages that say much by the endings of words, so that fewer are frequent; `_ENDINGS_RATIO_MIN` holds for them."""
_NO_WORDS: frozenset[str] = frozenset()
_CANDIDATES = 3
"""Languages that the detector finds nearest, of which the first whose words a text has is believed."""
_MORE_WORDS = 1.5
"""How many times as many of its words a text must have for one that the detector finds less near."""
_FOREIGN_LETTER = pattern(r"[^\W\d_a-zA-Z]")
_FOREIGN_RATIO_MIN = 0.02
"""Share of the characters of a text that are such letters, with which it is not English if no English word is in it."""
_SMALL_WORD = pattern(r"(?<!\S)[^\W\d_A-Z]\w*")
_SMALL_WORDS_RATIO_MIN = 0.6
"""Share of the words of a text that begin with a small letter; fewer are those of a list of names."""
_VIETNAMESE = pattern("[ơƠưƯ\u1ea0-\u1ef9]")
"""Letters that no other language has; fewer of them may be those of a name."""
_VIETNAMESE_LETTERS_MIN = 4
_LATIN = "Latin"
_LANGUAGES_OF = {
    "Cyrillic": ["ru", "bg", "sr", "uk"], "Arabic": ["ar", "fa", "ur"], "Devanagari": ["hi", "mr"],
    "Han": ["zh"], "Kana": ["ja"], "Hangul": ["ko"], "Greek": ["el"], "Hebrew": ["he"], "Thai": ["th"],
    "Bengali": ["bn"], "Gurmukhi": ["pa"], "Gujarati": ["gu"], "Tamil": ["ta"], "Telugu": ["te"],
    "Kannada": ["kn"], "Malayalam": ["ml"],
}  # fmt: skip
_SCRIPT_OF = {one: script for script, languages in _LANGUAGES_OF.items() for one in languages}
_CHINESE = frozenset(("Han", "Kana", "Hangul"))
"""Scripts that texts in Chinese, Japanese and Korean mix."""
_BLOCKS = {
    **dict.fromkeys(range(4), _LATIN),
    7: "Greek", 8: "Cyrillic", 9: "Cyrillic", 11: "Hebrew", 12: "Arabic", 13: "Arabic",
    18: "Devanagari", 19: "Bengali", 20: "Gurmukhi", 21: "Gujarati", 23: "Tamil", 24: "Telugu",
    25: "Kannada", 26: "Malayalam", 28: "Thai", 96: "Kana", 97: "Kana",
    **dict.fromkeys(range(0x9C, 0x140), "Han"), **dict.fromkeys(range(0x158, 0x1B0), "Hangul"),
}  # fmt: skip
"""Scripts by the blocks of 128 code points that they have in Unicode."""
_LANGUAGE = pattern(
    r"(?P<language>[a-z]{2,3})(?:-[a-z]{3})?(?:-(?P<script>[a-z]{4}))?"
    r"(?:-(?P<region>[a-z]{2}|\d{3}))?(?:-(?:[a-z0-9]{5,8}|\d[a-z0-9]{3}|x-.*|u-.*))*",
    re.IGNORECASE,
)
_NO_LANGUAGES = frozenset(("und", "mul", "zxx", "mis", "xx", "xxx"))
_NO_LATIN = bytes(byte for byte in range(128) if not chr(byte).isalpha())
_NO_LETTER = "none"


class _Scripts(dict[str, str | None]):
    """The scripts of the characters that were met; None for letters of other scripts."""

    def __missing__(self, letter: str) -> str | None:
        script = _BLOCKS.get(ord(letter) >> 7) if letter.isalpha() else _NO_LETTER
        self[letter] = script
        return script


_SCRIPTS = _Scripts()


def page_language(text: str, declared: str | None, around: str = "") -> tuple[str | None, bool]:
    """Return the language of a page, and whether its text contradicts the one that it declares.

    A short text is little evidence, and the text around it is mostly in its language, so both count.

    >>> menu = "Inicio. Quiénes somos. Las noticias de la semana. Contacto. Aviso legal y política de privacidad. "
    >>> page_language("Hoy no hay clase por la tarde, pero mañana sí la hay.", "en-US", menu * 2)
    ('es', True)

    Args:
        text: The clean text of the page.
        declared: Language tag of BCP 47; None where the page declares none.
        around: The other text of the page.
    """
    is_short = len(text) < SHORT_CHARS
    whole = f"{text}\n{around}"[:_CHARS] if is_short and around else text
    if declared is None:
        return detected_language(whole if _has_script_of(text, whole) else text), False
    contradicting = contradicting_language(text, declared)
    if contradicting is None and whole is not text and _has_script_of(text, whole):
        contradicting = contradicting_language(whole, declared)
        if (
            contradicting is not None
            and ratio_of(_ENGLISH, text) >= _ENGLISH_RATIO_MIN
            and contradicting != "en"
        ):
            contradicting = None
    return contradicting or declared, contradicting is not None


def _has_script_of(text: str, whole: str) -> bool:
    """Return whether a text is written as the whole page is."""
    return text is whole or _script(text) in {None, _script(whole[:_CHARS:_SAMPLED])}


def contradicting_language(text: str, declared: str) -> str | None:
    """Return the language of a text whose script or words are not those that its page declares, else None.

    Only a text that is surely in another language contradicts its page. Between languages of one script
    only English is distinguished from others.

    >>> contradicting_language("В понедельник совет решил построить мост. " * 3, "en-US")
    'ru'

    Args:
        text: The clean text of the page.
        declared: Language tag of BCP 47.
    """
    language = declared.partition("-")[0]
    if language not in _LANGUAGES:
        return None
    if _is_vietnamese(text):
        return "vi" if language != "vi" else None
    if len(text) < _CHARS_MIN:
        return None
    own, shown = _SCRIPT_OF.get(language, _LATIN), _script(text[:_CHARS:_SAMPLED])
    if own == shown == _LATIN:
        is_english = ratio_of(_ENGLISH, text) >= _ENGLISH_RATIO_MIN and not _is_foreign(text)
        return _surely(text, language) if is_english != (language == "en") else None
    if shown is None or own == shown or {own, shown} <= _CHINESE or language == "sr":
        return None
    if shown == _LATIN:
        return _surely(text, language)
    return _surely(text, language, _LANGUAGES_OF[shown]) or _LANGUAGES_OF[shown][0]


def _script(letters: str) -> str | None:
    """Return the script of most letters; None where no known one has more than half of them."""
    if 2 * len(letters.encode("ascii", "ignore").translate(None, _NO_LATIN)) > len(letters):
        return _LATIN
    script_counts = Counter(map(_SCRIPTS.__getitem__, letters))
    script_counts.pop(_NO_LETTER, None)
    if script_counts["Kana"] > script_counts["Han"] / 10:
        script_counts["Kana"] += script_counts.pop("Han", 0)
    script, count = next(iter(script_counts.most_common(1)), (None, 0))
    return script if 2 * count > script_counts.total() else None


def _surely(text: str, declared: str, languages: list[str] = _LANGUAGES) -> str | None:
    found = cast(
        list[tuple[str, int]],
        detect_fast(text[:_CHARS], langs=languages, n_results=_CANDIDATES),
    )
    best, most = None, 0.0
    for language, out_of_place in found:
        if out_of_place > _OUT_OF_PLACE_MAX or (best and found[0][1] <= _CONTRADICTS_MAX):
            break
        words, words_min = _frequent_words(language)
        ratio = ratio_of(words, text)
        if ratio >= max(words_min, _MORE_WORDS * most):
            best, most = language, ratio
    if best:
        return language_tag(best) if best != declared else None
    if not found:
        return None
    detected, out_of_place = found[0]
    is_foreign = declared == "en" and _is_foreign(text)
    is_sure = out_of_place <= (_OUT_OF_PLACE_MAX if is_foreign else _CONTRADICTS_MAX)
    return language_tag(detected) if is_sure and detected != declared else None


def _frequent_words(language: str) -> tuple[frozenset[str], float]:
    """Return the frequent words of a language, and the share of a text, 0 to 1, that they are at least."""
    if language == "en":
        return _ENGLISH, _ENGLISH_RATIO_MIN
    ratio_min = _ENDINGS_RATIO_MIN if language in _BY_ENDINGS else _FREQUENT_RATIO_MIN
    return _FREQUENT.get(language, _NO_WORDS), ratio_min


def _is_foreign(text: str) -> bool:
    """Return whether a text has letters that are not English, no frequent English word, and is no list of names."""
    if text.isascii() or ratio_of(_ENGLISH_ONLY, text):
        return False
    foreign = len(_FOREIGN_LETTER.findall(text, 0, _CHARS))
    if foreign < _FOREIGN_RATIO_MIN * min(len(text), _CHARS):
        return False
    words = text[:_CHARS].split()
    return len(_SMALL_WORD.findall(text, 0, _CHARS)) >= _SMALL_WORDS_RATIO_MIN * len(words)


def detected_language(text: str) -> str | None:
    """Return the language of a text as a tag of BCP 47; None where it is short or nothing is certain.

    >>> detected_language("Der Rat tagte am Montag und beschloss, eine Brücke zu bauen. " * 2)
    'de'
    """
    if len(text) < _CHARS_MIN:
        return None
    if _is_vietnamese(text):
        return "vi"
    detected, out_of_place = detect_fast(text[:_CHARS], langs=_LANGUAGES)
    if out_of_place > _CONTRADICTS_MAX and ratio_of(_ENGLISH_ONLY, text) >= _ENGLISH_ONLY_RATIO_MIN:
        return "en"
    return language_tag(detected) if out_of_place <= _OUT_OF_PLACE_MAX else None


def _is_vietnamese(text: str) -> bool:
    """Return whether a text has letters that no other language has."""
    return (
        not text.isascii() and len(_VIETNAMESE.findall(text, 0, _CHARS)) >= _VIETNAMESE_LETTERS_MIN
    )


@functools.lru_cache(1 << 8)
def language_tag(text: str) -> str | None:
    """Return a language tag as RFC 5646 (BCP 47) writes it, or None where the text is no language tag.

    >>> language_tag("en_us"), language_tag("ZH-hans-cn"), language_tag("English")
    ('en-US', 'zh-Hans-CN', None)
    """
    match = _LANGUAGE.fullmatch(text.strip().replace("_", "-").partition(".")[0])
    if match is None or match["language"].lower() in _NO_LANGUAGES:
        return None
    parts = [match["language"].lower()]
    if match["script"]:
        parts.append(match["script"].title())
    if match["region"]:
        parts.append(match["region"].upper())
    return "-".join(parts)
