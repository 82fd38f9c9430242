"""Finding idioms: strings that stand in kept content on many sites, and on few in templates."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import msgspec

from templ_core.lab.training.pages import GoldPage, page_labels, read_gold_page
from templ_core.page_level.features.page_features import read_features
from templ_core.site_level.phrases.idioms import Idioms, TokenKeys
from templ_core.site_level.phrases.maximal_repeats import find_repeats
from templ_core.site_level.phrases.mutable_patterns import Normaliser
from templ_core.site_level.phrases.phrase_corpus import (
    LINE,
    lines_of_segments,
    page_tokens,
    read_corpus,
)
from templ_core.site_level.phrases.suffix_array import SuffixArray

TOKENS_MIN = (4, 3, 1)
"""Of an idiom that starts or ends at no block's border, at one, at two."""
_CONTENT_MIN, _CONTENT_MAX = 0.5, 0.1
"""Share of matched words from which a segment is content, and up to which it is template."""


class IdiomSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Which strings are idioms."""

    sites_min: int = 8
    """Sites whose content has the string."""
    template_share_max: float = 0.2
    """Sites whose template has it, against those whose content has it."""


class SplitText(msgspec.Struct, frozen=True, kw_only=True):
    """The text of a page, or of a site's pages, a line a block."""

    content: str
    template: str


def split_text(page: GoldPage) -> SplitText | None:
    """The content and the template of a page with gold; None when it cannot be cleaned.

    Segments that are neither, or in part content, are left out.
    """
    read = read_gold_page(page)
    if read is None:
        return None
    markup, document = read
    labels = page_labels(page, document, markup, read_features(document).text)
    lines = lines_of_segments(document)
    is_content = labels.content > _CONTENT_MIN
    is_template = (labels.content <= _CONTENT_MAX) & labels.counts
    return SplitText(
        content=LINE.join(line for line, stays in zip(lines, is_content, strict=True) if stays),
        template=LINE.join(line for line, goes in zip(lines, is_template, strict=True) if goes),
    )


def joined(pages: Sequence[SplitText]) -> SplitText:
    """The text of a site's pages as one."""
    return SplitText(
        content=LINE.join(page.content for page in pages if page.content),
        template=LINE.join(page.template for page in pages if page.template),
    )


def find_idioms(sites: Sequence[SplitText], settings: IdiomSettings) -> list[TokenKeys]:
    """The idioms of some sites, without those that shorter ones make up, in order of length.

    Args:
        sites: All text of each site.
        settings: Which strings are idioms.
    """
    candidates = _recurring(sites, settings.sites_min)
    in_templates = _sites_with(candidates, [site.template for site in sites])
    return _shortest(
        keys
        for keys, count in candidates.items()
        if in_templates[keys] <= settings.template_share_max * count
    )


def _recurring(sites: Sequence[SplitText], sites_min: int) -> dict[TokenKeys, int]:
    """Strings within a block that are in the content of enough sites, with the sites' number."""
    normaliser = Normaliser()
    corpus = read_corpus(
        [site.content for site in sites], normaliser, occurrences_min=sites_min, markup=False
    )
    repeats = find_repeats(
        SuffixArray(corpus.tokens), corpus.document_of, documents_min=sites_min, tokens_min=2
    )
    found: dict[TokenKeys, int] = {}
    for start, length, count in zip(
        repeats.starts.tolist(), repeats.lengths.tolist(), repeats.documents.tolist(), strict=True
    ):
        keys = tuple(corpus.keys[number] for number in corpus.tokens[start : start + length])
        words = [key for key in keys if key != LINE]
        if (
            LINE not in keys[1:-1]
            and len(words) >= TOKENS_MIN[len(keys) - len(words)]
            and any(map(normaliser.has_meaning, words))
        ):
            found[keys] = count
    return found


def _sites_with(candidates: dict[TokenKeys, int], texts: Sequence[str]) -> dict[TokenKeys, int]:
    """Number of the texts that have each string."""
    key = Normaliser().key
    root = _trie(candidates)
    count = dict.fromkeys(candidates, 0)
    for text in texts:
        keys = [token if token == LINE else key(token) for token in page_tokens(text)]
        for one in {found for start in range(len(keys)) for found in _from(root, keys, start)}:
            count[one] += 1
    return count


_Trie = dict[Any, Any]


def _trie(strings: dict[TokenKeys, int]) -> _Trie:
    """TokenKeys to the tries of what follows; None to the string that ends there."""
    root: _Trie = {}
    for keys in strings:
        node = root
        for key in keys:
            node = node.setdefault(key, {})
        node[None] = keys
    return root


def _from(root: _Trie, keys: Sequence[str], start: int) -> Iterator[TokenKeys]:
    """The strings that start at a place."""
    node = root
    for place in range(start, len(keys)):
        following = node.get(keys[place])
        if following is None:
            return
        node = following
        if None in node:
            yield node[None]


def _shortest(strings: Iterator[TokenKeys]) -> list[TokenKeys]:
    kept: list[TokenKeys] = []
    for _, some in groupby(sorted(strings, key=lambda keys: (len(keys), keys)), len):
        shorter = Idioms(kept)
        kept += [keys for keys in some if not shorter.make_up(keys)]
    return kept
