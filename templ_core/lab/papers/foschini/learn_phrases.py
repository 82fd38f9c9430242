"""Learning a site's phrases: Foschini's thesis (2007), section 3.2, applied to blocks of text."""

import functools
import math
import threading
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from templ_core.array_types import Int64s
from templ_core.dom.document import Document
from templ_core.lab.papers.foschini.cutoff import BINS, document_histogram, energy_cutoff
from templ_core.lab.papers.foschini.idioms import Idioms, shipped_idioms
from templ_core.lab.papers.foschini.maximal_repeats import MaximalRepeats, find_repeats
from templ_core.lab.papers.foschini.mutable_patterns import MutablePattern, Normaliser
from templ_core.lab.papers.foschini.phrase_corpus import (
    LINE,
    CorpusReader,
    TokenCorpus,
    page_text,
)
from templ_core.lab.papers.foschini.phrase_set import Phrase, PhraseSet, bounded_phrases
from templ_core.lab.papers.foschini.phrases_config import PhrasesConfig
from templ_core.site_level.strings.suffix_array import BORDER, SuffixArray

STRING_TOKENS_MIN = 2
"""Tokens and borders of the shortest string that is counted (section 3.2, step 7)."""


class _Readers(threading.local):
    """The reader of one thread for the patterns of the package, which every site shares."""

    @functools.cached_property
    def shipped(self) -> CorpusReader:
        """The reader, made on first use."""
        return CorpusReader(Normaliser())


_READERS = _Readers()


def learn_document_phrases(documents: Sequence[Document], config: PhrasesConfig) -> PhraseSet:
    """Return the phrases of some documents of one site; they depend on the documents alone.

    Args:
        documents: Distinct pages of the site, none a near-duplicate of another.
        config: The thresholds.
    """
    return learn_phrases([page_text(document) for document in documents], config)


def learn_phrases(
    pages: Sequence[str],
    config: PhrasesConfig,
    *,
    markup: bool = False,
    patterns: Sequence[MutablePattern] = (),
    idioms: Idioms | None = None,
) -> PhraseSet:
    r"""Return the phrases of some pages of one site.

    >>> pages = [
    ...     f"Home News\nOur {dish} is ready.\nAll rights reserved"
    ...     for dish in ("tea", "pie", "ham")
    ... ]
    >>> for phrase in learn_phrases(pages, PhrasesConfig()).phrases:
    ...     print(phrase.pages, phrase.keys)
    3 ('\n', 'All', 'rights', 'reserved', '\n')
    3 ('\n', 'Home', 'News', '\n')

    Args:
        pages: Distinct pages, none a near-duplicate of another: text with a line for each block, or
            markup as it is.
        config: The thresholds.
        markup: Whether the pages are markup.
        patterns: Mutable patterns beyond those that come with the package.
        idioms: Strings that are content though they recur; None for the list of the package.

    Raises:
        re.error: One of `patterns` is no regular expression.
    """
    reader = CorpusReader(Normaliser(patterns)) if patterns else _READERS.shipped
    normaliser = reader.normaliser
    corpus, repeats = _recurring(pages, reader, config, markup=markup)
    cutoff = _cutoff(repeats, pages).bin
    idioms = shipped_idioms() if idioms is None else idioms
    cutoff_pages = math.ceil(cutoff * len(pages) / BINS)
    phrases = [
        phrase
        for phrase in _strings(repeats, corpus, cutoff_pages, config)
        if any(normaliser.has_meaning(key) for key in phrase.keys if key != LINE)
        and not idioms.make_up(phrase.keys)
    ]
    phrases.sort(key=lambda phrase: (-phrase.pages, -len(phrase.keys), phrase.keys))
    whole = PhraseSet(
        pages=len(pages), phrases=tuple(phrases), markup=markup, patterns=tuple(patterns)
    )
    return bounded_phrases(whole, config.phrase_set_bytes)


class PhraseCutoff(msgspec.Struct, frozen=True, kw_only=True):
    """On how many pages the strings of a site are, and the number that parts content from template."""

    pages: int
    """Pages that were looked at."""
    histogram: Int64s
    """Number of strings in each bin of `document_histogram`."""
    bin: int
    """The first bin of the template, by the energy cut-off."""


def phrase_cutoff(pages: Sequence[str], config: PhrasesConfig) -> PhraseCutoff:
    r"""Return the cut-off with which `learn_phrases` parts the strings of these pages.

    >>> pages = [f"Home News\nOur {dish} is ready." for dish in ("tea", "pie", "ham")]
    >>> phrase_cutoff(pages, PhrasesConfig()).histogram.nonzero()[0].tolist()
    [99]

    Args:
        pages: Distinct pages with a line for each block, none a near-duplicate of another.
        config: The thresholds.
    """
    _, repeats = _recurring(pages, _READERS.shipped, config, markup=False)
    return _cutoff(repeats, pages)


def _recurring(
    pages: Sequence[str], reader: CorpusReader, config: PhrasesConfig, *, markup: bool
) -> tuple[TokenCorpus, MaximalRepeats]:
    """Return the tokens of some pages, and the strings that enough of the pages have."""
    pages_min = max(
        config.template_pages_min,
        min(config.phrase_pages_min, len(pages)),
        math.ceil(config.template_share * len(pages)),
    )
    corpus = reader.read(pages, occurrences_min=pages_min, markup=markup)
    repeats = find_repeats(
        SuffixArray(corpus.tokens),
        corpus.document_of,
        documents_min=pages_min,
        tokens_min=STRING_TOKENS_MIN,
    )
    return corpus, repeats


def _cutoff(repeats: MaximalRepeats, pages: Sequence[str]) -> PhraseCutoff:
    size = max(1, len(pages))
    histogram = document_histogram(repeats.documents, size)
    return PhraseCutoff(pages=size, histogram=histogram, bin=energy_cutoff(histogram))


def _strings(
    repeats: MaximalRepeats, corpus: TokenCorpus, cutoff_pages: int, config: PhrasesConfig
) -> Iterator[Phrase]:
    """Yield the strings that have enough tokens, and are on enough pages, to be of the template.

    A whole block of few tokens is. A part of a block must be on as many pages as the cut-off asks, and
    so must a long block: an article's paragraph recurs where the article is fetched again or begins a
    listing. The more of a string's ends are borders, the shorter it may be.
    """
    borders_before = np.append(0, np.cumsum(corpus.tokens == BORDER))
    borders = borders_before[repeats.starts + repeats.lengths] - borders_before[repeats.starts]
    words = repeats.lengths - borders
    is_short_block = (borders == 2) & (words <= config.phrase_block_tokens_max)
    is_frequent = repeats.documents >= max(cutoff_pages, config.phrase_pages_min)
    is_long = words >= np.array(config.phrase_tokens_min)[borders]
    wanted = is_long & (is_short_block | is_frequent)
    for index in np.flatnonzero(wanted).tolist():
        start = int(repeats.starts[index])
        numbers = corpus.tokens[start : start + int(repeats.lengths[index])].tolist()
        keys = tuple(corpus.keys[number] for number in numbers)
        yield Phrase(keys, int(repeats.documents[index]))
