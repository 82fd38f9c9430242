"""Search for idioms: strings that occur in the content of many sites and in few templates."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Self

import msgspec

from templ_core.lab.papers.foschini.mutable_patterns import Normaliser
from templ_core.lab.papers.foschini.phrase_corpus import (
    LINE,
    lines_of_segments,
    page_tokens,
    read_corpus,
)
from templ_core.lab.papers.foschini.phrases import PhraseAutomaton, TokenKeys, find_repeats
from templ_core.lab.training.pages import GoldRecord, page_labels, read_gold_page
from templ_core.page_level.features.page_features import read_features
from templ_core.site_level.strings.suffix_array import SuffixArray

_TOKENS_MIN = (4, 3, 1)
"""Least tokens of an idiom that touches no border of a block, one border, or two borders."""
_CONTENT_MIN, _CONTENT_MAX = 0.5, 0.1
"""A segment is content above the first share of gold words, template up to the second share."""


class SplitText(msgspec.Struct, frozen=True, kw_only=True):
    """The content and the template of a page or of a site; each block is one line."""

    content: str
    template: str

    @classmethod
    def joined(cls, pages: Sequence["SplitText"]) -> Self:
        """Return the texts of a site's pages as one."""
        return cls(
            content=LINE.join(page.content for page in pages if page.content),
            template=LINE.join(page.template for page in pages if page.template),
        )


def split_text(page: GoldRecord) -> SplitText | None:
    """Return the content and the template of a page with gold, or None if it cannot be cleaned.

    Segments that are partly content, or neither content nor template, are left out.
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


def find_idioms(
    sites: Sequence[SplitText], *, sites_min: int = 8, template_share_max: float = 0.2
) -> list[TokenKeys]:
    """Return the idioms of some sites, the shortest first.

    They are in the content of `sites_min` sites, and in the template of at most `template_share_max` as many.

    Strings that shorter idioms cover completely are left out.
    """
    candidates = _recurring(sites, sites_min)
    in_templates = _sites_with(candidates, [site.template for site in sites])
    return _shortest(
        keys
        for keys, count in candidates.items()
        if in_templates[keys] <= template_share_max * count
    )


def _recurring(sites: Sequence[SplitText], sites_min: int) -> dict[TokenKeys, int]:
    """Return the strings inside blocks that enough sites have in their content, with those counts."""
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
            and len(words) >= _TOKENS_MIN[len(keys) - len(words)]
            and any(map(normaliser.has_meaning, words))
        ):
            found[keys] = count
    return found


def _sites_with(candidates: dict[TokenKeys, int], texts: Sequence[str]) -> Counter[TokenKeys]:
    """Return how many of the texts contain each string."""
    key = Normaliser().key
    lengths = sorted({len(keys) for keys in candidates})
    count: Counter[TokenKeys] = Counter()
    for text in texts:
        keys = tuple(token if token == LINE else key(token) for token in page_tokens(text))
        runs = {
            keys[at : at + length] for length in lengths for at in range(len(keys) - length + 1)
        }
        count.update(candidates.keys() & runs)
    return count


def _shortest(strings: Iterator[TokenKeys]) -> list[TokenKeys]:
    """Return the strings that shorter ones do not make up."""
    kept: list[TokenKeys] = []
    for _, some in groupby(sorted(strings, key=lambda keys: (len(keys), keys)), len):
        shorter = PhraseAutomaton(kept)
        kept += [keys for keys in some if not shorter.covers(keys)]
    return kept
