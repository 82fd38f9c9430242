"""The headline and the lead of a page: what its title says, and the text below that the page declares as its description."""

from collections.abc import Iterator

from templ_core.dom._references import without_references
from templ_core.dom._tree import only_h1
from templ_core.dom.config import LeadConfig
from templ_core.dom.parse._page_columns import PageColumns
from templ_core.dom.parse.declared_body import bare_letters

_LEAD = LeadConfig()
_PART = b"escription"
"""A part of the names, whatever case they begin with."""
_NAMES = frozenset((b"description", b"og:description", b"twitter:description"))


def lead_segments(claims: bytes, columns: PageColumns, config: LeadConfig = _LEAD) -> list[int]:
    """Return the numbers of the segments that are the headline and the lead of a page; there may be none.

    The headline is the only `h1` that has text, if it is at least half of the title, whose rest is the name of the site, or
    has the title. The lead is among the first segments behind that `h1`, and begins as a description does, or the
    other way round, since descriptions are cut off. Only letters and digits are compared.

    Args:
        claims: `Document.claims`.
        columns: The page.
        config: The tunable numbers.
    """
    nodes = columns.nodes
    first, behind = only_h1(
        columns.element_types, nodes["element_type"], nodes["parent"], columns.segments["owner"]
    )
    if first == behind:
        return []
    lead: list[int] = []
    title, headline = (
        bare_letters(text) for text in (columns.title, " ".join(columns.texts[first:behind]))
    )
    if title and (title in headline or (headline in title and 2 * len(headline) >= len(title))):
        lead += range(first, behind)
    declared = [one for one in _descriptions(claims, config) if len(one) >= config.letters_min]
    for segment in range(
        behind, min(behind + config.segments_max, len(columns.texts)) if declared else 0
    ):
        letters = bare_letters(columns.texts[segment])
        if len(letters) >= config.letters_min and any(
            letters.startswith(one) or one.startswith(letters) for one in declared
        ):
            return [*lead, segment]
    return lead


def _descriptions(claims: bytes, config: LeadConfig) -> Iterator[str]:
    """Yield the letters of the descriptions that `meta` elements declare."""
    at, tags = claims.find(_PART), 0
    while at >= 0 and tags < config.descriptions_max:
        start, end = claims.rfind(b"\0", 0, at) + 1, claims.find(b"\0", at)
        tag, *parts = claims[start : end if end >= 0 else len(claims)].split(b"\2")
        values = dict(zip(parts[::2], parts[1::2], strict=False))
        names = (values.get(name, b"").strip().lower() for name in (b"name", b"property"))
        if tag == b"meta" and not _NAMES.isdisjoint(names):
            content = values.get(b"content", b"")[: config.description_bytes_max]
            yield bare_letters(without_references(content.decode(errors="replace")))
        at, tags = claims.find(_PART, end) if end >= 0 else -1, tags + 1
