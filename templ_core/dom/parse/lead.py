"""The lead of a page: the text below its headline that the page declares as its description."""

from collections.abc import Iterator
from itertools import chain

from templ_core.dom.config import LeadConfig
from templ_core.dom.parse._page_columns import PageColumns
from templ_core.dom.parse.declared_body import bare_letters
from templ_core.dom.tags import without_references

_LEAD = LeadConfig()
_PART = b"escription"
"""A part of the names, whatever case they begin with."""
_NAMES = frozenset((b"description", b"og:description", b"twitter:description"))


def lead_segment(claims: bytes, columns: PageColumns, config: LeadConfig = _LEAD) -> int:
    """Return the number of the segment that is the lead, -1 if there is none.

    It is among the first segments behind the only `h1` that has text, and begins as a description does, or the other way
    round, since descriptions are cut off. Only letters and digits are compared.

    Args:
        claims: `Document.claims`.
        columns: The page.
        config: The tunable numbers.
    """
    declared = [one for one in _descriptions(claims, config) if len(one) >= config.letters_min]
    first = _behind_headline(columns) if declared else -1
    if first < 0:
        return -1
    for segment in range(first, min(first + config.segments_max, len(columns.texts))):
        letters = bare_letters(columns.texts[segment])
        if len(letters) >= config.letters_min and any(
            letters.startswith(one) or one.startswith(letters) for one in declared
        ):
            return segment
    return -1


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


def _behind_headline(columns: PageColumns) -> int:
    """Return the first segment behind the only `h1` that has text, -1 if none or several have."""
    types = [number for number, (tag, _) in enumerate(columns.element_types) if tag == "h1"]
    type_of, owner, behind = columns.nodes["element_type"], columns.segments["owner"], -1
    for node in chain.from_iterable((type_of == one).nonzero()[0].tolist() for one in types):
        first, last = owner.searchsorted((node, columns.nodes["end"][node])).tolist()
        if first == last:
            continue
        if behind >= 0:
            return -1
        behind = last
    return behind
