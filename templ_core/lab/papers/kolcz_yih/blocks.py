"""The text blocks of a page that Kolcz and Yih classify: which they are, their labels, their features.

Kolcz, Yih, *Site-Independent Template-Block Detection*, PKDD 2007, sections 3 and 4.1. Blocks on many pages of a site
are template, blocks on one page are not. The features are those of section 3, step 4: the block by itself, its
difference from the rest of the page, and its place in the tree. Words are scored apart.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence

import msgspec
import numpy as np

from templ_core import letters as chars
from templ_core.array_types import Bools, Floats, Int32s, Int64s
from templ_core.dom.document import Document
from templ_core.lab.layout import Presentation
from templ_core.lab.tree_sums import sums_below
from templ_core.page_level.features.characters import Characters, Words, read_characters, read_words
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
    """Return the block elements with at least 40 characters and 3 different words."""
    nodes, segments = document.nodes, document.segments
    held = np.rint(
        sums_below(nodes.end, np.bincount(segments.owner, minlength=len(nodes.tags)))
    ).astype(np.int64)
    first = np.searchsorted(segments.inline_to, np.arange(len(nodes.tags)), side="right")
    flat = [" ".join(text.split()) for text in segments.texts]
    block_nodes: list[int] = []
    texts: list[str] = []
    for node, tag in enumerate(nodes.tags):
        if tag not in _BLOCK_TAGS:
            continue
        if tag == "small":
            text = presentation.small_texts[node]
        else:
            text = " ".join(flat[first[node] : first[node] + held[node]])
        if len(text) >= _CHARS_MIN and len(set(tokenise(text.lower()))) >= _DISTINCT_WORDS_MIN:
            block_nodes.append(node)
            texts.append(text)
    return TextBlocks(
        node=np.array(block_nodes, np.int64),
        parent=_parents(block_nodes, nodes.end),
        texts=texts,
        digests=[hashlib.blake2b(text.encode(), digest_size=16).digest() for text in texts],
    )


def _parents(block_nodes: list[int], end: Int32s) -> Int64s:
    """Return the index of the nearest block around each block, or -1."""
    parents: list[int] = []
    around: list[int] = []
    for place, node in enumerate(block_nodes):
        while around and end[block_nodes[around[-1]]] <= node:
            around.pop()
        parents.append(around[-1] if around else -1)
        around.append(place)
    return np.array(parents, np.int64)


_TEMPLATE_SHARE = 0.10
"""Least share of the pages that a template block is on."""
_TEMPLATE_PAGES_MIN = 3
"""Least number of these pages, since on small sites a tenth of the pages is one or two."""


BlockLabels = tuple[Int64s, Bools]
"""The indices of the blocks of a page that have a label, ascending, and whether each is template; other blocks are
ignored."""


def block_labels(pages: Sequence[TextBlocks]) -> list[BlockLabels]:
    """Return the labels of all pages of a site.

    A block that is on at least a tenth of the pages is template. A block that is on a single page,
    as are all blocks inside it, is content; only the topmost of such blocks gets a label. All other
    blocks, and blocks that repeat a text of their page, have no label.
    """
    pages_with = Counter(digest for page in pages for digest in set(page.digests))
    wanted = max(_TEMPLATE_SHARE * len(pages), _TEMPLATE_PAGES_MIN)
    return [
        _labels(page, [pages_with[digest] for digest in page.digests], wanted) for page in pages
    ]


def _labels(page: TextBlocks, pages_with: list[int], wanted: float) -> BlockLabels:
    parent = page.parent.tolist()
    all_unique = [count == 1 for count in pages_with]
    for place in reversed(range(len(parent))):
        if parent[place] >= 0 and not all_unique[place]:
            all_unique[parent[place]] = False
    in_content = [False] * len(parent)
    seen: set[bytes] = set()
    labels: list[tuple[int, bool]] = []
    for place, digest in enumerate(page.digests):
        above = parent[place]
        in_content[place] = all_unique[place] or (above >= 0 and in_content[above])
        is_new = digest not in seen
        seen.add(digest)
        if pages_with[place] >= wanted:
            if is_new:
                labels.append((place, True))
        elif all_unique[place] and is_new and not (above >= 0 and in_content[above]):
            labels.append((place, False))
    labelled = np.array([place for place, _ in labels], np.int64)
    return labelled, np.array([template for _, template in labels], np.bool_)


_COUNTED_TAGS = (
    "a", "img", "li", "p", "br", "td", "tr", "table", "div", "span", "ul", "form", "input",
    "button", "option", "h1", "h2", "h3", "h4", "hr", "pre", "dt", "label", "iframe",
)  # fmt: skip
_FORMATTING = frozenset((
    "b", "strong", "i", "em", "u", "font", "big", "small", "sup", "sub", "code", "tt", "strike",
    "s", "center", "mark", "cite",
))  # fmt: skip
_PLACE_TAGS = (
    "", "html", "body", "div", "td", "li", "ul", "ol", "tr", "table", "tbody", "p", "section",
    "article", "main", "aside", "nav", "header", "footer", "form", "dl", "dd", "dt", "h1", "h2",
    "h3", "h4", "h5", "h6", "blockquote", "pre", "th", "center", "span", "small",
)  # fmt: skip
"""Tags of a block or of its parent that are features; all other tags count as one."""


class BlockFeatures(msgspec.Struct, frozen=True, kw_only=True):
    """The features of the blocks of a page."""

    words: Words
    """The words of all blocks; `segment` is the number of the block."""
    columns: dict[str, Floats]
    """The features by name; each of length n_blocks."""

    @property
    def rows(self) -> Floats:
        """The features side by side, (n_blocks, n_features)."""
        return np.stack(list(self.columns.values()), axis=1)


def read_block_features(
    document: Document, presentation: Presentation, blocks: TextBlocks
) -> BlockFeatures:
    """Return the features of the blocks of a page."""
    characters = read_characters(blocks.texts)
    words = read_words(characters)
    page = read_words(read_characters(document.segments.texts))
    return BlockFeatures(
        words=words,
        columns={
            **_text_columns(characters, words),
            **_tag_columns(document, blocks, words),
            **_difference_columns(document, blocks, words, page),
            **_place_columns(document, presentation, blocks),
        },
    )


def _text_columns(characters: Characters, words: Words) -> dict[str, Floats]:
    number = np.maximum(words.per_segment, 1).astype(np.float64)
    size = characters.lengths.astype(np.float64)
    marks = {
        "commas": chars.COMMA,
        "stops": chars.SENTENCE_END,
        "separators": chars.SEPARATOR,
        "colons": chars.COLON,
        "brackets and quotes": chars.CLOSER,
        "copyright": chars.COPYRIGHT,
    }
    counts = {
        name: characters.count(characters.has(bits)).astype(np.float64)
        for name, bits in marks.items()
    }
    upper = (characters.classes[words.first] & chars.UPPER) != 0
    plain = chars.WORD | chars.UNSPACED | chars.SPACE
    return {
        "characters": size,
        "words": number,
        "different words": _different(words).astype(np.float64),
        "different words per word": _different(words) / number,
        "word length": np.bincount(words.segment, words.length, len(number)) / number,
        "upper-case words": np.bincount(words.segment, upper, len(number)) / number,
        "digits": characters.count(characters.has(chars.DIGIT)) / size,
        "punctuation": characters.count(~characters.has(plain)) / size,
        **counts,
        **{f"{name} per word": count / number for name, count in counts.items()},
    }


def _tag_columns(document: Document, blocks: TextBlocks, words: Words) -> dict[str, Floats]:
    number = np.maximum(words.per_segment, 1).astype(np.float64)
    inside = _tag_counts(document, blocks)
    return {
        **{f"{name} inside": count for name, count in inside.items()},
        "elements per word": inside["elements"] / number,
        "formatting per word": inside["formatting"] / number,
        "anchors per word": inside["a"] / number,
        "images per word": inside["img"] / number,
    }


def _tag_counts(document: Document, blocks: TextBlocks) -> dict[str, Floats]:
    tags = document.nodes.tags
    end = document.nodes.end[blocks.node]

    def inside(marked: list[bool]) -> Floats:
        before = np.concatenate([np.zeros(1), np.cumsum(marked)])
        count: Floats = before[end] - before[blocks.node + 1]
        return count

    return {
        "elements": (end - blocks.node - 1).astype(np.float64),
        "formatting": inside([tag in _FORMATTING for tag in tags]),
        **{name: inside([tag == name for tag in tags]) for name in _COUNTED_TAGS},
    }


def _difference_columns(
    document: Document, blocks: TextBlocks, words: Words, page: Words
) -> dict[str, Floats]:
    """Return how a block differs from the rest of its page: divergence of words, shares of counts."""
    total_words = max(len(page.first), 1)
    number = words.per_segment.astype(np.float64)
    rest = np.maximum(total_words - number, 0.0)
    tags = Counter(document.nodes.tags)
    inside = _tag_counts(document, blocks)
    columns = {"share of words": np.minimum(number / total_words, 1.0)}
    for name, count in (
        ("elements", len(document.nodes.tags)),
        ("a", tags["a"]),
        ("img", tags["img"]),
    ):
        outside = np.maximum(count - inside[name], 0.0)
        columns[f"share of {name}"] = inside[name] / max(count, 1)
        columns[f"{name} per word beside the rest"] = inside[name] / np.maximum(
            number, 1
        ) - outside / np.maximum(rest, 1)
    columns["divergence of words"] = divergence(words, page)
    return columns


def divergence(words: Words, page: Words) -> Floats:
    """Return the Kullback-Leibler divergence of each block's words from the rest of the page, in nats.

    One is added to every count of the rest (Laplace's rule).
    """
    known, place = np.unique(np.concatenate([words.hashes, page.hashes]), return_inverse=True)
    own, all_places = place[: len(words.hashes)], place[len(words.hashes) :]
    on_page = np.bincount(all_places, minlength=len(known))
    total = on_page.sum()
    result = np.zeros(len(words.per_segment))
    ends = np.cumsum(words.per_segment)
    for block, (last, size) in enumerate(
        zip(ends.tolist(), words.per_segment.tolist(), strict=True)
    ):
        if not size:
            continue
        used, count = np.unique(own[last - size : last], return_counts=True)
        share = count / size
        rest = np.maximum(on_page[used] - count, 0) + 1
        others = rest / (max(total - size, 0) + len(known))
        result[block] = float((share * np.log(share / others)).sum())
    return result


def _place_columns(
    document: Document, presentation: Presentation, blocks: TextBlocks
) -> dict[str, Floats]:
    nodes = document.nodes
    parent = nodes.parent[blocks.node]
    left = _left_siblings(nodes.parent.tolist())
    number = {tag: place for place, tag in enumerate(_PLACE_TAGS)}
    tag_number = np.array([number.get(tag, len(_PLACE_TAGS)) for tag in nodes.tags])
    line = presentation.line[blocks.node].astype(np.float64)
    around = np.where(parent >= 0, tag_number[np.maximum(parent, 0)], 0)
    return {
        "line": line,
        "relative line": line / max(int(presentation.line.max()), 1),
        "place on the page": blocks.node / len(nodes.tags),
        "end on the page": nodes.end[blocks.node] / len(nodes.tags),
        "distance from the root": nodes.depth[blocks.node].astype(np.float64),
        "distance from the leftmost sibling": left[blocks.node],
        **{
            f"is {tag or 'without parent'}": (tag_number[blocks.node] == place).astype(np.float64)
            for place, tag in enumerate(_PLACE_TAGS)
            if tag
        },
        **{
            f"in {tag or 'nothing'}": (around == place).astype(np.float64)
            for place, tag in enumerate(_PLACE_TAGS)
        },
    }


def _left_siblings(parent: list[int]) -> Floats:
    seen = [0] * (len(parent) + 1)
    left = np.zeros(len(parent))
    for node, above in enumerate(parent):
        left[node] = seen[above]
        seen[above] += 1
    return left


def _different(words: Words) -> Int64s:
    order = np.lexsort((words.hashes, words.segment))
    segment, hashes = words.segment[order], words.hashes[order]
    new = np.ones(len(order), np.bool_)
    new[1:] = (segment[1:] != segment[:-1]) | (hashes[1:] != hashes[:-1])
    return np.bincount(segment[new], minlength=len(words.per_segment))
