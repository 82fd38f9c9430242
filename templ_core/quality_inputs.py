"""Inputs that separate pages without content from others: see `page_quality`."""

import math
from itertools import compress

import numpy as np

from templ_core.decide import Decision
from templ_core.dom.document import Document
from templ_core.dom.tags import HEADING_LEVELS
from templ_core.metadata.prices import shows_price
from templ_core.page_level.features.page_features import PageFeatures
from templ_core.page_level.interstitials import GATES, name_in, says_scripts_are_needed
from templ_core.page_level.page_evidence import PageEvidence
from templ_core.site_level.fusion.site_columns import (
    CONSTANT,
    PLACE_PAGES,
    RECURS,
    USUAL_BEST_CONTAINER,
)
from templ_core.site_level.site_evidence import SiteEvidence
from templ_core.site_level.site_model import SiteModel

_NAMED_WORDS_MAX = 150
"""A page with more words of its own is not named by them."""
_PRICE_CHARS_MAX = 80
"""Characters of the longest text that is a price with what stands beside it."""
_LOG_RATIO_MAX = 4.0
"""Largest logarithm of a number of words over the usual one; more of it says no more."""


def quality_inputs(
    document: Document,
    page: PageEvidence,
    decision: Decision,
    site: SiteEvidence | None,
    model: SiteModel | None,
    missing: str | None,
) -> list[float]:
    """Return what the kinds are computed from.

    Args:
        document: The page, with at least one segment.
        page: What it says about itself.
        decision: What becomes of its segments.
        site: What its site says; None = nothing.
        model: What is known of the site; None = nothing.
        missing: What `interstitials.missing_name` returned for it.
    """
    words, features = decision.words, page.features
    columns = {} if site is None else site.columns
    zeros = np.zeros(len(words))
    repeated = (columns.get(RECURS, zeros) > 0) | (columns.get(CONSTANT, zeros) > 0)
    own = np.where(repeated, 0.0, words)
    total, own_words = float(words.sum()), float(own.sum())
    usual = total
    if model is not None and model.documents:
        usual = float(model.places.cells.sums[0].sum()) / model.documents
    texts = list(compress(document.segments.texts, (~repeated).tolist()))
    name = missing or (name_in(document, texts) if own_words < _NAMED_WORDS_MAX else None)
    kept_own = float(own[decision.kept].sum())
    is_known = float(site is not None)
    is_unknown = columns.get(PLACE_PAGES, zeros) == 0
    title = set(features.title.tolist())
    own_hashes = features.words.hashes[~repeated[features.words.segment]]
    in_title = title.intersection(own_hashes.tolist())
    usual_place = float(own[columns.get(USUAL_BEST_CONTAINER, zeros) > 0].sum())
    return [
        math.log1p(own_words),
        math.log1p(kept_own),
        math.log1p(float(own.max())),
        math.log1p(usual_place) * is_known,
        math.log1p(np.count_nonzero(own)),
        _within(math.log((total + 1) / (usual + 1))),
        _within(math.log((total - own_words + 1) / (usual + 1))) * is_known,
        (1 - own_words / total) * is_known,
        float((own * features.link_density).sum()) / max(own_words, 1.0),
        math.log1p(float(own[is_unknown].sum())) * is_known,
        math.log1p(float(own[~is_unknown].sum())) * is_known,
        len(in_title) / len(title) if title else 1.0,
        math.log1p(document.html_chars / (total + 1)),
        float(document.scripts > 0),
        float(name == "error-page"),
        float(name in GATES),
        float(name == "paywall"),
        float(says_scripts_are_needed(texts)),
        math.log1p(float((own * (1 - decision.templateness)).sum())),
        math.log1p(float((own / (1 + np.exp(-page.log_odds))).sum())),
        *_of_kept(document, features, decision),
        decision.confidence,
        decision.page_type.product,
        decision.page_type.listing,
        decision.page_type.forum,
        decision.page_type.documentation,
        math.log1p(document.scripts),
        is_known,
    ]


def _of_kept(document: Document, features: PageFeatures, decision: Decision) -> list[float]:
    """Return what the kept text has that only content has: headings, prices, words of the title, and text outside links."""
    kept, words = decision.kept, decision.words
    nodes, segments = document.nodes, document.segments
    types = nodes.element_type[segments.owner[kept]].tolist()
    headings = [number for number in types if nodes.element_types[number][0] in HEADING_LEVELS]
    short = (
        text for text in compress(segments.texts, kept.tolist()) if len(text) <= _PRICE_CHARS_MAX
    )
    title = set(features.title.tolist())
    shown = set(features.words.hashes[kept[features.words.segment]].tolist())
    of_kept = words[kept]
    return [
        float(any(nodes.element_types[heading][0] == "h1" for heading in headings)),
        math.log1p(len(headings)),
        math.log1p(sum(map(shows_price, short))),
        len(title & shown) / len(title) if title else 1.0,
        math.log1p(float((of_kept * (1 - features.link_density[kept])).sum())),
        math.log1p(len(of_kept)),
        float(of_kept.sum()) / max(float(words.sum()), 1.0),
    ]


def _within(log_ratio: float) -> float:
    return min(max(log_ratio, -_LOG_RATIO_MAX), _LOG_RATIO_MAX)
