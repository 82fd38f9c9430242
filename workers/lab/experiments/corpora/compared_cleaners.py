"""The cleaners that the experiments compare; most of them learn from a sample of a site's pages."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

import msgspec
import numpy as np

from templ_core.clean import decide_page
from templ_core.config import CoreConfig
from templ_core.dom.document import Document, parse_document
from templ_core.errors import PageError
from templ_core.site_level.phrases.learn_phrases import refit
from templ_core.site_level.phrases.phrase_corpus import page_text
from templ_core.site_level.phrases.phrase_matcher import PhraseMatcher
from templ_core.site_level.phrases.phrase_removal import Locality, settled, without
from templ_core.site_level.trees.labelled_tree import tree_of
from templ_core.site_level.trees.tree_evidence import tree_evidence
from templ_core.site_level.trees.tree_mapping import find_template, template_part
from templ_core.site_level.trees.tree_template import TreeLearner

_SHARE_MIN = 0.5

CleanDocument = Callable[[Document], str]


class ComparedPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page to be cleaned."""

    site: str
    document: Document
    markup: str
    text: str
    """Gold text of the page."""
    name: str
    """Name of the page's topic or article; pages with equal names belong together."""


def parse_compared_page(
    *, site: str, url: str, markup: str, text: str, name: str
) -> ComparedPage | None:
    """Return a parsed page, or None if it cannot be cleaned."""
    try:
        document = parse_document(markup, url)
    except PageError:
        return None
    return ComparedPage(site=site, document=document, markup=markup, text=text, name=name)


def clean_compared_pages(
    pages: Sequence[ComparedPage], cleaner: str, sample: int | None = None
) -> list[str]:
    """Return the text that a cleaner leaves of each page.

    Args:
        pages: Pages of any number of sites.
        cleaner: A key of `SITE_CLEANERS`.
        sample: Number of pages to learn each site's template from, spread evenly; None = all.
    """
    by_site: defaultdict[str, list[Document]] = defaultdict(list)
    for page in pages:
        by_site[page.site].append(page.document)
    learn = SITE_CLEANERS[cleaner]
    clean = {site: learn(_spread(documents, sample)) for site, documents in by_site.items()}
    return [clean[page.site](page.document) for page in pages]


def _spread(documents: Sequence[Document], sample: int | None) -> Sequence[Document]:
    if sample is None:
        return documents
    return documents[:: max(1, len(documents) // sample)][:sample]


def _nothing(_: Sequence[Document]) -> CleanDocument:
    return lambda document: "\n".join(document.segments.texts)


def _find_template(documents: Sequence[Document]) -> CleanDocument:
    template = find_template([tree_of(document).tree for document in documents])

    def clean(document: Document) -> str:
        kept = np.ones(len(document.segments.texts), np.bool_)
        if template is not None:
            tree = tree_of(document).tree
            kept[tree.segment[template_part(template, tree) & tree.is_text]] = False
        return _text(document, kept)

    return clean


def _votes(documents: Sequence[Document]) -> CleanDocument:
    config = CoreConfig()
    learner = TreeLearner(config)
    for document in documents:
        learner.learn_one(document)
    model = learner.model()

    def clean(document: Document) -> str:
        evidence = tree_evidence(document, model, config.cluster_likeness_min)
        return _text(document, evidence.text_share < _SHARE_MIN)

    return clean


def _phrases(documents: Sequence[Document]) -> CleanDocument:
    matcher = PhraseMatcher(refit(documents, CoreConfig()))

    def clean(document: Document) -> str:
        text = page_text(document)
        return without(text, settled(text, matcher.spans(text), Locality()))

    return clean


def _page_model(_: Sequence[Document]) -> CleanDocument:
    return lambda document: _text(document, decide_page(document, None, CoreConfig()).kept)


def _text(document: Document, kept: np.ndarray) -> str:
    texts = document.segments.texts
    return "\n".join(text for text, stays in zip(texts, kept, strict=True) if stays)


SITE_CLEANERS: Mapping[str, Callable[[Sequence[Document]], CleanDocument]] = {
    "original": _nothing,
    "FindTemplate": _find_template,
    "votes": _votes,
    "phrases": _phrases,
    "page model": _page_model,
}
"""For each cleaner a function that learns from pages of a site and returns a cleaning function."""
