"""What the markup of a page states about it: its claims, its JSON-LD, and the type that both give it."""

import functools
from typing import Literal

from templ_core.dom.document import Document
from templ_core.metadata.claims import Claims, read_claims
from templ_core.metadata.json_ld import JsonLd

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


class PageMarkup:
    """What the markup of a page states about it.

    >>> from templ_core.dom.document import parse_document
    >>> PageMarkup(parse_document('<meta property="og:type" content="product"><p>Tea', "")).kind
    'product'

    Args:
        document: The page, as it was parsed; a document that was stored and read back has lost what
            its markup said.
    """

    def __init__(self, document: Document) -> None:
        self._document = document

    @functools.cached_property
    def claims(self) -> Claims:
        """What its tags say."""
        return read_claims(self._document.claims)

    @functools.cached_property
    def json_ld(self) -> JsonLd:
        """The objects of its JSON-LD."""
        return JsonLd(self.claims.scripts)

    @functools.cached_property
    def kind(self) -> StatedType | None:
        """What the markup says that the page is; None where it says nothing certain.

        An article may name a product, such as a subscription that it is a part of, and themes of blogs call
        each page an article in OpenGraph, so an article is believed before a product, and `og:type` alone
        makes no article.
        """
        objects = {text.lower() for text in self.claims.meta.get("type", ())}
        types = self.json_ld.types
        if not types.isdisjoint(_FORUMS):
            return "forum"
        if not types.isdisjoint(_ARTICLES):
            return "article"
        if self.json_ld.articles or "article" in objects:
            return None
        if not types.isdisjoint(_PRODUCTS) or not objects.isdisjoint(_PRODUCT_OBJECTS):
            return "product"
        return None if types.isdisjoint(_LISTINGS) else "listing"
