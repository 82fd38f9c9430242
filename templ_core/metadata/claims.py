"""The tags that say something about their page, sorted by what they speak of.

`templ_core.dom.parse._strip_markup` copies them out of the markup while it is scanned, so they cost
neither a parse nor a search of the page.
"""

from templ_core.metadata._claims import Claims, plain_text

__all__ = ["Claims", "plain_text", "read_claims"]

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
