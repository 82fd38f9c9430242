"""The headline of a page: its title without the name of the site."""

import re
from collections.abc import Iterable, Sequence

_BORDER = re.compile(r"\s+[|\-–—:·•»«>/~]{1,3}\s+|\s*[|»«•]\s*|(?<=\w):\s+|\s*[—–]\s*|\s+::\s+")
_NO_LETTERS = re.compile(r"[\W_]+")
_HEADLINE_CHARS_MAX = 400


def headline(titles: Iterable[str], headings: Sequence[str], names: Iterable[str]) -> str | None:
    """Return the headline of a page, or None where it has no title.

    The first title counts. What stands before or behind a border ("|", " - ") is left out where it is
    a name of the site, or where a heading of the page is the rest of the title.

    Args:
        titles: Titles of the page, the most reliable first.
        headings: Texts of its headings of the first level.
        names: Names of its site, and its host.

    >>> headline(["Bridge opens - The Daily"], [], ["The Daily"])
    'Bridge opens'
    >>> headline(["Bridge opens | News | Daily"], ["Bridge opens"], [])
    'Bridge opens'
    """
    known = {_letters(heading): heading for heading in headings}
    own = [_letters(name) for name in names]
    for title in titles:
        title = title.strip()
        if _letters(title):
            return _without_names(title, known, [name for name in own if name])[:_HEADLINE_CHARS_MAX]
    return headings[0][:_HEADLINE_CHARS_MAX] if headings else None


def _without_names(title: str, headings: dict[str, str], names: Sequence[str]) -> str:
    borders = list(_BORDER.finditer(title))
    if not borders or _letters(title) in headings:
        return title
    for border in borders:
        for part in (title[: border.start()], title[border.end() :]):
            if len(part) > 3 and _letters(part) in headings:
                return part.strip()
    start, end = 0, len(title)
    for border in reversed(borders):
        if _is_name(title[border.end() : end], names) and border.start() > 0:
            end = border.start()
        else:
            break
    for border in borders:
        if border.end() < end and _is_name(title[start : border.start()], names):
            start = border.end()
        else:
            break
    return title[start:end].strip() or title


def _is_name(part: str, names: Sequence[str]) -> bool:
    letters = _letters(part)
    return bool(letters) and any(
        letters == name or (len(letters) > 3 and (letters in name or name in letters and len(name) > 5))
        for name in names
    )


def _letters(text: str) -> str:
    return _NO_LETTERS.sub("", text).casefold()
