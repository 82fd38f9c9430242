"""The type of a page as its own markup states it: JSON-LD, microdata in JSON-LD's names, and OpenGraph."""

from collections.abc import Sequence
from typing import Literal

from templ_core.metadata.claims import Claims
from templ_core.metadata.json_ld import Item, types_of

StatedType = Literal["article", "forum", "product", "listing"]

_FORUMS = frozenset(("DiscussionForumPosting", "QAPage"))
_ARTICLES = frozenset(
    (
        *("Article", "NewsArticle", "BlogPosting", "TechArticle", "LiveBlogPosting"),
        *("OpinionNewsArticle", "ReportageNewsArticle", "AnalysisNewsArticle", "ScholarlyArticle"),
    )
)
_PRODUCTS = frozenset(("Product", "ProductGroup", "IndividualProduct", "ItemPage"))
_LISTINGS = frozenset(("CollectionPage", "SearchResultsPage", "ItemList", "Blog"))
_PRODUCT_OBJECTS = frozenset(("product", "product.item", "product.group", "og:product"))


def stated_type(claims: Claims, items: Sequence[tuple[int, Item]]) -> StatedType | None:
    """Return what the markup of a page says that the page is; None where it says nothing certain.

    An article may name a product, such as a subscription that it is a part of, and themes of blogs call
    each page an article in OpenGraph, so an article is believed before a product, and `og:type` alone makes
    no article.

    >>> stated_type(Claims({"og:type": ["product"]}, {}, [], [], [], [], []), [])
    'product'

    Args:
        claims: The claims of the page.
        items: The objects of its JSON-LD with their ranks, see `templ_core.metadata.json_ld.read_items`.
    """
    types = {name for _, item in items for name in types_of(item)}
    objects = {text.lower() for text in claims.meta.get("og:type", ())}
    if types & _FORUMS:
        return "forum"
    if types & _ARTICLES:
        return "article"
    if any(rank == 0 for rank, _ in items) or "article" in objects:
        return None
    if types & _PRODUCTS or objects & _PRODUCT_OBJECTS:
        return "product"
    return "listing" if types & _LISTINGS else None
