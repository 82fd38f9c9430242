"""What the markup of a page states about it: its claims, its JSON-LD, and the type that both give it.

Claims are the tags that say something about their page. `templ_core.dom.parse._strip_markup` copies them out of
the markup while it is scanned, so they cost neither a parse nor a search of the page.
"""

from typing import Literal

from templ_core.dom.document import Document
from templ_core.metadata._scans import Claims
from templ_core.metadata.json_ld import JsonLd
from templ_core.metadata.product import read_product

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


_META = {
    "url": ("og:url",),
    "type": ("og:type",),
    "title": ("og:title", "twitter:title", "dc.title", "dcterms.title", "parsely-title", "headline"),
    "author": (
        "article:author_name", "author", "parsely-author", "sailthru.author", "byl", "dc.creator",
        "dcterms.creator", "citation_author", "article:author", "og:article:author", "article.author",
        "creator", "dc.contributor", "cxenseparse:author", "authors",
    ),
    "published": (
        "article:published_time", "og:article:published_time", "datepublished", "article.published",
        "parsely-pub-date", "sailthru.date", "dc.date.issued", "dcterms.issued", "dcterms.created",
        "dc.date.created", "citation_publication_date", "citation_date", "pubdate", "publish-date",
        "publishdate", "publication_date", "published_time", "date.created", "rnews:datepublished",
        "og:published_time", "cxenseparse:recs:publishtime", "dc.date", "dcterms.date", "date",
        "article_date_original", "last-published", "ptime",
    ),
    "modified": (
        "article:modified_time", "og:updated_time", "og:article:modified_time", "datemodified",
        "dcterms.modified", "dc.date.modified", "last-modified", "article.updated", "lastmod",
        "article:updated_time", "revision_date", "updated_time", "utime",
    ),
    "site_name": ("og:site_name",),
    "site": ("application-name", "apple-mobile-web-app-title", "dc.publisher", "publisher"),
    "section": ("article:section", "og:article:section", "parsely-section", "section", "category"),
    "tags": (
        "article:tag", "og:article:tag", "parsely-tags", "news_keywords", "keywords", "dc.subject",
    ),
    "image": (
        "og:image", "og:image:secure_url", "og:image:url", "twitter:image", "twitter:image:src",
        "thumbnail",
    ),
    "description": (
        "og:description", "description", "twitter:description", "dc.description", "dcterms.description",
    ),
    "language": (
        "og:locale", "dc.language", "dcterms.language", "content-language", "language", "inlanguage",
    ),
    "price": ("product:price:amount", "og:price:amount"),
    "currency": ("product:price:currency", "og:price:currency"),
    "availability": ("product:availability", "og:availability"),
    "brand": ("product:brand", "og:brand"),
    "sku": ("product:retailer_item_id", "product:retailer_part_no"),
}  # fmt: skip
"""Names of `meta` elements by what they say, the surest first."""
_WANTED = {name: (field, rank) for field, names in _META.items() for rank, name in enumerate(names)}


def read_claims(claims: bytes) -> Claims:
    r"""Return the claims of a page, sorted.

    Args:
        claims: The tags as `Document.claims` holds them.

    >>> read_claims(b"meta\2name\2Author\2content\2Ann Lee\2\0").meta
    {'author': ['Ann Lee']}
    """
    return Claims(claims, _WANTED)


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
        self.claims = read_claims(document.claims)
        """What its tags say."""
        self.json_ld = JsonLd(self.claims.scripts)
        """The objects of its JSON-LD."""
        self.product = read_product(self.claims, self.json_ld, document.title)
        """The product that it describes; None where it describes none."""
        self.kind = self._kind()
        """What it says that the page is; None where it says nothing certain."""

    def _kind(self) -> StatedType | None:
        """Return what the markup says that the page is.

        An article may name a product, such as a subscription that it is a part of, so an article in JSON-LD is
        believed before a product. Themes of blogs and of shops call each page an article in OpenGraph, so `og:type`
        alone makes no article, and beside it a product needs a price: services describe themselves as products, too.
        """
        objects = {text.lower() for text in self.claims.meta.get("type", ())}
        types = self.json_ld.types
        if not types.isdisjoint(_FORUMS):
            return "forum"
        if not types.isdisjoint(_ARTICLES):
            return "article"
        if self.product is not None and self.product.price is not None:
            return "product"
        if self.json_ld.articles or "article" in objects:
            return None
        if not types.isdisjoint(_PRODUCTS) or not objects.isdisjoint(_PRODUCT_OBJECTS):
            return "product"
        return None if types.isdisjoint(_LISTINGS) else "listing"
