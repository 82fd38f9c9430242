"""The lead of a page: the text below its headline that the page declares as its description."""

from collections.abc import Iterator
from itertools import islice

import numpy as np

from templ_core.dom.config import LeadConfig
from templ_core.dom.parse._page_columns import PageColumns
from templ_core.dom.tags import without_references
from templ_core.patterns import pattern

_LEAD = LeadConfig()
_NAMES = frozenset((b"description", b"og:description", b"twitter:description"))
_NO_LETTER = pattern(r"[\W_]+")


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
        letters = _letters(columns.texts[segment])
        if len(letters) >= config.letters_min and any(
            letters.startswith(one) or one.startswith(letters) for one in declared
        ):
            return segment
    return -1


def _descriptions(claims: bytes, config: LeadConfig) -> Iterator[str]:
    """Yield the letters of the descriptions that `meta` elements declare."""
    if claims.find(b"escription") < 0:
        return
    for claim in islice(claims.split(b"\0"), config.claims_max):
        tag, *parts = claim.split(b"\2")
        if tag != b"meta":
            continue
        values = dict(zip(parts[::2], parts[1::2], strict=False))
        names = (values.get(name, b"").strip().lower() for name in (b"name", b"property"))
        if not _NAMES.isdisjoint(names):
            content = values.get(b"content", b"")[: config.description_bytes_max]
            yield _letters(without_references(content.decode(errors="replace")))


def _behind_headline(columns: PageColumns) -> int:
    """Return the first segment behind the only `h1` that has text, -1 if none or several have."""
    types = [number for number, (tag, _) in enumerate(columns.element_types) if tag == "h1"]
    headings = np.flatnonzero(np.isin(columns.nodes["element_type"], types))
    owner, behind = columns.segments["owner"], -1
    for node in headings.tolist():
        within = np.searchsorted(owner, (node, columns.nodes["end"][node]))
        if within[0] == within[1]:
            continue
        if behind >= 0:
            return -1
        behind = int(within[1])
    return behind


def _letters(text: str) -> str:
    return _NO_LETTER.sub("", text).casefold()
