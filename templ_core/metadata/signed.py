"""Who signs a page: by its markup, and where that is silent by what the page shows."""

import re
from itertools import chain, repeat

from templ_core.metadata._scans import letters_of, segments_within
from templ_core.metadata.authors import (
    BY,
    BY_WORD,
    REPORTER_BEHIND,
    NameForm,
    author_names,
    byline_authors,
    full_name,
    people_among,
)
from templ_core.metadata.named_texts import named_texts
from templ_core.metadata.page_view import PageView
from templ_core.page_level.features._stems import Stems
from templ_core.patterns import pattern

_SHOWN_AUTHORS_MAX = 3
"""More names in microdata, in links to authors, or in bylines are those of other pages or of readers."""
_BYLINE = pattern(
    r"(?:^|[\s_-]|(?-i:(?<=[a-z])(?=[A-Z])))(?:byline|author|authors|autor|auteur|autore|writer|contributor|vcard)"
    r"(?:[\s_-]?(?:name|link|names|fn|vcard|info|meta|by))?(?=$|[\s_-]|(?-i:[A-Z]))",
    re.IGNORECASE,
)
_AUTHOR_BOX = pattern(
    r"(?:^|[\s_-])(?:(?:author|post|entry|article)[\s_-]*(?:bio|box)|about[\s_-]*(?:the[\s_-]*)?author)(?=$|[\s_-])",
    re.IGNORECASE,
)
"""Names of elements that hold the author of the page."""
_BOX_TEXTS = 2
"""Texts of such an element that are looked at."""
_STEMS = Stems(
    ("byline", "auth", "autor", "auteur", "writer", "contributor", "vcard", "bio", "about")
)


_NOTES_MAX, _NOTE_CHARS_MAX = 8, 120


def page_authors(page: PageView) -> list[str]:
    """Return the people who sign the page; where none does, the newsroom or the firm that is said to have written it."""
    json_ld, meta = page.markup.json_ld, page.meta
    others: list[list[str]] = []
    # Without a form are names in elements, which may be those of other pages or of readers.
    sources: list[tuple[list[str], NameForm | None]] = []
    sources += zip(json_ld.authors, repeat("byline"))
    if citation := meta.get("citation"):
        sources.append((citation, "citation"))
    if declared := meta.get("author"):
        sources.append((declared, "byline"))
    if creators := meta.get("creator"):
        sources.append((creators, "citation" if len(creators) > 1 else "library"))
    if marked_up := page.properties.get("author"):
        sources.append((marked_up, None))
    sources += zip(json_ld.creators, repeat("byline"))
    linked = page.markup.claims.authors
    for texts, form in [*sources, (linked, None)] if linked else sources:
        names = author_names(texts, form or "byline")
        if form is None:
            names = page.parts.of_page(names)
            names = names if len(names) <= _SHOWN_AUTHORS_MAX else []
        people = people_among(names, page.owners) if names else []
        if people:
            return _without_site(page, people[:1] if texts is linked else people)
        others += [names[:1] if texts is linked else names] if names else []
    # What is said to be an organisation is one, whatever its name, so a person who signs counts before it.
    others = [*filter(None, map(author_names, json_ld.organisations)), *others]
    return _without_site(page, _shown(page, others))


def _without_site(page: PageView, signed: list[str]) -> list[str]:
    """Return names without that of the site, unless its markup says that it is the author: it is a link to itself."""
    if page.owners.isdisjoint(map(letters_of, signed)):
        return signed
    json_ld = page.markup.json_ld
    by_markup = (*json_ld.authors, *json_ld.organisations, page.meta.get("author", ()))
    stated = author_names(chain(*by_markup))
    return [
        name
        for name in signed
        if full_name(name) or name in stated or letters_of(name) not in page.owners
    ]


def _shown(page: PageView, others: list[list[str]]) -> list[str]:
    """Return the authors whom the page shows in one place; the surest comes first.

    Args:
        page: The page.
        others: Organisations that its markup names, which count where no person is shown; beside them no name may
            stand alone, without "by".
    """
    with_names = not others
    named: list[int] = []
    for place in ("near", "named", "notes") if with_names else ("near", "named"):
        if place == "near":
            shown = [
                *zip(page.parts.near, map(page.texts.__getitem__, page.parts.near), strict=True)
            ]
        elif place == "named":
            named = _STEMS.found_in_attributes(page.document.nodes.element_types)
            shown = named_texts(page, named, _BYLINE, "\n") if named else []
        else:
            shown = _notes(page, named) if named else []
        signed: list[list[str]] = []
        for segment, text in shown:
            if place == "notes":
                name = full_name(text)
                names = [name] if name else []
            elif place == "named" and with_names:
                names = byline_authors(text, is_named=True)
            else:
                is_byline = BY_WORD.search(text.lower()) and (
                    BY.search(text) or REPORTER_BEHIND.match(text)
                )
                names = byline_authors(text) if is_byline else []
            if (
                names
                and names not in signed
                and (place == "notes" or not page.parts.is_elsewhere(segment))
            ):
                signed.append(names)
        people = [*filter(None, map(people_among, signed, repeat(page.owners)))]
        if people:
            return people[0] if len(people) <= _SHOWN_AUTHORS_MAX else []
        others += [signed[0][:1]] if signed else []
    return others[0] if others else []


def _notes(page: PageView, named: list[int]) -> list[tuple[int, str]]:
    """Return the short texts of notes on the author, with the numbers of their segments."""
    types = page.document.nodes.element_types
    notes = [number for number in named if _AUTHOR_BOX.search(types[number][1])]
    elements = segments_within(page.document, notes, _NOTES_MAX, _BOX_TEXTS)
    texts = ((one, page.texts[one]) for within in elements for one in within)
    return [(one, text) for one, text in texts if len(text) <= _NOTE_CHARS_MAX]
