"""What HTML's tag names mean for text."""


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


INLINE = _names(
    """
    a abbr acronym b bdi bdo big cite code data del dfn em font i img input ins kbd label mark
    nobr q rp rt ruby s samp small span strike strong sub sup time tt u var wbr br
    """
)
"""Tags that do not end a run of text; every other tag, unknown ones included, is a block."""

INVISIBLE = _names(
    "script style template title iframe object svg textarea math canvas audio video map"
)
"""Tags whose content is not text of the page.

Not `head`: the parser leaves in it what follows a head without an end, up to whole pages.
"""

SPACE_AFTER = _names("img input label")
"""Inline tags that separate words."""

CELLS = _names("td th")
"""Tags of table cells."""
