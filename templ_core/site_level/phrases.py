"""Learning a site's phrases: Foschini's thesis (2007), section 3.2, on blocks of text."""

import math
from collections.abc import Iterator, Sequence

from templ_core.config import CoreConfig
from templ_core.dom.document import Document
from templ_core.site_level.maximal_repeats import Repeats, find_repeats
from templ_core.site_level.mutable_patterns import MutablePattern, Normaliser
from templ_core.site_level.near_duplicates import distinct_pages
from templ_core.site_level.phrase_corpus import LINE, Corpus, read_corpus
from templ_core.site_level.phrase_set import Phrase, PhraseSet, bounded
from templ_core.site_level.suffix_array import SuffixArray


def refit(documents: Sequence[Document], config: CoreConfig) -> PhraseSet:
    """The phrases of a window of documents, near-duplicates aside.

    The result depends on the documents and their order alone.

    Args:
        documents: The window in order of (event time, page id).
        config: The core's thresholds.
    """
    return learn_phrases([page_text(document) for document in documents], config)


def page_text(document: Document) -> str:
    """The text of a page as phrases see it: each line a block, or a part between line breaks."""
    return LINE.join(document.segments.texts)


def learn_phrases(
    pages: Sequence[str],
    config: CoreConfig,
    *,
    markup: bool = False,
    patterns: Sequence[MutablePattern] = (),
) -> PhraseSet:
    """The phrases of some pages of one site, near-duplicates aside.

    Args:
        pages: Text, a line a block; or markup as it is.
        config: The core's thresholds.
        markup: Whether the pages are markup.
        patterns: Mutable patterns beyond those that come with the package.

    Raises:
        re.error: one of `patterns` is no regular expression.
    """
    pages = [pages[index] for index in distinct_pages(pages)]
    normaliser = Normaliser(patterns)
    documents_min = max(config.template_pages_min, math.ceil(config.template_share * len(pages)))
    corpus = read_corpus(pages, normaliser, occurrences_min=documents_min, markup=markup)
    repeats = find_repeats(
        SuffixArray(corpus.tokens), corpus.document_of, documents_min=documents_min, tokens_min=2
    )
    phrases = [
        phrase
        for phrase in _strings(repeats, corpus)
        if _is_long_enough(phrase.keys, normaliser, config)
    ]
    phrases.sort(key=lambda phrase: (-phrase.pages, -len(phrase.keys), phrase.keys))
    return bounded(
        PhraseSet(
            pages=len(pages), phrases=tuple(phrases), markup=markup, patterns=tuple(patterns)
        ),
        config.phrase_set_bytes,
    )


def _strings(repeats: Repeats, corpus: Corpus) -> Iterator[Phrase]:
    keys = corpus.keys
    for start, length, pages in zip(
        repeats.starts.tolist(), repeats.lengths.tolist(), repeats.documents.tolist(), strict=True
    ):
        numbers = corpus.tokens[start : start + length].tolist()
        yield Phrase(tuple(keys[number] for number in numbers), pages)


def _is_long_enough(keys: Sequence[str], normaliser: Normaliser, config: CoreConfig) -> bool:
    """Whether a string says enough: the more of its ends are borders, the shorter it may be."""
    words = [key for key in keys if key != LINE]
    borders = len(keys) - len(words)
    return len(words) >= config.phrase_tokens_min[borders] and not all(
        map(normaliser.is_mutable, words)
    )
