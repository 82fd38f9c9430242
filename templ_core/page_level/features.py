"""All features of a page's segments in one matrix."""

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.dom.document import Document
from templ_core.page_level.characters import (
    UInt64s,
    Words,
    read_characters,
    read_words,
    shape_hashes,
    text_hashes,
)
from templ_core.page_level.own_features import (
    Columns,
    link_columns,
    link_density,
    owner_columns,
    sentence_ends,
    text_columns,
)
from templ_core.page_level.page_tree import PageTree, read_tree
from templ_core.page_level.place_features import (
    copy_columns,
    group_columns,
    main_columns,
    nearest_tags,
    path_groups,
    styled_paths,
)

Ints = npt.NDArray[np.int64]
Matrix = npt.NDArray[np.float32]


class PageFeatures(msgspec.Struct, frozen=True, kw_only=True):
    """What is known about a page's segments before any model has seen them."""

    words: Words
    tree: PageTree
    group: Ints
    """Path group of each segment: owners of equal tags and attributes up to the root."""
    text: UInt64s
    """Hash of each segment's words."""
    shape: UInt64s
    """Hash of each segment's words, those with digits alike."""
    columns: Columns


def read_features(document: Document) -> PageFeatures:
    """The features of a page with at least one segment."""
    characters = read_characters(document.segments.texts)
    words = read_words(characters)
    w = np.maximum(words.per_segment, 1).astype(np.float64)
    tree = read_tree(document, w)
    links, ends = link_density(document, characters), sentence_ends(characters).astype(np.float64)
    semantic, tag_paths = nearest_tags(document)
    owner = document.segments.owner
    group = path_groups(styled_paths(document), owner)
    text = text_hashes(words)
    good = (w >= 10) & (links < 0.35) & ((ends > 0) | (w >= 25))
    return PageFeatures(
        words=words,
        tree=tree,
        group=group,
        text=text,
        shape=shape_hashes(characters, words),
        columns={
            **text_columns(characters, words),
            **link_columns(document, characters),
            **owner_columns(document, tree),
            **group_columns(group, w, links, ends, "path"),
            **group_columns(path_groups(tag_paths, owner), w, links, ends, "tags"),
            **copy_columns(text),
            **main_columns(tree, good, (w >= 20) & (links < 0.4)),
            **semantic,
        },
    )


def matrix(columns: Columns) -> Matrix:
    """Columns side by side; n_segments rows."""
    return np.stack(list(columns.values()), axis=1, dtype=np.float32, casting="unsafe")
