"""Names of `meta` elements and types of JSON-LD by what they say, the most specific first."""

META_TITLES = (
    "og:title",
    "twitter:title",
    "dc.title",
    "dcterms.title",
    "parsely-title",
    "headline",
)
META_AUTHORS = (
    "article:author_name", "author", "parsely-author", "sailthru.author", "byl", "dc.creator",
    "dcterms.creator", "citation_author", "article:author", "og:article:author", "article.author",
    "creator", "dc.contributor", "cxenseparse:author", "authors",
)  # fmt: skip
META_PUBLISHED = (
    "article:published_time", "og:article:published_time", "datepublished", "article.published",
    "parsely-pub-date", "sailthru.date", "dc.date.issued", "dcterms.issued", "dcterms.created",
    "dc.date.created", "citation_publication_date", "citation_date", "pubdate", "publish-date",
    "publishdate", "publication_date", "published_time", "date.created", "rnews:datepublished",
    "og:published_time", "cxenseparse:recs:publishtime", "dc.date", "dcterms.date", "date",
    "article_date_original", "last-published", "ptime",
)  # fmt: skip
META_MODIFIED = (
    "article:modified_time", "og:updated_time", "og:article:modified_time", "datemodified",
    "dcterms.modified", "dc.date.modified", "last-modified", "article.updated", "lastmod",
    "article:updated_time", "revision_date", "updated_time", "utime",
)  # fmt: skip
META_SITE = (
    "og:site_name",
    "application-name",
    "apple-mobile-web-app-title",
    "dc.publisher",
    "publisher",
)
META_SECTION = ("article:section", "og:article:section", "parsely-section", "section", "category")
META_TAGS = (
    "article:tag",
    "og:article:tag",
    "parsely-tags",
    "news_keywords",
    "keywords",
    "dc.subject",
)
META_IMAGE = (
    "og:image",
    "og:image:secure_url",
    "og:image:url",
    "twitter:image",
    "twitter:image:src",
    "thumbnail",
)
META_DESCRIPTION = (
    "og:description",
    "description",
    "twitter:description",
    "dc.description",
    "dcterms.description",
)
META_LANGUAGE = (
    "og:locale",
    "dc.language",
    "dcterms.language",
    "content-language",
    "language",
    "inlanguage",
)
META_PRODUCT = (
    "product:price:amount", "product:price:currency", "product:availability", "product:brand",
    "product:retailer_item_id", "product:retailer_part_no", "og:price:amount", "og:price:currency",
    "og:availability", "og:brand",
)  # fmt: skip
WANTED = frozenset(
    (
        *("og:url", "og:type"),
        *META_TITLES,
        *META_AUTHORS,
        *META_PUBLISHED,
        *META_MODIFIED,
        *META_SITE,
        *META_SECTION,
        *META_TAGS,
        *META_IMAGE,
        *META_DESCRIPTION,
        *META_LANGUAGE,
        *META_PRODUCT,
    )
)
"""All names of `meta` elements that are read."""

PROPERTIES = frozenset((
    "headline", "author", "datepublished", "datecreated", "datemodified", "articlesection", "image",
))  # fmt: skip
"""All values of `itemprop`, in lower case, that are read."""
