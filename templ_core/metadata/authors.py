"""Names of authors, taken apart and checked."""

import re
from collections.abc import Iterable

_NAMES_MAX = 10
_WORDS_MAX = 7
_CHARS_MAX = 80
_BEFORE = re.compile(
    r"^(?:(?:written|posted|published|story|words|photos?|text|edited|reported)\s+)?(?:by|von|par|por|de la redacción de|da|door|av|af|"
    r"autor(?:in|es)?|author|auteur|autore|автор|текст|od|przez|skrevet av)\b\s*:?\s*"
    r"|^(?:文|記者|记者|作者|取材)\s*[:：/／]\s*",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    r"\s*(?:[|•·–—]\s.*|\s-\s.*|\(.*|\b(?:on|am|le|el|il|updated|published|posted)\s+\w*\s*\d.*"
    r"|,?\s+(?:special to|staff writer|staff reporter|associated press writer|correspondent|editor)\b.*)$",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    r"\s*(?:[;|]|\s/\s|\band\b|\bund\b|\bet\b|\by\b(?=\s+[A-ZÀ-Þ])|\s&\s|、|，)\s*"
)
_BAD_TEXT = re.compile(r"://|^\s*(?:www\.|@)", re.IGNORECASE)
_BAD = re.compile(
    r"https?:|www\.|@|\d{5,}|\d:\d\d|^\d|\s\d|[*{}<>\[\]=_]|\.(?:com|org|net)\b", re.IGNORECASE
)
_NOBODY = frozenset(
    [
        "admin",
        "administrator",
        "root",
        "webmaster",
        "user",
        "guest",
        "author",
        "authors",
        "editor",
        "unknown",
        "anonymous",
        "none",
        "null",
        "undefined",
        "by",
        "posts",
        "view",
    ]
)


def author_names(texts: Iterable[str]) -> list[str]:
    """Return the different names in texts that name authors, in order.

    >>> author_names(["By Ann Lee and Bob Ray | The Daily", "ann lee", "admin"])
    ['Ann Lee', 'Bob Ray']
    """
    found: dict[str, str] = {}
    for text in texts:
        if _BAD_TEXT.search(text):
            continue
        for part in _parts(_BEHIND.sub("", _BEFORE.sub("", text.strip()))):
            name = _BEFORE.sub("", part.strip(" ,.:;–—-|•\"'")).strip()
            if _is_name(name):
                found.setdefault(name.casefold(), name)
    return list(found.values())[:_NAMES_MAX]


def _parts(text: str) -> list[str]:
    """Return the names that a text lists; a comma ends a name where what follows is a name, too."""
    parts = []
    for part in _BETWEEN.split(text):
        by_comma = [one.strip() for one in part.split(",")]
        is_list = len(by_comma) > 1 and all(len(one.split()) >= 2 for one in by_comma if one)
        parts += by_comma if is_list else [by_comma[0]]
    return parts


def _is_name(name: str) -> bool:
    return (
        1 < len(name) <= _CHARS_MAX
        and len(name.split()) <= _WORDS_MAX
        and name.casefold() not in _NOBODY
        and not _BAD.search(name)
        and any(letter.isalpha() for letter in name)
    )
