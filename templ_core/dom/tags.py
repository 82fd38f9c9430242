"""What HTML's tags mean for the text inside and around them."""


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

`head` is not among them, because the parser leaves in it all that follows a head without an end tag:
sometimes the whole page.
"""

SPACE_AFTER = _names("img input label")
"""Inline tags that separate the words before and after them."""

CELLS = _names("td th")
"""Tags of table cells."""

HEADING_LEVELS = {f"h{level}": level for level in range(1, 7)}
"""The heading tags and their levels, 1 to 6."""
