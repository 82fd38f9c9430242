"""All features of a page's segments in one matrix."""

import functools

import msgspec
import numpy as np

from templ_core.array_types import Float32s, Floats, Int32s, Int64s, UInt64s
from templ_core.dom.document import Document
from templ_core.page_level.config import FEATURE_CONFIG
from templ_core.page_level.features._declared_features import fill_declared
from templ_core.page_level.features._own_features import fill_links, fill_owners, fill_text
from templ_core.page_level.features._place_features import (
    fill_copies,
    fill_groups,
    fill_main,
    fill_tags,
    path_groups,
)
from templ_core.page_level.features.characters import (
    Words,
    read_characters,
    read_words,
    shape_hashes,
    text_hashes,
)
from templ_core.page_level.features.own_features import (
    LINK_FEATURES,
    OWNER_FEATURES,
    OWNER_TAGS,
    TEXT_FEATURES,
    link_density,
    sentence_ends,
)
from templ_core.page_level.features.place_features import (
    COPY_FEATURES,
    DECLARED_FEATURES,
    GROUP_FEATURES,
    GROUPS,
    MAIN_FEATURES,
    SEMANTIC_TAGS,
    TAG_FEATURES,
    title_hashes,
    title_words,
)
from templ_core.page_level.features.surroundings import read_surroundings
from templ_core.page_level.page_tree import PageTree, read_tree

FEATURES = (
    *TEXT_FEATURES,
    *LINK_FEATURES,
    *OWNER_FEATURES,
    *(f"{group}: {name}" for group in GROUPS for name in GROUP_FEATURES),
    *COPY_FEATURES,
    *MAIN_FEATURES,
    *TAG_FEATURES,
    *DECLARED_FEATURES,
)
"""Names of the columns of `PageFeatures.rows`, in their order."""
_OWNER_NUMBERS = {tag: number for number, tag in enumerate(OWNER_TAGS)}
_SEMANTIC_NUMBERS = {tag: number for number, tag in enumerate(SEMANTIC_TAGS)}


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

    @functools.cached_property
    def shape(self) -> UInt64s:
        """Hash of each segment's words, all words with digits being equal; length n_segments."""
        return shape_hashes(self.words)


def read_features(document: Document) -> PageFeatures:
    """Return the features of a page with at least one segment.

    Example:
        >>> from templ_core.dom.document import parse_document
        >>> html = "<nav><a href=/>Home</a></nav><p>It rains, and it is cold.</p>"
        >>> features = read_features(parse_document(html, "https://example.com/"))
        >>> features.rows.shape == (2, len(FEATURES))
        True
        >>> features.rows[:, FEATURES.index("commas")].tolist()
        [0.0, 1.0]
    """
    config, segments = FEATURE_CONFIG, document.segments
    characters = read_characters(segments.texts)
    words = read_words(characters)
    text = text_hashes(words)
    tree = read_tree(document, np.maximum(words.per_segment, 1).astype(np.float64))
    ends, density = sentence_ends(characters), link_density(characters, segments)
    group, tag_group = path_groups(document)
    rows = np.empty((len(segments.texts), len(FEATURES)), np.float32)
    column = fill_text(characters, words, ends, config, rows, 0)
    column = fill_links(segments, density, config, rows, column)
    column = fill_owners(document, tree.compressed_depth, _OWNER_NUMBERS, config, rows, column)
    column = fill_groups(group, tree.words, density, ends, rows, column)
    column = fill_groups(tag_group, tree.words, density, ends, rows, column)
    column = fill_copies(text, config, rows, column)
    column = fill_main(tree, density, ends, config, rows, column)
    column = fill_tags(document, _SEMANTIC_NUMBERS, config, rows, column)
    surroundings = read_surroundings(document)
    title = title_hashes(document.title)
    fill_declared(segments.declared, words, title_words(title), surroundings, config, rows, column)
    return PageFeatures(
        words=words,
        tree=tree,
        group=group,
        text=text,
        title=title,
        surroundings=surroundings,
        link_density=density,
        rows=rows,
    )
