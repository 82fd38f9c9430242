"""What the markup of a page states about it: its claims, its JSON-LD, its product, and the type that they give it.

Claims are the tags that say something about their page. `templ_core.dom.parse._strip_markup` copies them out of
the markup while it is scanned, so they cost neither a parse nor a search of the page.
"""

import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from templ_core.dom.document import Document
from templ_core.metadata._scans import Claims, plain_text
from templ_core.metadata.fields import Offer, Product
from templ_core.metadata.prices import price_number
from templ_core.patterns import pattern

_LONG_TEXT_CHARS_MAX = 2000
_ALPHANUMERIC = pattern(r"[^\W_]")
_OBJECTS_MAX = 500
"""Number of objects of a page that are looked at."""
_DEPTH_MAX = 8
"""Levels of objects inside one another that are looked at."""
_ENTRIES_MAX = 50
"""Entries of a field that are looked at."""
_WITHIN = ("@graph", "mainEntity", "mainEntityOfPage", "isPartOf", "hasPart")
"""Fields whose objects describe the page, too."""

Value = object
Item = dict[str, Value]

_ARTICLE = pattern(r"Article$|Posting$|Report$|Review$|^Recipe$|^HowTo$|^QAPage$|^VideoObject$")
_PRODUCT = pattern(r"^Product|^Offer$|^Book$|^Movie$|^Event$|^JobPosting$|^SoftwareApplication$")
_SITES = frozenset(("WebSite",))
_OF_ARTICLE, _OF_PRODUCT, _OF_PAGE, _OF_OTHER = range(4)


class JsonLd:
    """The objects with a type in the JSON-LD scripts of a page, those that describe it most surely first.

    A script that is not JSON is left out; common faults are forgiven.

    Args:
        scripts: Contents of the scripts in UTF-8.

    >>> found = JsonLd([b'[{"@type":"WebPage"},{"@type":"NewsArticle"},{"@type":"Person"}]'])
    >>> [item["@type"] for item in found.described]
    ['NewsArticle', 'WebPage']
    """

    def __init__(self, scripts: Sequence[bytes]) -> None:
        found: list[Item] = []
        for script in scripts:
            for value in _decoded(script):
                _collect(value, 0, found)
        self._of_types = [(types_of(item), item) for item in found[:_OBJECTS_MAX]]
        ranked: list[list[Item]] = [[], [], [], []]
        for types, item in self._of_types:
            ranked[min(map(_rank, types), default=_OF_OTHER)].append(item)
        self.articles, self.products, pages, others = ranked
        self.described = [*self.articles, *self.products, *pages]
        """Articles, products and pages; others describe something that belongs to the page."""
        self._items = [*self.described, *others]
        self.types = {name for types, _ in self._of_types for name in types}

    def of_types(self, names: frozenset[str]) -> list[Item]:
        """Return the objects that have one of these types."""
        if names.isdisjoint(self.types):
            return []
        return [item for item in self._items if not names.isdisjoint(types_of(item))]

    @functools.cached_property
    def by_id(self) -> dict[str, Item]:
        """The objects that have a name of their own, by it."""
        items = reversed(self._items)
        return {str(item["@id"]): item for item in items if isinstance(item.get("@id"), str)}

    def headlines(self) -> Iterator[str]:
        """Yield the headlines of the articles."""
        for item in self.articles:
            yield from texts_of(item.get("headline"))

    def names(self) -> Iterator[str]:
        """Yield the names of the articles and of the products."""
        for item in (*self.articles, *self.products):
            yield from texts_of(item.get("name"))

    def site_names(self) -> Iterator[str]:
        """Yield the names of the sites that the page is said to be a part of."""
        for item in self.of_types(_SITES):
            yield from texts_of(item.get("name"))

    def people(self, field: str) -> Iterator[list[str]]:
        """Yield the names in a field of authors for each object that describes the page, those of organisations left out."""
        for item in self.described:
            yield self.texts_in(_people(item.get(field)), ("name",))

    def signed_by(self, field: str) -> Iterator[list[str]]:
        """Yield the names in each object of an authors field that has an organisation among them."""
        for item in self.described:
            value = item.get(field)
            if value and len(_people(value)) < (len(value) if isinstance(value, list) else 1):
                yield self.texts_in(value, ("name",))

    def texts(self, field: str, *names: str) -> list[str]:
        """Return the texts of a field of the objects that describe the page, references followed.

        Args:
            field: Name of the field.
            names: Where its value is an object, its fields in order of preference.
        """
        if not self.described:
            return []
        values = [item[field] for item in self.described if field in item]
        return [text for value in values for text in self.texts_in(value, names)]

    def texts_in(self, value: Value, names: Sequence[str]) -> list[str]:
        """Return the texts in a value, references followed."""
        if isinstance(value, list):
            return [text for one in value[:_ENTRIES_MAX] for text in self.texts_in(one, names)]
        found = texts_of(value, *names)
        if not found and isinstance(value, dict):
            return texts_of(self.by_id.get(str(value.get("@id"))), *names)
        return found


def types_of(item: Item) -> list[str]:
    """Return the names of an object's types without their vocabulary."""
    names = item.get("@type")
    if isinstance(names, str):
        return [names.rpartition("/")[2]]
    of_one = names if isinstance(names, list) else []
    return [name.rpartition("/")[2] for name in of_one if isinstance(name, str)]


def texts_of(value: Value, *names: str) -> list[str]:
    """Return the texts in a value: itself, its entries, or the first of these fields of its objects.

    >>> texts_of([{"name": "Ann &amp; Bob"}, "Eve"], "name")
    ['Ann & Bob', 'Eve']
    """
    if isinstance(value, str):
        text = plain_text(value)
        return [text] if text else []
    if isinstance(value, list):
        return [text for one in value[:_OBJECTS_MAX] for text in texts_of(one, *names)]
    if isinstance(value, dict):
        for name in names:
            if name in value:
                within = value[name]
                is_object = isinstance(within, dict)
                found = texts_of(within.get(name, within.get("@value")) if is_object else within)
                if found:
                    return found
    return []


def short_text(text: str, chars_max: int = _LONG_TEXT_CHARS_MAX) -> str | None:
    """Return a text cut to a bound, or None for one without a letter or digit.

    >>> short_text("--"), short_text("One two three", 9)
    (None, 'One two …')
    """
    if not _ALPHANUMERIC.search(text):
        return None
    if len(text) <= chars_max:
        return text
    return text[:chars_max].rpartition(" ")[0] + " …"


def _people(value: Value) -> list[Value]:
    """Return authors without the organisations among them.

    >>> _people(
    ...     [{"@type": "Person", "name": "Ann Lee"}, {"@type": "Organization", "name": "Daily"}]
    ... )
    [{'@type': 'Person', 'name': 'Ann Lee'}]
    """
    found = value if isinstance(value, list) else [value]
    return [
        one
        for one in found[:_ENTRIES_MAX]
        if not (isinstance(one, dict) and "".join(types_of(one)).endswith("Organization"))
    ]


@functools.lru_cache(1 << 8)
def _rank(name: str) -> int:
    if _ARTICLE.search(name):
        return _OF_ARTICLE
    if _PRODUCT.search(name):
        return _OF_PRODUCT
    return _OF_PAGE if name.endswith("Page") else _OF_OTHER


def _decoded(script: bytes) -> list[Value]:
    try:
        return [msgspec.json.decode(script)]
    except (msgspec.DecodeError, RecursionError):
        # Few pages need it.
        from templ_core.metadata.loose_json import read_json  # noqa: PLC0415

        return read_json(script)


def _collect(value: Value, depth: int, found: list[Item]) -> None:
    """Add the objects with a type in a value, each before those within it."""
    if depth > _DEPTH_MAX or len(found) >= _OBJECTS_MAX:
        return
    if isinstance(value, list):
        for one in value[:_OBJECTS_MAX]:
            _collect(one, depth + 1, found)
    elif isinstance(value, dict):
        if "@type" in value:
            found.append(value)
        for name in _WITHIN:
            if name in value:
                _collect(value[name], depth + 1, found)


_PRODUCT_TYPES = frozenset(
    ("Product", "ProductGroup", "ProductModel", "IndividualProduct", "Vehicle", "Car")
)
_OFFERS_MAX = 50
_TEXT_CHARS_MAX = 200
_OFFER_NAMES = ("price", "lowPrice", "highPrice", "priceCurrency", "availability")
_RATING_NAMES = ("ratingValue", "bestRating", "ratingCount", "reviewCount")
_OWN_NAMES = ("sku", "mpn", "brand")
_NAMES = {name.lower(): name for name in (*_OFFER_NAMES, *_RATING_NAMES, *_OWN_NAMES, "name")}
_AVAILABILITIES = {
    name.lower(): name
    for name in (
        *("InStock", "OutOfStock", "PreOrder", "PreSale", "BackOrder", "SoldOut", "Discontinued"),
        *("LimitedAvailability", "OnlineOnly", "InStoreOnly", "MadeToOrder", "Reserved"),
    )
} | {"oos": "OutOfStock", "available": "InStock"}
_PLAIN_NUMBER = pattern(r"[0-9]{1,12}(?:\.[0-9]{1,6})?")
_WORD = pattern(r"\w+")
_NO_LETTERS = pattern(r"[\W_]+")
_OTHER_ITEMS = frozenset(
    ("review", "reviews", "reviewrating", "isrelatedto", "issimilarto", "itemlistelement", "author")
)
"""Properties whose objects are about something else than the product, in lower case."""


def read_product(claims: Claims, json_ld: JsonLd, title: str) -> Product | None:
    """Return the product that a page is about; None where it describes none.

    A page that names several products is a list of them, unless the title of the page begins
    with the name of one.
    Of several sources, JSON-LD comes first, then microdata and RDFa, then OpenGraph, value by value.

    Args:
        claims: The claims of the page.
        json_ld: The objects of its JSON-LD.
        title: Title of the page.

    >>> script = (
    ...     b'{"@type": "Product", "sku": "B1", "offers": {"price": 4.5, "priceCurrency": "EUR"}}'
    ... )
    >>> found = read_product(read_claims(b""), JsonLd([script]), "")
    >>> found.sku, found.price, found.price_currency
    ('B1', '4.5', 'EUR')
    """
    sources = (
        _main_product(json_ld.of_types(_PRODUCT_TYPES), title),
        _main_product(_marked_up(claims.statements), title),
        _of_meta(claims.meta),
    )
    stated = [item for item in sources if item]
    if not stated:
        return None
    found = Product(name=_text(stated[0].get("name")) or None)
    for source in stated:
        found = _completed(found, _product(source, json_ld))
    return found


def _main_product(items: Sequence[Item], title: str) -> Item | None:
    if len(items) < 2:
        return items[0] if items else None
    groups = [item for item in items if "ProductGroup" in types_of(item)]
    if len(groups) == 1:
        return groups[0]
    own = _WORD.findall(title.casefold())
    for item in items:
        name = _WORD.findall(_text(item.get("name")).casefold())
        if name and name == own[: len(name)]:
            return item
    return None


def _marked_up(statements: Iterable[tuple[str, str, str]]) -> list[Item]:
    """Return the products of microdata and RDFa as objects of JSON-LD.

    Statements do not say where an object ends, so the name of a property decides what it belongs to.
    """
    products: list[Item] = []
    offers: list[Item] = []
    within = ""
    for of_type, names, value in statements:
        if of_type:
            within = "" if names == "mainentity" else names
            if of_type in _PRODUCT_TYPES and not within:
                offers = []
                products.append({"@type": of_type, "offers": offers})
            elif within == "offers" and products:
                offers.append({})
        if not products or within in _OTHER_ITEMS:
            continue
        for name in names.split():
            known = _NAMES.get(name)
            if known and value:
                _place(products[-1], offers, known, value, within)
    return products


def _place(product: Item, offers: list[Item], name: str, value: str, within: str) -> None:
    if name in _OFFER_NAMES:
        if not offers:
            offers.append({})
        offers[-1].setdefault(name, value)
    elif name in _RATING_NAMES:
        rating = product.setdefault("aggregateRating", {})
        if isinstance(rating, dict):
            rating.setdefault(name, value)
    elif name != "name":
        product.setdefault(name, value)
    elif within in {"", "brand"}:
        product.setdefault(within or name, value)


def _of_meta(meta: Mapping[str, list[str]]) -> Item | None:
    """Return what `meta` elements of OpenGraph and its relatives say of a product."""
    if "price" not in meta and "product" not in " ".join(meta.get("type", ())).lower():
        return None
    first = {field: texts[0] for field, texts in meta.items()}
    offer = {"price": "price", "priceCurrency": "currency", "availability": "availability"}
    return {
        "sku": first.get("sku", ""),
        "brand": first.get("brand", ""),
        "offers": {name: first.get(field, "") for name, field in offer.items()},
    }


def _product(item: Item, json_ld: JsonLd) -> Product:
    by_id = json_ld.by_id
    offers = _offers(item, by_id)
    priced = next((one for one in offers if one.price or one.low_price), Offer())
    rating = next(iter(_objects(item.get("aggregateRating"), by_id)), {})
    brand = [*_objects(item.get("brand"), by_id), *texts_of(item.get("brand"), "name")]
    return Product(
        sku=_short(item.get("sku")),
        mpn=_short(item.get("mpn")),
        brand=next((name for name in map(_short, brand) if name), None),
        price=priced.price or priced.low_price,
        price_currency=priced.price_currency,
        availability=next((one.availability for one in offers if one.availability), None),
        rating_value=_number(rating.get("ratingValue")),
        best_rating=_number(rating.get("bestRating")),
        rating_count=_count(rating.get("ratingCount")),
        review_count=_count(rating.get("reviewCount")),
        offers=offers,
    )


def _offers(item: Item, by_id: Mapping[str, Item]) -> list[Offer]:
    """Return the offers of a product, or those of its variants."""
    stated = _objects(item.get("offers"), by_id)
    if not stated:
        variants = _objects(item.get("hasVariant"), by_id)
        stated = [one for variant in variants for one in _objects(variant.get("offers"), by_id)]
    stated += [one for group in stated for one in _objects(group.get("offers"), by_id)]
    offers = (_offer(one, by_id) for one in stated[:_OFFERS_MAX])
    return [offer for offer in offers if offer != Offer()]


def _offer(item: Item, by_id: Mapping[str, Item]) -> Offer:
    within = [item, *_objects(item.get("priceSpecification"), by_id)]

    def first(name: str) -> str:
        return next((text for one in within if (text := _text(one.get(name)))), "")

    currency = first("priceCurrency").upper()
    of_letters = _NO_LETTERS.sub("", _text(item.get("availability")).rpartition("/")[2]).lower()
    return Offer(
        price=price_number(first("price")),
        low_price=price_number(_text(item.get("lowPrice"))),
        high_price=price_number(_text(item.get("highPrice"))),
        price_currency=currency if re.fullmatch("[A-Z]{3}", currency) else None,
        availability=_AVAILABILITIES.get(of_letters.removeprefix("schema")),
        sku=_short(item.get("sku")),
    )


def _completed(found: Product, other: Product) -> Product:
    """Return a product with the values that it lacks from another source."""
    lacking = {
        name: getattr(other, name)
        for name in Product.__struct_fields__
        if not name.startswith("price") and getattr(found, name) in (None, [])
    }
    if found.price is None:
        lacking |= {"price": other.price, "price_currency": other.price_currency}
        lacking["offers"] = other.offers or found.offers
    return msgspec.structs.replace(found, **lacking)


def _objects(value: Value, by_id: Mapping[str, Item]) -> list[Item]:
    found = value if isinstance(value, list) else [value]
    objects = [one for one in found[:_OFFERS_MAX] if isinstance(one, dict)]
    return [
        by_id.get(str(one.get("@id")), one) if one.keys() <= {"@id", "@type"} else one
        for one in objects
    ]


def _text(value: Value) -> str:
    """Return the text of a value, which may be a number, an object with a name, or a list of them."""
    if isinstance(value, list):
        return _text(value[0]) if value else ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:.6f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
    return next(iter(texts_of(value, "name", "@value")), "")


def _short(value: Value) -> str | None:
    return short_text(_text(value), _TEXT_CHARS_MAX)


def _number(value: Value) -> float | None:
    text = _text(value).replace(",", ".")
    return float(text) if _PLAIN_NUMBER.fullmatch(text) else None


def _count(value: Value) -> int | None:
    text = _text(value)
    return int(text) if text.isdecimal() and len(text) < 10 else None


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
        "article:author_name", "author", "og:author", "parsely-author", "sailthru.author", "byl",
        "article:author", "og:article:author", "article.author",
        "creator", "cxenseparse:author", "authors",
    ),
    "citation": ("citation_author", "citation_authors"),
    "creator": ("dc.creator", "dcterms.creator", "dc.contributor"),
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
        self.described = read_product(self.claims, self.json_ld, document.title)
        """The product that it describes, perhaps without more than a name; None where it describes none."""
        is_named_only = self.described == Product(name=getattr(self.described, "name", None))
        self.product = None if is_named_only else self.described
        """The product that it describes by more than a name."""
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
