"""The headline of a page: its title without the name of the site."""

from collections.abc import Collection, Sequence

from templ_core.metadata._page_parts import top_headings
from templ_core.metadata._scans import is_name_of, letters_of
from templ_core.metadata.page_view import PageView
from templ_core.patterns import pattern
from templ_core.site_level.titles import BORDER, NO_ENDS, TitleEnds

_IN_BORDER = pattern(r"[|\-–—:·•»«>/~]")
_LOOSE_BORDER = pattern(r"\A[|\-–—:·•»«/~]+\s+|\s+[|\-–—:·•»«/~]+\Z")
"""A border with a part on one side only."""
_BEFORE_SUBJECT = frozenset((":", "-", "–", "—"))
"""Borders behind what boards and manuals put before the subject of a page."""
_BOARD_CHARS_MAX = 30
_SUBJECT_WORDS_MIN = 3
"""Words of the shortest subject that is no heading, since people have names of two words."""
_WORD = pattern(r"\w+")
_HEADLINE_CHARS_MAX = 250


def page_headline(page: PageView) -> str | None:
    """Return the headline of a page, or None where it has no title.

    The first title counts. What stands before or behind a border ("|", " - ") is left out where it is
    a name of the site, or where a heading of the page is the rest of the title.
    """
    document = page.document
    headings = top_headings(document)
    known = set(map(letters_of, headings))
    own = [*filter(None, map(letters_of, page.site_names))]
    headline = long = None
    json_ld = page.markup.json_ld
    titles = [*json_ld.headlines, *page.properties.get("headline", ())]
    if not (titles and letters_of(titles[0]) and len(titles[0]) <= _HEADLINE_CHARS_MAX):
        if len(headings) == 1 and is_headline(headings, document.title, own):
            titles += headings
        titles += [*page.meta.get("title", ()), *json_ld.names, document.title, *headings[:1]]
    for title in titles:
        if not letters_of(title):
            continue
        if len(title) <= _HEADLINE_CHARS_MAX:
            headline = _LOOSE_BORDER.sub("", title.strip())
            if _IN_BORDER.search(headline) and letters_of(headline) not in known:
                headline = _without_names(
                    headline, known, own, page.places.titles if page.places else NO_ENDS
                )
            break
        long = long or title[:_HEADLINE_CHARS_MAX]
    headline = headline or long
    if headline is None or not _IN_BORDER.search(headline) or letters_of(headline) in known:
        return headline
    # Boards and old themes have the subject in a heading of the second level.
    subjects = headings or top_headings(document, "h2")
    subject = subjects[0] if len(subjects) == 1 else ""
    return subject_of(headline, subject, own, page.texts) or headline


def is_headline(headings: Sequence[str], title: str, names: list[str]) -> bool:
    """Return whether the headings of the first level are one, which is the headline of the page.

    It has words in common with the title of the page, and is not the name of the site. Names are given by their
    letters, see `letters_of`.

    >>> is_headline(["Bridge opens in May"], "Bridge opens - The Daily", ["thedaily"])
    True
    """
    if len(headings) != 1 or len(headings[0]) > _HEADLINE_CHARS_MAX:
        return False
    words, others = set(_WORD.findall(headings[0].casefold())), set(_WORD.findall(title.casefold()))
    is_like = 2 * len(words & others) >= min(len(words), len(others)) or headings[0] in title
    return len(letters_of(headings[0])) > 5 and is_like and not is_name_of(headings[0], names)


def subject_of(title: str, subject: str, names: list[str], texts: Sequence[str]) -> str | None:
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
        names: Letters of the names of its site, and of its host.
        texts: The texts of the page.
    """
    letters = letters_of(subject)
    for number, border in enumerate(BORDER.finditer(title)):
        before, part = title[: border.start()].strip(), title[border.end() :].strip()
        is_shown = len(letters) > 3 and letters_of(part) == letters
        if number == 0 and not is_shown and border[0].strip() in _BEFORE_SUBJECT:
            is_board = len(before) <= _BOARD_CHARS_MAX and not any(map(str.isdigit, before))
            is_shown = is_board and len(part.split()) >= _SUBJECT_WORDS_MIN and part in texts
        if is_shown and not is_name_of(part, names) and before not in texts:
            return part
    return None


def _without_names(
    title: str, headings: Collection[str], names: list[str], of_site: TitleEnds
) -> str:
    borders = list(BORDER.finditer(title))
    for border in borders:
        part = title[: border.start()]
        if len(part) > 3 and letters_of(part) in headings:
            return part.strip()
    own = of_site.without(title)
    if own != title:
        title, borders = own, list(BORDER.finditer(own))
    start, end = 0, len(title)
    for border in reversed(borders):
        if is_name_of(title[border.end() : end], names) and border.start() > 0:
            end = border.start()
        else:
            break
    for border in borders:
        if border.end() < end and is_name_of(title[start : border.start()], names):
            start = border.end()
        else:
            break
    return title[start:end].strip() or title
