"""The text blocks of a page that Kolcz and Yih classify.

Kolcz, Yih, *Site-Independent Template-Block Detection*, PKDD 2007, section 4.1.
"""

import hashlib

import msgspec
import numpy as np

from templ_core.array_types import Int32s, Int64s
from templ_core.dom.document import Document
from templ_core.dom.tree import sums_below
from templ_core.lab.layout.presentation import Presentation
from templ_core.tokens import tokenise

_BLOCK_TAGS = frozenset((
    "blockquote", "dd", "div", "dl", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "li", "ol", "pre",
    "small", "table", "td", "th", "tr", "ul",
))  # fmt: skip
_CHARS_MIN = 40
_DISTINCT_WORDS_MIN = 3


class TextBlocks(msgspec.Struct, frozen=True, kw_only=True):
    """The text blocks of a page in document order; columns of length n_blocks."""

    node: Int64s
    """Number of the element."""
    parent: Int64s
    """Index of the nearest block around each block; -1 if there is none."""
    texts: list[str]
    """Text of each block, with white space collapsed."""
    digests: list[bytes]
    """Digest of each text: equal for equal texts, whatever the markup."""


def read_blocks(document: Document, presentation: Presentation) -> TextBlocks:
    """Return the block elements with at least 40 characters and 3 different words.

    Args:
        document: The page.
        presentation: The presentation of the same page.
    """
    nodes, segments = document.nodes, document.segments
    held = np.rint(
        sums_below(nodes.end, np.bincount(segments.owner, minlength=len(nodes.tags)))
    ).astype(np.int64)
    first = np.searchsorted(segments.inline_to, np.arange(len(nodes.tags)), side="right")
    flat = [" ".join(text.split()) for text in segments.texts]
    found: list[int] = []
    texts: list[str] = []
    for node, tag in enumerate(nodes.tags):
        if tag not in _BLOCK_TAGS:
            continue
        if tag == "small":
            text = presentation.small_texts[node]
        else:
            text = " ".join(flat[first[node] : first[node] + held[node]])
        if len(text) >= _CHARS_MIN and len(set(tokenise(text.lower()))) >= _DISTINCT_WORDS_MIN:
            found.append(node)
            texts.append(text)
    return TextBlocks(
        node=np.array(found, np.int64),
        parent=_parents(found, nodes.end),
        texts=texts,
        digests=[hashlib.blake2b(text.encode(), digest_size=16).digest() for text in texts],
    )


def _parents(found: list[int], end: Int32s) -> Int64s:
    """Return the index of the nearest block around each block, or -1."""
    parents: list[int] = []
    around: list[int] = []
    for place, node in enumerate(found):
        while around and end[found[around[-1]]] <= node:
            around.pop()
        parents.append(around[-1] if around else -1)
        around.append(place)
    return np.array(parents, np.int64)
