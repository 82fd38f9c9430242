"""The text that a page declares to be its article, in the JSON-LD of its scripts, and where it stands.

Scripts are left out before a page is parsed; those with JSON-LD are kept among the page's claims.
"""

import html
import json
import re
from itertools import islice

import numpy as np

from templ_core.array_types import Int32s
from templ_core.dom.config import DeclaredBodyConfig
from templ_core.dom.decode._bytes import may_stand_in
from templ_core.patterns import pattern

NO_BODY, OUTSIDE_BODY, INSIDE_BODY = range(3)
"""Values of `Segments.declared`: the page declares no body, or the segment is outside or inside it."""

_CONFIG = DeclaredBodyConfig()
_KEY = b'"articleBody"'
_BODY = pattern(_KEY + rb'\s*+:\s*+("[^"\\]*+(?:\\.[^"\\]*+)*+")', re.DOTALL)
_TAG = pattern(r"<[a-zA-Z/][^<>]*>")
_NO_LETTER = pattern(r"[\W_]+")


def declared_segments(
    claims: bytes, texts: list[str], config: DeclaredBodyConfig = _CONFIG
) -> Int32s:
    r"""Return whether each segment is inside the article body that the page declares.

    A body counts if most of it stands on the page; then a segment is inside it if its beginning or its
    end is. Only letters and digits are compared.

    >>> page = b'<script type="application/ld+json">{"articleBody": "It rains.\\nIt is cold."}</script>'
    >>> config = DeclaredBodyConfig(letters_min=10, own_letters_min=5)
    >>> declared_segments(page, ["News", "It rains.", "It is cold."], config).tolist()
    [1, 2, 2]

    Args:
        claims: `Document.claims`, or any other markup in UTF-8.
        texts: Text of each segment.
        config: The tunable numbers.

    Returns:
        One of NO_BODY, OUTSIDE_BODY and INSIDE_BODY for each segment.
    """
    nothing = np.zeros(len(texts), np.int32)  # NO_BODY
    body = _letters(_declared_body(claims, config)) if _KEY in claims else ""
    if len(body) < config.letters_min:
        return nothing
    declared: list[int] = []
    found: dict[str, int] = {}
    for text, may_be_inside in zip(texts, may_stand_in(body, texts), strict=True):
        if not may_be_inside:
            declared.append(OUTSIDE_BODY)
            continue
        letters = _letters(text)
        is_inside = letters[: config.edge_letters] in body or (
            len(letters) > config.edge_letters and letters[-config.edge_letters :] in body
        )
        declared.append(INSIDE_BODY if is_inside else OUTSIDE_BODY)
        if is_inside and len(letters) >= config.own_letters_min:
            found[letters] = len(letters)
    if sum(found.values()) < config.found_ratio_min * len(body):
        return nothing
    return np.array(declared, np.int32)


def _declared_body(claims: bytes, config: DeclaredBodyConfig) -> str:
    """Return the longest text that is declared; empty if there is none."""
    found = islice(_BODY.finditer(claims), config.bodies_max)
    return max((_text(one[1]) for one in found), key=len, default="")


def _text(literal: bytes) -> str:
    """Return the text of a string in JSON that may hold HTML; empty if it is no such string."""
    try:
        text = json.loads(literal, strict=False)
    except ValueError:
        return ""
    return _TAG.sub(" ", html.unescape(text))


def _letters(text: str) -> str:
    return _NO_LETTER.sub("", text).lower()
