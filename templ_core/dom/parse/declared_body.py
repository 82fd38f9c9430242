"""The text that a page declares to be its article: `articleBody` in its JSON-LD."""

import html
import json
import re
from itertools import islice

import numpy as np

from templ_core.array_types import Int32s
from templ_core.dom.config import DeclaredBodyConfig
from templ_core.dom.decode._bytes import may_stand_in
from templ_core.dom.parse._page_columns import PageColumns
from templ_core.encodable import encodable
from templ_core.patterns import pattern

NO_BODY, OUTSIDE_BODY, INSIDE_BODY, LEAD = range(4)
"""Values of `Segments.declared`: the page declares no body, or the segment is outside or inside it; or it is the headline or
the lead."""

_DECLARED = DeclaredBodyConfig()
_KEY = b'"articleBody"'
_BODY = pattern(_KEY + rb'\s*+:\s*+("[^"\\]*+(?:\\.[^"\\]*+)*+")', re.DOTALL)
_TAG = pattern(r"<[a-zA-Z/][^<>]*>")
_NO_LETTER = pattern(r"[\W_]+")
_LOWER = bytes(range(256)).lower()
_NO_ASCII_LETTERS = bytes(byte for byte in range(128) if not chr(byte).isalnum())


def declared_segments(
    claims: bytes, texts: list[str], config: DeclaredBodyConfig = _DECLARED
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
    body = bare_letters(_shown(_declared_body(claims, config))) if claims.find(_KEY) >= 0 else ""
    if len(body) < config.letters_min:
        return nothing
    declared: list[int] = []
    placed_letters: dict[str, int] = {}
    at = 0
    may_be_inside = may_stand_in(body, texts, config.edge_letters)
    for text, ends in zip(texts, may_be_inside, strict=True):
        if not ends:
            declared.append(OUTSIDE_BODY)
            continue
        letters = bare_letters(text)
        place = _find(body, letters[: config.edge_letters], at) if ends & 1 else -1
        if place < 0 and ends & 2 and len(letters) > config.edge_letters:
            place = _find(body, letters[-config.edge_letters :], at)
        declared.append(OUTSIDE_BODY if place < 0 else INSIDE_BODY)
        if place >= 0 and len(letters) >= config.own_letters_min:
            placed_letters[letters], at = len(letters), place
    if sum(placed_letters.values()) < config.found_ratio_min * len(body):
        return nothing
    return np.array(declared, np.int32)


def _declared_body(claims: bytes, config: DeclaredBodyConfig) -> str:
    """Return the longest text that is declared; empty if there is none."""
    bodies = islice(_BODY.finditer(claims), config.bodies_max)
    return max((_text(body[1]) for body in bodies), key=len, default="")


def _text(literal: bytes) -> str:
    """Return a string in JSON, which may hold HTML; empty if it is no such string."""
    try:
        return encodable(html.unescape(json.loads(literal, strict=False)))
    except ValueError:
        return ""


def _shown(body: str) -> str:
    return _TAG.sub(" ", body)


def _find(body: str, letters: str, at: int) -> int:
    """Return where letters are in a body, or -1; most are behind those of the segment before, which are `at`."""
    place = body.find(letters, at)
    return place if place >= 0 else body.find(letters, 0, at + len(letters))


def bare_letters(text: str) -> str:
    """Return the letters and digits of a text in lower case, by which texts are compared."""
    if text.isascii():
        return text.encode().translate(_LOWER, _NO_ASCII_LETTERS).decode()
    return _NO_LETTER.sub("", text).lower()


_NOT_FREE = pattern(rb"\"isAccessibleForFree\"\s*+:\s*+\"?false\b", re.IGNORECASE)
_TAG_OF_TEXT = pattern(r"<(?:p|br|div|h[1-6]|ul|ol|blockquote)\b", re.IGNORECASE)
_LINES = pattern(r"\s*\n\s*")


def body_in_place_of_page(
    claims: bytes,
    columns: PageColumns,
    config: DeclaredBodyConfig = _DECLARED,
) -> str:
    """Return the declared article as HTML where the page shows nothing else, or no more than its beginning.

    Scripts would show it. An article that must be paid for is never taken.

    Args:
        claims: `Document.claims`.
        columns: What the page shows.
        config: The tunable numbers.

    Returns:
        The article; empty where the page has a text of its own.
    """
    if claims.find(_KEY) < 0 or _NOT_FREE.search(claims):
        return ""
    declared = _declared_body(claims, config)
    body = bare_letters(_shown(declared))
    if len(body) < config.letters_min:
        return ""
    headline, own, repeated = bare_letters(columns.title), 0, 0
    link_chars = columns.segments["link_chars"].tolist()
    for text, linked in zip(columns.texts, link_chars, strict=True):
        letters = bare_letters(text)
        if body.startswith(letters, repeated):
            repeated += len(letters)
        elif letters not in headline:
            own += max(len(letters) - linked, 0)
    if own >= config.letters_min or repeated >= config.found_ratio_min * len(body):
        return ""
    if not _TAG_OF_TEXT.search(declared):
        lines = _LINES.split(_shown(declared).strip())
        declared = "".join(f"<p>{html.escape(line)}</p>" for line in lines)
    return f"<article><h1>{html.escape(columns.title)}</h1>{declared}</article>"
