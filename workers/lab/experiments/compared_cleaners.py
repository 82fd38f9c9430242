"""The cleaners that the experiments compare; most of them learn from a sample of a site's pages."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

import msgspec
import numpy as np

from templ_core.clean_document import clean
from templ_core.config import CoreConfig
from templ_core.dom.document import Document, parse_document
from templ_core.errors import PageError
from templ_core.lab.near_duplicates import distinct_plain_texts
from templ_core.lab.papers.foschini.matching import (
    Locality,
    PhraseMatcher,
    settled_spans,
    text_outside,
)
from templ_core.lab.papers.foschini.phrase_corpus import page_text
from templ_core.lab.papers.foschini.phrases import PhrasesConfig, learn_document_phrases
from templ_core.lab.papers.rtdm import (
    find_template,
    is_voted_template,
    learn_voted_templates,
    template_part,
)
from templ_core.lab.papers.style_tree import is_style_noise, learn_style_tree
from templ_core.site_level.trees.labelled_tree import label_page

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
    template = find_template([label_page(document).tree for document in documents])

    def clean(document: Document) -> str:
        kept = np.ones(len(document.segments.texts), np.bool_)
        if template is not None:
            tree = label_page(document).tree
            kept[tree.segment[template_part(template, tree) & tree.is_text]] = False
        return _text(document, kept)

    return clean


def _distinct(documents: Sequence[Document]) -> list[Document]:
    """Return the documents that are no near-duplicates."""
    return [documents[index] for index in distinct_plain_texts(list(map(page_text, documents)))]


def _votes(documents: Sequence[Document]) -> CleanDocument:
    model = learn_voted_templates(_distinct(documents))

    def clean(document: Document) -> str:
        return _text(document, ~is_voted_template(document, model, _SHARE_MIN))

    return clean


def _style_tree(documents: Sequence[Document]) -> CleanDocument:
    tree = learn_style_tree(documents)
    return lambda document: _text(document, ~is_style_noise(document, tree))


def _phrases(documents: Sequence[Document]) -> CleanDocument:
    matcher = PhraseMatcher(learn_document_phrases(_distinct(documents), PhrasesConfig()))

    def clean(document: Document) -> str:
        text = page_text(document)
        return text_outside(text, settled_spans(text, matcher.spans(text), Locality()))

    return clean


def _page_model(_: Sequence[Document]) -> CleanDocument:
    return lambda document: _text(document, clean(document, None, CoreConfig()).decision.kept)


def _text(document: Document, kept: np.ndarray) -> str:
    texts = document.segments.texts
    return "\n".join(text for text, stays in zip(texts, kept, strict=True) if stays)


SITE_CLEANERS: Mapping[str, Callable[[Sequence[Document]], CleanDocument]] = {
    "original": _nothing,
    "FindTemplate": _find_template,
    "votes": _votes,
    "style tree": _style_tree,
    "phrases": _phrases,
    "page model": _page_model,
}
"""For each cleaner a function that learns from pages of a site and returns a cleaning function."""
