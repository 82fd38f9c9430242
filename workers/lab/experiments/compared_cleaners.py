"""The cleaners that the experiments compare; most of them learn from a sample of a site's pages."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial

import msgspec
import numpy as np

from templ_core.array_types import Bools
from templ_core.clean_document import clean
from templ_core.config import CoreConfig
from templ_core.dom.document import Document, parse_document
from templ_core.errors import PageError
from templ_core.lab.evaluation.report import group_by
from templ_core.lab.near_duplicates import distinct_plain_texts
from templ_core.lab.papers import rtdm
from templ_core.lab.papers.foschini.matching import PhraseMatcher, settled_spans, text_outside
from templ_core.lab.papers.foschini.page_tokens import page_text
from templ_core.lab.papers.foschini.phrases import learn_phrases
from templ_core.site_level.trees.tree_mapping import label_page

_SHARE_MIN = 0.5
"""Share of the pages of a cluster that must have a text at its place."""

CleanDocument = Callable[[Document], str]
Learn = Callable[[Sequence[Document]], CleanDocument]
FindTemplate = Callable[[Document], Bools]
"""Returns which segments of a page are template."""


class ComparedPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page to be cleaned."""

    site: str
    document: Document
    markup: str
    text: str
    """Gold text of the page."""
    name: str
    """Name of the page's topic or article; pages with equal names belong together."""


def compared_pages(pages: Iterable[tuple[str, str, str, str, str]]) -> list[ComparedPage]:
    """Return the pages that can be cleaned, given site, address, markup, gold text and name of each."""
    compared = []
    for site, url, markup, text, name in pages:
        with suppress(PageError):
            document = parse_document(markup, url)
            compared.append(
                ComparedPage(site=site, document=document, markup=markup, text=text, name=name)
            )
    return compared


def clean_compared_pages(
    pages: Sequence[ComparedPage], cleaner: str, sample: int | None = None
) -> list[str]:
    """Return the text that a cleaner leaves of each page.

    Args:
        pages: Pages of any number of sites.
        cleaner: A key of `SITE_CLEANERS`.
        sample: Number of pages to learn each site's template from, spread evenly; None = all.
    """
    learn = SITE_CLEANERS[cleaner]
    clean = {
        site: learn(_spread([page.document for page in some], sample))
        for site, some in group_by(pages, lambda page: page.site).items()
    }
    return [clean[page.site](page.document) for page in pages]


def _spread(documents: Sequence[Document], sample: int | None) -> Sequence[Document]:
    if sample is None:
        return documents
    return documents[:: max(1, len(documents) // sample)][:sample]


def _find_template(documents: Sequence[Document]) -> FindTemplate:
    template = rtdm.find_template([label_page(document).tree for document in documents])

    def find(document: Document) -> Bools:
        is_template = np.zeros(len(document.segments.texts), np.bool_)
        if template is not None:
            tree = label_page(document).tree
            is_template[tree.segment[rtdm.template_part(template, tree) & tree.is_text]] = True
        return is_template

    return find


def _distinct(documents: Sequence[Document]) -> list[Document]:
    return [documents[index] for index in distinct_plain_texts(list(map(page_text, documents)))]


def _votes(documents: Sequence[Document]) -> FindTemplate:
    model = rtdm.learn_voted_templates(_distinct(documents))
    return lambda document: rtdm.is_voted_template(document, model, _SHARE_MIN)


TEMPLATE_FINDERS: Mapping[str, Callable[[Sequence[Document]], FindTemplate]] = {
    "votes": _votes,
    "FindTemplate": _find_template,
    "style tree": lambda pages: partial(rtdm.is_style_noise, tree=rtdm.learn_style_tree(pages)),
}
"""For each method a function that learns from pages of a site how to find the template of a page."""


def _without_template(method: str) -> Learn:
    def learn(documents: Sequence[Document]) -> CleanDocument:
        find = TEMPLATE_FINDERS[method](documents)
        return lambda document: _text(document, ~find(document))

    return learn


def _phrases(documents: Sequence[Document]) -> CleanDocument:
    matcher = PhraseMatcher(learn_phrases(list(map(page_text, _distinct(documents)))))

    def clean(document: Document) -> str:
        text = page_text(document)
        return text_outside(text, settled_spans(text, matcher.spans(text)))

    return clean


def _text(document: Document, kept: np.ndarray) -> str:
    texts = document.segments.texts
    return "\n".join(text for text, stays in zip(texts, kept, strict=True) if stays)


SITE_CLEANERS: Mapping[str, Learn] = {
    "original": lambda _: lambda document: "\n".join(document.segments.texts),
    "FindTemplate": _without_template("FindTemplate"),
    "votes": _without_template("votes"),
    "style tree": _without_template("style tree"),
    "phrases": _phrases,
    "page model": lambda _: (
        lambda document: _text(document, clean(document, None, CoreConfig()).decision.kept)
    ),
}
"""For each cleaner a function that learns from pages of a site and returns a cleaning function."""
