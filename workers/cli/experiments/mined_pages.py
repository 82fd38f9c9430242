"""The class set for clustering and classification, before and after cleaning."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

import msgspec
import numpy as np

from templ_core.config import CoreConfig
from templ_core.decide import decide
from templ_core.dom.document import Document, parse_document
from templ_core.evaluation.class_set import ClassPage
from templ_core.site_level.labelled_tree import tree_of
from templ_core.site_level.phrase_corpus import page_text
from templ_core.site_level.phrase_matcher import PhraseMatcher
from templ_core.site_level.phrase_removal import Locality, settled, without
from templ_core.site_level.phrases import refit
from templ_core.site_level.tree_evidence import tree_evidence
from templ_core.site_level.tree_mapping import find_template, template_part
from templ_core.site_level.tree_template import TreeLearner

TEMPLATE_SITES = (
    "freepressokc.com",
    "helijet.com",
    "lexinsider",
    "storiesovercoffee",
    "blog.biicode.com",
)
"""As many sites as in the paper."""
_SHARE_MIN = 0.5

Clean = Callable[[Document], str]


class MinedPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page of the class set."""

    page: ClassPage
    document: Document


def read_pages(pages: Sequence[ClassPage]) -> list[MinedPage]:
    """The pages, parsed."""
    return [MinedPage(page=page, document=parse_document(page.markup, page.url)) for page in pages]


def cleaned(pages: Sequence[MinedPage], cleaner: str, sample: int) -> list[str]:
    """The text that a cleaner leaves of each page.

    Args:
        pages: Of all sites.
        cleaner: One of CLEANERS.
        sample: Pages of each site that its template is learned from.
    """
    by_site: defaultdict[str, list[Document]] = defaultdict(list)
    for one in pages:
        by_site[one.page.site].append(one.document)
    learn = CLEANERS[cleaner]
    clean = {
        site: learn(documents[:: _step(documents, sample)][:sample])
        for site, documents in by_site.items()
    }
    return [clean[one.page.site](one.document) for one in pages]


def _step(documents: Sequence[Document], sample: int) -> int:
    """Pages come topic by topic; the sample is spread over them."""
    return max(1, len(documents) // sample)


def _nothing(_: Sequence[Document]) -> Clean:
    return lambda document: "\n".join(document.segments.texts)


def _find_template(documents: Sequence[Document]) -> Clean:
    template = find_template([tree_of(document).tree for document in documents])

    def clean(document: Document) -> str:
        kept = np.ones(len(document.segments.texts), np.bool_)
        if template is not None:
            tree = tree_of(document).tree
            kept[tree.segment[template_part(template, tree) & tree.is_text]] = False
        return _text(document, kept)

    return clean


def _votes(documents: Sequence[Document]) -> Clean:
    config = CoreConfig()
    learner = TreeLearner(config)
    for document in documents:
        learner.learn_one(document)
    model = learner.model()

    def clean(document: Document) -> str:
        evidence = tree_evidence(document, model, config.kind_likeness_min)
        return _text(document, evidence.text_share < _SHARE_MIN)

    return clean


def _phrases(documents: Sequence[Document]) -> Clean:
    matcher = PhraseMatcher(refit(documents, CoreConfig()))

    def clean(document: Document) -> str:
        text = page_text(document)
        return without(text, settled(text, matcher.spans(text), Locality()))

    return clean


def _page_model(_: Sequence[Document]) -> Clean:
    return lambda document: _text(document, decide(document, None, CoreConfig()).kept)


def _text(document: Document, kept: np.ndarray) -> str:
    texts = document.segments.texts
    return "\n".join(text for text, stays in zip(texts, kept, strict=True) if stays)


CLEANERS: Mapping[str, Callable[[Sequence[Document]], Clean]] = {
    "original": _nothing,
    "FindTemplate": _find_template,
    "votes": _votes,
    "phrases": _phrases,
    "page model": _page_model,
}
"""How to clean a site's pages, given a sample of them; the page model needs none."""
