"""All features of a page's segments in one matrix.

The loops that fill it are in `_page_features.pyx`, one file for each part of a row: `_own_features.pxd`
for a segment's text, links and owner, `_place_features.pxd` for where it stands, and `_declared_features.pxd`
for what the page declares.
"""

import functools
from typing import Any

import msgspec
import numpy as np

from templ_core.array_types import Float32s, Floats, Int32s, Int64s, UInt64s
from templ_core.dom.document import Document
from templ_core.page_level.config import FEATURE_CONFIG
from templ_core.page_level.features import _characters
from templ_core.page_level.features._page_features import fill_rows, row_names
from templ_core.page_level.features.characters import Words, shape_hashes, text_hashes
from templ_core.page_level.features.surroundings import last_headings, read_surroundings
from templ_core.page_level.page_tree import PageTree, read_tree

OWNER_TAGS = (
    "p", "h1", "h2", "h3", "h4", "li", "td", "div", "button", "pre", "th", "dd", "option",
    "noscript", "form",
)  # fmt: skip
"""Tags of owners that have a column each."""
SEMANTIC_TAGS = (
    "nav", "aside", "header", "footer", "main", "article", "section", "form", "table", "ul", "ol",
    "li", "dl", "blockquote", "pre", "figure", "button", "select", "details", "td", "p", "noscript",
)  # fmt: skip
"""Tags whose nearest element above a segment is looked for; at most 32, one bit each."""


def _names() -> tuple[str, ...]:
    row = row_names()
    return (
        *row["text"],
        *row["links"],
        *(name for name in row["owner"] if name != "tags"),
        *(f"in {tag}" for tag in OWNER_TAGS),
        *(f"{group}: {name}" for group in ("path", "tags") for name in row[group]),
        *row["copies"],
        *(
            f"main {share}: {name}"
            for share in FEATURE_CONFIG.main_shares
            for name in (*row["main"][0]["position"], "share")
        ),
        "among long",
        *(f"up to {tag}" for tag in SEMANTIC_TAGS),
        "inside main",
        "inside article",
        *(f"declared: {name}" for name in row["declared"]),
    )


FEATURES = _names()
"""Names of the columns of `PageFeatures.rows`, in their order."""
_NUMBERS = tuple(
    dict(zip(tags, range(len(tags)), strict=True)) for tags in (OWNER_TAGS, SEMANTIC_TAGS)
)


class PageFeatures(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """What is known about a page's segments before any model has seen them."""

    words: Words
    """All words of the page."""
    tree: PageTree
    """Where the segments stand in the page's tree."""
    group: Int64s
    """Path group of each segment: owners of equal tags and attributes up to the root."""
    text: UInt64s
    """Hash of each segment's words; length n_segments."""
    title: UInt64s
    """Hash of each word of the page's title."""
    surroundings: Int32s
    """What the elements around each segment say about it, as bits; length n_segments."""
    link_density: Floats
    """Share of each segment's characters that is link text, 0 to 1; length n_segments."""
    rows: Float32s
    """(n_segments, len(FEATURES)): the features."""

    @property
    def last_heading(self) -> Int64s:
        """Number of the last heading before each segment, -1 without one; length n_segments."""
        return last_headings(self.surroundings)

    @functools.cached_property
    def shape(self) -> UInt64s:
        """Hash of each segment's words, all words with digits being equal; length n_segments."""
        return shape_hashes(self.words)


def read_features(document: Document) -> PageFeatures:
    """Return the features of a page with at least one segment."""
    characters = _characters.read_characters([*document.segments.texts, document.title])
    word_columns, title = _characters.read_words_and_title(characters)
    words = Words(**word_columns)
    columns: dict[str, Any] = {
        "words": words,
        "tree": read_tree(document, np.maximum(words.per_segment, 1).astype(np.float64)),
        "text": text_hashes(words),
        "title": title,
        "surroundings": read_surroundings(document),
    }
    return PageFeatures(**columns, **fill_rows(document, characters, columns, _NUMBERS))
