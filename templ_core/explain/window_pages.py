"""Which pages of a window have the texts, phrases and sentences that spoke about a page."""

from collections import defaultdict
from collections.abc import Iterable

import msgspec

from templ_core.dom.document import Document
from templ_core.explain.page_explanation import PageExplanation
from templ_core.explain.phrase_hits import PhraseFinder
from templ_core.page_level.features.page_features import read_features
from templ_core.site_level.phrases.phrase_set import PhraseSet
from templ_core.site_level.sentences.sentences import prose_sentences


class EvidencePages(msgspec.Struct, frozen=True, kw_only=True):
    """URLs of pages of the window, in its order."""

    texts: dict[str, list[str]]
    """Pages that have the text of a segment, word for word."""
    phrases: dict[tuple[str, ...], list[str]]
    """Pages that have a phrase, by its keys."""
    sentences: dict[int, list[str]]
    """Pages that have a sentence, by its key."""


def evidence_pages(
    explained: PageExplanation, window: Iterable[tuple[str, Document]]
) -> EvidencePages:
    """Return the pages of a window that have what spoke about a page.

    Args:
        explained: The page.
        window: URL and document of each page of the window.
    """
    segments = explained.segments
    wanted_texts = {one.text for one in segments}
    wanted_phrases = {hit.phrase for one in segments for hit in one.phrases}
    wanted_sentences = {hit.key for one in segments for hit in one.sentences}
    finder = PhraseFinder(PhraseSet(pages=0, phrases=tuple(wanted_phrases)))
    texts: defaultdict[str, list[str]] = defaultdict(list)
    phrases: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    sentences: defaultdict[int, list[str]] = defaultdict(list)
    for url, document in window:
        if not document.segments.texts:
            continue
        for text in wanted_texts.intersection(document.segments.texts):
            texts[text].append(url)
        if wanted_phrases:
            hits = {hit.phrase.keys for one in finder.hits(document) for hit in one}
            for keys in hits:
                phrases[keys].append(url)
        if wanted_sentences:
            keys_here = set(prose_sentences(read_features(document)).keys.tolist())
            for key in wanted_sentences & keys_here:
                sentences[key].append(url)
    return EvidencePages(texts=dict(texts), phrases=dict(phrases), sentences=dict(sentences))
