"""All features of a page's segments in one matrix."""

import msgspec
import numpy as np

from templ_core.array_types import Float32s, Int64s, UInt64s
from templ_core.dom.document import Document
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
from templ_core.page_level.features.page_tree import PageTree, read_tree
from templ_core.page_level.features.place_features import (
    COPY_FEATURES,
    FARTHEST,
    GROUP_FEATURES,
    GROUPS,
    MAIN_FEATURES,
    MAIN_SHARES,
    NO_SUCH_TAG,
    SEMANTIC_TAGS,
    TAG_FEATURES,
)

FEATURES = (
    *TEXT_FEATURES,
    *LINK_FEATURES,
    *OWNER_FEATURES,
    *(f"{group}: {name}" for group in GROUPS for name in GROUP_FEATURES),
    *COPY_FEATURES,
    *MAIN_FEATURES,
    *TAG_FEATURES,
)
"""Names of the columns."""
_OWNERS = {tag: number for number, tag in enumerate(OWNER_TAGS)}
_SEMANTIC = {tag: number for number, tag in enumerate(SEMANTIC_TAGS)}


class PageFeatures(msgspec.Struct, frozen=True, kw_only=True):
    """What is known about a page's segments before any model has seen them."""

    words: Words
    tree: PageTree
    group: Int64s
    """Path group of each segment: owners of equal tags and attributes up to the root."""
    text: UInt64s
    """Hash of each segment's words."""
    shape: UInt64s
    """Hash of each segment's words, those with digits alike."""
    rows: Float32s
    """(n_segments, len(FEATURES))."""


def read_features(document: Document) -> PageFeatures:
    """The features of a page with at least one segment."""
    segments = document.segments
    characters = read_characters(segments.texts)
    words = read_words(characters)
    tree = read_tree(document, np.maximum(words.per_segment, 1).astype(np.float64))
    ends, density = sentence_ends(characters), link_density(characters, segments)
    text = text_hashes(words)
    group, tag_group = path_groups(document)
    rows = np.empty((len(segments.texts), len(FEATURES)), np.float32)
    column = fill_text(characters, words, ends, rows, 0)
    column = fill_links(segments, density, rows, column)
    column = fill_owners(document, tree.compressed_depth, _OWNERS, rows, column)
    column = fill_groups(group, tree.words, density, ends, rows, column)
    column = fill_groups(tag_group, tree.words, density, ends, rows, column)
    column = fill_copies(text, rows, column)
    column = fill_main(tree, density, ends, MAIN_SHARES, rows, column)
    fill_tags(document, _SEMANTIC, FARTHEST, NO_SUCH_TAG, rows, column)
    return PageFeatures(
        words=words,
        tree=tree,
        group=group,
        text=text,
        shape=shape_hashes(words),
        rows=rows,
    )
