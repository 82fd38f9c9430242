"""A first page-level scorer: log-odds that a segment is content, from plain features.

The features are those of Chakrabarti et al. (WWW 2007, section 4.2.1) and Kolcz & Yih (PKDD 2007,
section 4) that need no training: words, anchor text, links, punctuation, what class names and tags
say. The weights are set by hand, one decimal place.
"""

import re
from typing import Any

import numpy as np
import numpy.typing as npt

from templ_core.dom.document import Document, subtree_sums
from templ_core.tokens import count_tokens

PAGE_MODEL_VERSION = "hand-1"

Floats = npt.NDArray[np.floating[Any]]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TEMPLATE_STEMS = _words(
    """
    nav menu sidebar side footer foot header head banner breadcrumb crumb share sharing
    social related recommend popular recent trending archive widget advert ad ads sponsor
    promo cookie consent gdpr newsletter subscribe signup login search pagination pager
    pagenavi tag tags tagged category cat categories meta byline copyright toolbar masthead
    modal popup skip hidden links similar more topbar bottom navbar bar comment comments
    respond reply rating cart wishlist author bio dropdown outbrain taboola next prev
    previous date time posted print screen reader disclaimer legal logo
    """
)
_CONTENT_STEMS = _words(
    """
    article content entry post body main text story page prose description message
    maincontent articlebody postbody entrycontent detail details document markdown paragraph
    thread topic
    """
)
_STEM = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_TAG_SCORES = {
    "nav": -3.0,
    "footer": -2.5,
    "aside": -2.0,
    "header": -1.0,
    "form": -1.5,
    "button": -3.0,
    "select": -3.0,
    "option": -3.0,
    "noscript": -1.5,
    "address": -1.0,
    "article": 0.7,
    "main": 0.7,
    "p": 0.8,
    "pre": 1.2,
    "blockquote": 0.7,
    "li": -0.4,
    "h1": -0.3,
}
_TEMPLATE_STEM_SCORE = -1.0
_CONTENT_STEM_SCORE = 0.7
_PATH_LIMIT = 3.0
_SENTENCE_END = re.compile(r"[.!?…。！？؟][\"'”’»)\]]*(?:\s|$)")


def content_log_odds(document: Document, words: Floats) -> Floats:
    """Log-odds that each segment is content; length n_segments.

    Args:
        document: The page.
        words: Tokens of each segment.
    """
    segments = document.segments
    chars = np.array([len(text) for text in segments.texts], np.float64)
    link_ratio = np.minimum(segments.link_chars / np.maximum(chars, 1), 1.0)
    sentences = np.array([len(_SENTENCE_END.findall(text)) for text in segments.texts])
    own = (
        -2.0
        + 0.7 * np.log1p(words)
        - 3.0 * link_ratio
        - 0.2 * np.minimum(segments.links, 5)
        + 0.6 * np.minimum(sentences, 3)
        + _path_scores(document)[segments.owner]
    )
    odds: Floats = own + _neighbourhood(own, words) + _container(document, own, words)
    return odds


def segment_words(document: Document) -> Floats:
    """Tokens of each segment, at least 1; length n_segments."""
    return np.array([max(count_tokens(text), 1) for text in document.segments.texts], np.float64)


def _path_scores(document: Document) -> Floats:
    """Sum of what tags and class names say from the root down to each node, bounded."""
    cache: dict[tuple[str, str], float] = {}
    scores: list[float] = []
    nodes = document.nodes
    for tag, attributes, hidden, parent in zip(
        nodes.tags, nodes.attributes, nodes.hidden.tolist(), nodes.parent.tolist(), strict=True
    ):
        key = tag, attributes
        score = cache.get(key)
        if score is None:
            score = cache[key] = _node_score(tag, attributes)
        above = scores[parent] if parent >= 0 else 0.0
        total = above + score - 3.0 * hidden
        scores.append(max(-2 * _PATH_LIMIT, min(_PATH_LIMIT, total)))
    return np.array(scores)


def _node_score(tag: str, attributes: str) -> float:
    score = _TAG_SCORES.get(tag, 0.0)
    if attributes and tag not in {"html", "body"}:
        stems = {stem.lower() for stem in _STEM.findall(attributes)}
        if stems & _TEMPLATE_STEMS:
            score += _TEMPLATE_STEM_SCORE
        if stems & _CONTENT_STEMS:
            score += _CONTENT_STEM_SCORE
    return score


def _neighbourhood(own: Floats, words: Floats) -> Floats:
    """Content stands among content: mean score of the segments around, by words."""
    weight = np.sqrt(words)
    mass = _window_sums(weight / (1 + np.exp(-own)))
    around: Floats = mass / _window_sums(weight)
    return 2.0 * (around - 0.5)


def _window_sums(values: Floats) -> Floats:
    """Sum of each value and up to four on either side."""
    sums: Floats = np.convolve(values, np.ones(9), "full")[4 : 4 + len(values)]
    return sums


def _container(document: Document, own: Floats, words: Floats) -> Floats:
    """Bonus inside the element whose text, kept alone, has the best expected F1."""
    mass = words / (1 + np.exp(-own))
    owner, end = document.segments.owner, document.nodes.end
    inside_mass = subtree_sums(document, mass)
    inside_words = subtree_sums(document, words)
    best = int(np.argmax(2 * inside_mass / (inside_words + mass.sum())))
    return np.where((owner >= best) & (owner < end[best]), 0.7, -1.0)
