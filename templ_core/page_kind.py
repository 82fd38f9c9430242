"""The type of a page by its markup, or else by its page model, its address, and its lists and prices."""

import functools
import math
import operator
from pkgutil import get_data

import msgspec

from templ_core.decide import Decision
from templ_core.dom.document import Document
from templ_core.kind_inputs import kind_inputs
from templ_core.metadata.markup import StatedType
from templ_core.page_level.model.page_type import PAGE_TYPES, PageType


class KindWeights(msgspec.Struct, frozen=True):
    """A logistic regression over the page types."""

    bias: list[float]
    """Length 6, in the order of PAGE_TYPES."""
    weights: list[list[float]]
    """A row for each page type, a column for each of the `kind_inputs`."""


def page_kind(
    document: Document, url: str, decision: Decision, stated: StatedType | None
) -> str | None:
    """Return what a page is: one of PAGE_TYPES; None for a page without text.

    A type that the markup states counts; threads and manuals are recognised by their text alone.

    Args:
        document: The page.
        url: Its address.
        decision: What becomes of its segments.
        stated: What its markup calls it; None = nothing.
    """
    if not document.segments.texts:
        return None
    if stated is not None:
        return stated_kind(decision.page_type, stated)
    weights = _weights()
    inputs = kind_inputs(document, url, decision)
    scores = [
        bias + math.fsum(map(operator.mul, row, inputs))
        for bias, row in zip(weights.bias, weights.weights, strict=True)
    ]
    return PAGE_TYPES[scores.index(max(scores))]


def stated_kind(page_type: PageType, stated: StatedType) -> str:
    """Return what a page is that its markup gives a type.

    >>> stated_kind(PageType(article=0.8), "product")
    'product'
    """
    likely = max(PAGE_TYPES, key=functools.partial(getattr, page_type))
    is_surer = likely == "forum" or (stated == "article" and likely == "documentation")
    return likely if is_surer else stated


@functools.cache
def _weights() -> KindWeights:
    """Return the weights that `templ experiments page-type` fits."""
    body = get_data(__package__, "page_kind.json") or b""
    return msgspec.json.decode(body, type=KindWeights)
