"""The headline of a page: its title without the name of the site."""

from collections.abc import Iterable, Sequence
from itertools import chain

from templ_core.metadata.beside_headline import letters_of
from templ_core.patterns import pattern

_BORDER = pattern(r"\s+[|\-–—:·•»«>/~]{1,3}\s+|\s*[|»«•]\s*|(?<=\w):\s+|\s*[—–]\s*|\s+::\s+")
IN_BORDER = pattern(r"[|\-–—:·•»«>/~]")
"""Signs between the parts of a title."""
_LOOSE_BORDER = pattern(r"\A[|\-–—:·•»«/~]+\s+|\s+[|\-–—:·•»«/~]+\Z")
"""A border with a part on one side only."""
_BEFORE_SUBJECT = frozenset((":", "-", "–", "—"))
"""Borders behind what boards and manuals put before the subject of a page."""
_BOARD_CHARS_MAX = 30
_SUBJECT_WORDS_MIN = 3
"""Words of the shortest subject that is no heading, since people have names of two words."""
_WORD = pattern(r"\w+")
_HEADLINE_CHARS_MAX = 250


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
    known = {letters_of(heading): heading for heading in headings}
    own = [name for name in map(letters_of, names) if name]
    long = None
    for title in chain(titles, headings[:1]):
        if not letters_of(title):
            continue
        if len(title) <= _HEADLINE_CHARS_MAX:
            return _without_names(_LOOSE_BORDER.sub("", title.strip()), known, own)
        long = long or title[:_HEADLINE_CHARS_MAX]
    return long


def is_headline(headings: Sequence[str], title: str, names: Iterable[str]) -> bool:
    """Return whether the headings of the first level are one, which is the headline of the page.

    It has words in common with the title of the page, and is not the name of the site.

    >>> is_headline(["Bridge opens in May"], "Bridge opens - The Daily", ["The Daily"])
    True
    """
    if len(headings) != 1 or len(headings[0]) > _HEADLINE_CHARS_MAX:
        return False
    words, others = set(_WORD.findall(headings[0].casefold())), set(_WORD.findall(title.casefold()))
    is_like = 2 * len(words & others) >= min(len(words), len(others)) or headings[0] in title
    own = [name for name in map(letters_of, names) if name]
    return len(letters_of(headings[0])) > 5 and is_like and not _is_name(headings[0], own)


def subject_of(title: str, subject: str, names: Iterable[str], texts: Sequence[str]) -> str | None:
    """Return what a title ends with if it is the subject of the page, behind what all titles of a board or a manual begin with.

    The subject is a heading, or else a text of at least three words. None where the title ends with the name of its site, or
    begins with what the page shows.

    >>> subject_of(
    ...     "View topic - Boats of old", "", [], ["Index", "Boats of old", "Where are they?"]
    ... )
    'Boats of old'

    Args:
        title: A title.
        subject: The only heading of the page; empty where it has none or several.
        names: Names of its site, and its host.
        texts: The texts of the page.
    """
    letters, own = letters_of(subject), [letters_of(name) for name in names]
    for number, border in enumerate(_BORDER.finditer(title)):
        before, part = title[: border.start()].strip(), title[border.end() :].strip()
        is_shown = len(letters) > 3 and letters_of(part) == letters
        if number == 0 and not is_shown and border[0].strip() in _BEFORE_SUBJECT:
            is_board = len(before) <= _BOARD_CHARS_MAX and not any(map(str.isdigit, before))
            is_shown = is_board and len(part.split()) >= _SUBJECT_WORDS_MIN and part in texts
        if is_shown and not _is_name(part, own) and before not in texts:
            return part
    return None


def _without_names(title: str, headings: dict[str, str], names: Sequence[str]) -> str:
    may_have_borders = IN_BORDER.search(title) and letters_of(title) not in headings
    borders = list(_BORDER.finditer(title)) if may_have_borders else []
    if not borders:
        return title
    for border in borders:
        part = title[: border.start()]
        if len(part) > 3 and letters_of(part) in headings:
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
    letters = letters_of(part)
    return bool(letters) and any(
        letters == name
        or (len(letters) > 3 and letters in name and 2 * len(letters) >= len(name))
        or (len(name) > 5 and name in letters and len(letters) <= 2 * len(name))
        for name in names
    )
