"""The language of a text."""

from resiliparse.parse.lang import detect_fast

from templ_core.metadata.forms import language_tag

_CHARS = 2000
"""Characters of the text that are looked at."""
_CHARS_MIN = 100
_LANGUAGES = [
    "af",
    "ar",
    "bg",
    "bn",
    "ca",
    "cs",
    "da",
    "de",
    "el",
    "en",
    "es",
    "et",
    "fa",
    "fi",
    "fr",
    "gu",
    "he",
    "hi",
    "hr",
    "hu",
    "id",
    "it",
    "ja",
    "kn",
    "ko",
    "lt",
    "lv",
    "ml",
    "mr",
    "ms",
    "nl",
    "no",
    "pa",
    "pl",
    "pt",
    "ro",
    "ru",
    "sk",
    "sl",
    "sr",
    "sv",
    "ta",
    "te",
    "th",
    "tr",
    "uk",
    "ur",
    "vi",
    "zh",
]
"""Languages of most pages; small ones beside them are found in their place, such as lb for de."""
_OUT_OF_PLACE_MAX = 1100
"""Largest measure of resiliparse's detector with which it is believed; it says 0 for a perfect fit."""


def detected_language(text: str) -> str | None:
    """Return the language of a text as a tag of BCP 47; None where it is short or nothing is certain.

    >>> detected_language("Der Rat tagte am Montag und beschloss, eine Brücke zu bauen. " * 2)
    'de'
    """
    if len(text) < _CHARS_MIN:
        return None
    detected, out_of_place = detect_fast(text[:_CHARS], langs=_LANGUAGES)
    return language_tag(detected) if out_of_place <= _OUT_OF_PLACE_MAX else None
