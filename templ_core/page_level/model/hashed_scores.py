"""Two logistic regressions over hashed tokens: of tags and class names, and of words.

The weight of a token stands in a table at the place that its hash gives, so a model is a table of
numbers whatever the vocabulary. Tokens above a segment count once for each ancestor that has them,
which makes the score of a path a sum over its nodes.
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
from templ_core.page_level.config import MODEL_CONFIG
from templ_core.page_level.features.characters import Words, mix
from templ_core.page_level.model._attribute_scores import attribute_log_odds, role_levels
from templ_core.page_level.model._text_scores import table_size, text_log_odds, token_places

TABLE_SIZE = table_size()
"""Places of each table: 32 768. A table of 4 096 would cost 0.02 F1, more than 16 384 gains nothing."""
NAMES_SIZE = 1 << 12
"""Places of the table of tags and parts of class names that the page type is told by."""
_LEVELS = role_levels()
NODE_ROLES = tuple(_LEVELS)
"""What a node can be to a segment: the block it stands in (owner), an inline element of its text,
one of the three ancestors above the owner (above1 to above3), or an ancestor further up (far)."""
_LEVEL_SALTS = {role: np.uint64((level + 1) << 32) for role, level in _LEVELS.items()}
_TAG_SALTS = {role: np.uint64((number + 9) << 32) for number, role in enumerate(NODE_ROLES)}
_STEM = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_ROOTS = frozenset(("html", "body"))


class HashedTable(msgspec.Struct, frozen=True, kw_only=True):
    """The weights of one logistic regression."""

    weights: npt.NDArray[np.int8]
    """Log-odds of the tokens at each place, in units of `unit`; length TABLE_SIZE."""
    unit: float
    """Log-odds of a weight of 1."""
    bias: float
    """Log-odds of a segment without tokens."""


class TokenPlaces(NamedTuple):
    """The places of tokens in a table; both columns have the same length."""

    place: Int64s
    """Place of each token, 0 to TABLE_SIZE - 1."""
    group: Int64s
    """The element type or segment that each token belongs to."""


class ElementTypeTokens(msgspec.Struct, frozen=True, kw_only=True):
    """The element types of a page, and the hashes of their tokens."""

    of_node: Int32s
    """Number of each node's element type; length n_nodes."""
    number: int
    """How many element types there are."""
    tags: UInt64s
    """Hash of each element type's tag; length `number`."""
    stems: UInt64s
    """Hashes of the parts of all element types' attributes."""
    stem_types: Int64s
    """The element type that each of `stems` belongs to."""
    is_root: Bools
    """Whether each is `html` or `body`, which count only as owners; length `number`."""

    def places(self, role: str) -> TokenPlaces:
        """Return the places of the tokens of each element type in a role.

        Args:
            role: One of NODE_ROLES.
        """
        counts = ~self.is_root
        stems = counts[self.stem_types]
        tags = np.flatnonzero(counts | (role == "owner"))
        hashes = np.concatenate(
            [self.stems[stems] ^ _LEVEL_SALTS[role], self.tags[tags] ^ _TAG_SALTS[role]]
        )
        place = (mix(hashes) % np.uint64(TABLE_SIZE)).astype(np.int64)
        return TokenPlaces(place, np.concatenate([self.stem_types[stems], tags]))


def read_element_types(document: Document) -> ElementTypeTokens:
    """Return the tokens of a page's element types: those that `read_attributes` counts."""
    element_types = document.nodes.element_types
    stems = [stem_hashes(attributes) for _, attributes in element_types]
    return ElementTypeTokens(
        of_node=document.nodes.element_type,
        number=len(element_types),
        tags=np.array([_hash(tag) for tag, _ in element_types], np.uint64),
        stems=np.array([stem for some in stems for stem in some], np.uint64),
        stem_types=np.repeat(np.arange(len(element_types)), [len(some) for some in stems]),
        is_root=np.array([tag in _ROOTS for tag, _ in element_types], np.bool_),
    )


@functools.lru_cache(maxsize=1 << 14)
def stem_hashes(attributes: str) -> tuple[int, ...]:
    """Return the hashes of the different stems of a string of attributes.

    Stems are runs of ASCII letters, split where lower case turns into upper case.

    Example:
        >>> stem_hashes("postComments post-17") == stem_hashes("comments post")
        True
    """
    if not attributes:
        return ()
    return tuple(sorted({_hash(stem.lower()) for stem in _STEM.findall(attributes)}))


def _hash(token: str) -> int:
    return zlib.crc32(token.encode("utf-8", "replace"))


class AttributeReading(NamedTuple):
    """What the tags and attributes of a page say."""

    log_odds: Floats
    """Log-odds for content of each segment; length n_segments."""
    names: Int64s
    """Places of the different tags and parts of class names, ascending, each below NAMES_SIZE."""


def read_attributes(document: Document, table: HashedTable) -> AttributeReading:
    """Return what the tags, class names, ids and roles of a page say.

    Example:
        >>> from templ_core.dom.document import parse_document
        >>> from templ_core.page_level.model.model_file import shipped_model
        >>> html = "<nav class=menu>Home</nav><article class=story><p>It rains.</p></article>"
        >>> page = parse_document(html, "https://example.com/")
        >>> scores = read_attributes(page, shipped_model().attribute).log_odds
        >>> bool(scores[0] < scores[1])
        True
    """
    limit = MODEL_CONFIG.score_log_odds_max
    return AttributeReading(*attribute_log_odds(document, table, limit, NAMES_SIZE))


def text_scores(words: Words, heading: Int64s, table: HashedTable) -> Floats:
    """Return log-odds for content from words; length n_segments.

    Args:
        words: The page's words.
        heading: Number of the last heading before each segment, -1 where there is none.
        table: The regression's weights.

    Example:
        >>> from templ_core.page_level.features.characters import read_characters, read_words
        >>> from templ_core.page_level.model.model_file import shipped_model
        >>> words = read_words(read_characters(["Read more", "The council met on Monday."]))
        >>> scores = text_scores(words, np.array([-1, -1]), shipped_model().text)
        >>> bool(scores[0] < scores[1])
        True
    """
    return text_log_odds(words, heading, table, MODEL_CONFIG.score_log_odds_max)


def text_places(words: Words) -> TokenPlaces:
    """Return the places of each segment's own tokens, each token once.

    Tokens are the first words, the first three words as one, and a short text as a whole.
    """
    everything = np.ones(len(words.per_segment), np.uint8)
    return TokenPlaces(*token_places(words.hashes, words.per_segment, everything, as_heading=False))


def heading_places(words: Words, heading: Int64s) -> TokenPlaces:
    """Return the places of the tokens of headings, which hash differently from text.

    Only segments are read that are the last heading before another segment.

    Args:
        words: The page's words.
        heading: Number of the last heading before each segment, -1 where there is none.
    """
    used = np.zeros(len(words.per_segment), np.uint8)
    used[heading[heading >= 0]] = 1
    return TokenPlaces(*token_places(words.hashes, words.per_segment, used, as_heading=True))
