"""Two logistic regressions over hashed tokens: of tags and class names, and of words.

A token's weight stands in a table at the place its hash gives, so a model is a table of numbers
whatever the vocabulary. Tokens above a segment count once for each ancestor that has them, which
makes the score of a path a sum over its nodes.
"""

import functools
import re
import zlib
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.array_types import Bools, Floats, Int32s, Int64s, UInt64s
from templ_core.dom.document import Document
from templ_core.page_level.features.characters import (
    Words,
    mix,
)
from templ_core.page_level.model import _text_scores
from templ_core.page_level.model._attribute_scores import attribute_sums
from templ_core.page_level.model._text_scores import text_sums, token_places

TABLE_SIZE = 1 << 15
"""Places of each table; 4 096 would cost 0.02, more than 16 384 gains nothing."""
ODDS_MAX = 8.0
ROLES = ("owner", "inline", "above1", "above2", "above3", "far")
"""What a node can be to a segment: the block it stands in, an inline element of its text, one of
the three ancestors above the owner, or one further up."""
_LEVELS = {"owner": 0, "inline": 0, "above1": 1, "above2": 1, "above3": 1, "far": 2}
_LEVEL_SALTS = {role: np.uint64((level + 1) << 32) for role, level in _LEVELS.items()}
_TAG_SALTS = {role: np.uint64((number + 9) << 32) for number, role in enumerate(ROLES)}
_STEM = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_ROOTS = frozenset(("html", "body"))

HEADINGS = {f"h{level}": level for level in range(1, 7)}
"""Level of each heading tag."""


class HashedTable(msgspec.Struct, frozen=True, kw_only=True):
    """Weights of one logistic regression."""

    weights: npt.NDArray[np.int8]
    """Length TABLE_SIZE, in units of `unit`."""
    unit: float
    bias: float

    def log_odds(self, sums: Floats) -> Floats:
        """Log-odds for sums of weights; what many tokens repeat does not count without limit."""
        return np.minimum(np.maximum(self.bias + sums, -ODDS_MAX), ODDS_MAX)


class TokenPlaces(NamedTuple):
    """Places of tokens in a table; both columns of equal length."""

    place: Int64s
    group: Int64s
    """The node or segment a token belongs to."""


class NodeTypes(msgspec.Struct, frozen=True, kw_only=True):
    """The different pairs of tag and attributes on a page, and the hashes of their tokens."""

    of_node: Int32s
    """Which element_type each node is; length n_nodes."""
    number: int
    tags: UInt64s
    """Hash of each element_type's tag; length `number`."""
    stems: UInt64s
    """Hashes of the parts of all element_types' attributes."""
    stem_types: Int64s
    """The element_type each stem belongs to."""
    is_root: Bools
    """`html` and `body`, which only count as owners; length `number`."""

    def places(self, role: str) -> TokenPlaces:
        """Places of the tokens that a element_type has in a role; grouped by element_type."""
        counts = ~self.is_root
        stems = counts[self.stem_types]
        tags = np.flatnonzero(counts | (role == "owner"))
        hashes = np.concatenate(
            [self.stems[stems] ^ _LEVEL_SALTS[role], self.tags[tags] ^ _TAG_SALTS[role]]
        )
        place = (mix(hashes) % np.uint64(TABLE_SIZE)).astype(np.int64)
        return TokenPlaces(place, np.concatenate([self.stem_types[stems], tags]))


def read_element_types(document: Document) -> NodeTypes:
    """The element types of a page."""
    element_types = document.nodes.element_types
    stems = [stem_hashes(attributes) for _, attributes in element_types]
    return NodeTypes(
        of_node=document.nodes.element_type,
        number=len(element_types),
        tags=np.array([_hash(tag) for tag, _ in element_types], np.uint64),
        stems=np.array([stem for some in stems for stem in some], np.uint64),
        stem_types=np.repeat(np.arange(len(element_types)), [len(some) for some in stems]),
        is_root=np.array([tag in _ROOTS for tag, _ in element_types], np.bool_),
    )


@functools.lru_cache(maxsize=1 << 14)
def stem_hashes(attributes: str) -> tuple[int, ...]:
    """Hashes of the different letters-only parts of `attributes`, split at changes of case."""
    if not attributes:
        return ()
    return tuple(sorted({_hash(stem.lower()) for stem in _STEM.findall(attributes)}))


def _hash(token: str) -> int:
    return zlib.crc32(token.encode("utf-8", "replace"))


def attribute_scores(document: Document, table: HashedTable) -> Floats:
    """Log-odds for content from tags, class names, ids and roles; length n_segments."""
    nodes, segments = document.nodes, document.segments
    sums = attribute_sums(
        nodes.element_types,
        nodes.element_type,
        nodes.parent,
        nodes.end,
        segments.owner,
        segments.inline_from,
        segments.inline_to,
        table.weights,
        table.unit,
    )
    return table.log_odds(sums)


def text_scores(words: Words, heading: Int64s, table: HashedTable) -> Floats:
    """Log-odds for content from words; length n_segments.

    Args:
        words: The page's words.
        heading: Number of the last heading before each segment, -1 without one.
        table: The regression's weights.
    """
    return table.log_odds(
        table.unit * text_sums(words.hashes, words.per_segment, heading, table.weights)
    )


def text_places(words: Words) -> TokenPlaces:
    """Places of each segment's text tokens, every token once.

    Tokens are the first words, the first three words as one, and a short text as a whole.
    """
    everything = np.ones(len(words.per_segment), np.uint8)
    return TokenPlaces(*token_places(words.hashes, words.per_segment, everything, as_heading=False))


def heading_places(words: Words, heading: Int64s) -> TokenPlaces:
    """The same for segments that are the last heading before some segment, hashed apart."""
    used = np.zeros(len(words.per_segment), np.uint8)
    used[heading[heading >= 0]] = 1
    return TokenPlaces(*token_places(words.hashes, words.per_segment, used, as_heading=True))


def last_headings(document: Document) -> Int64s:
    """Number of the last heading before each segment, -1 without one; length n_segments."""
    return _text_scores.last_headings(document, HEADINGS)
