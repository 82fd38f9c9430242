"""What the markup of a page states about it: its claims, its JSON-LD, its product, and the type that they give it.

Claims are the tags that say something about their page. `templ_core.dom.parse._strip_markup` copies them out of
the markup while it is scanned, so they cost neither a parse nor a search of the page.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import msgspec

from templ_core.dom.document import Document
from templ_core.metadata._json_ld import JsonLd, short_text, texts_of, types_of, value_text
from templ_core.metadata._scans import Claims
from templ_core.metadata.fields import Offer, Product
from templ_core.metadata.prices import price_in, price_number
from templ_core.patterns import pattern

Item = dict[str, object]
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
} | {"oos": "OutOfStock", "unavailable": "OutOfStock", "available": "InStock"}
_PLAIN_NUMBER = pattern(r"[0-9]{1,12}(?:\.[0-9]{1,6})?")
_WORD = pattern(r"\w+")
_NO_LETTERS = pattern(r"[\W_]+")
_CURRENCY = pattern("[A-Z]{3}")
_NO_OFFER = Offer()
_FORMER = pattern(r"ListPrice|Strikethrough|RegularPrice|RRP|SRP")
"""Types of prices that nobody pays."""
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
    sources: list[Item] = []
    described = json_ld.of_types(_PRODUCT_TYPES)
    if described and (item := _main_product(described, title)):
        sources.append(item)
    if claims.statements and (item := _main_product(_marked_up(claims.statements), title)):
        sources.append(item)
    meta = claims.meta
    if "price" in meta or "product" in " ".join(meta.get("type", ())).lower():
        first = {field: texts[0] for field, texts in meta.items()}
        offer = {"price": "price", "priceCurrency": "currency", "availability": "availability"}
        sources.append(
            {
                "sku": first.get("sku", ""),
                "brand": first.get("brand", ""),
                "offers": {name: first.get(field, "") for name, field in offer.items()},
            }
        )
    if not sources:
        return None
    product = Product(name=value_text(sources[0].get("name")) or None)
    for source in sources:
        other = _product(source, json_ld)
        lacking = {}
        for name in Product.__struct_fields__:
            if not name.startswith("price") and getattr(product, name) in (None, []):
                lacking[name] = getattr(other, name)
        if product.price is None:
            lacking |= {"price": other.price, "price_currency": other.price_currency}
            lacking["offers"] = other.offers or product.offers
        product = msgspec.structs.replace(product, **lacking)
    return product


def _main_product(items: Sequence[Item], title: str) -> Item | None:
    if len(items) < 2:
        return items[0] if items else None
    groups = [item for item in items if "ProductGroup" in types_of(item)]
    if len(groups) == 1:
        return groups[0]
    own = _WORD.findall(title.casefold())
    for item in items:
        name = _WORD.findall(value_text(item.get("name")).casefold())
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


def _product(item: Item, json_ld: JsonLd) -> Product:
    offers = _offers(item, json_ld)
    price = currency = availability = brand = None
    for offer in offers:
        if price is None and (offer.price or offer.low_price):
            price, currency = offer.price or offer.low_price, offer.price_currency
        availability = availability or offer.availability
    for named in (*json_ld.objects(item.get("brand")), *texts_of(item.get("brand"), "name")):
        brand = brand or short_text(value_text(named), _TEXT_CHARS_MAX)
    rating = _rating(next(iter(json_ld.objects(item.get("aggregateRating"))), {}))
    return Product(
        sku=short_text(value_text(item.get("sku")), _TEXT_CHARS_MAX),
        mpn=short_text(value_text(item.get("mpn")), _TEXT_CHARS_MAX),
        brand=brand,
        price=price,
        price_currency=currency,
        availability=availability,
        rating_value=rating.get("ratingValue"),
        best_rating=rating.get("bestRating"),
        rating_count=rating.get("ratingCount"),
        review_count=rating.get("reviewCount"),
        offers=offers,
    )


def _rating(item: Item) -> dict[str, Any]:
    """Return the numbers of a rating that have the form of one."""
    numbers: dict[str, Any] = {}
    for name in _RATING_NAMES:
        text = value_text(item.get(name)).replace(",", ".")
        if not name.endswith("Count") and _PLAIN_NUMBER.fullmatch(text):
            numbers[name] = float(text)
        elif name.endswith("Count") and text.isdecimal() and len(text) < 10:
            numbers[name] = int(text)
    return numbers


def _offers(item: Item, json_ld: JsonLd) -> list[Offer]:
    """Return the offers of a product, or those of its variants."""
    stated = json_ld.objects(item.get("offers"))
    if not stated:
        for variant in json_ld.objects(item.get("hasVariant")):
            stated += json_ld.objects(variant.get("offers"))
    for group in list(stated):
        stated += json_ld.objects(group.get("offers"))
    offers = []
    for item_of_offer in stated[:_OFFERS_MAX]:
        of_price = json_ld.objects(item_of_offer.get("priceSpecification"))
        to_pay = [one for one in of_price if not _FORMER.search(value_text(one.get("priceType")))]
        offer = _offer([item_of_offer, *to_pay])
        if offer != _NO_OFFER:
            offers.append(offer)
    return offers


def _offer(within: list[Item]) -> Offer:
    """Return the offer in an object and its specifications of the price."""
    item = within[0]
    stated: dict[str, str] = {}
    for part in reversed(within):
        for name in ("price", "priceCurrency"):
            stated[name] = value_text(part.get(name)) or stated.get(name, "")
    currency = stated["priceCurrency"].upper()
    if not _CURRENCY.fullmatch(currency):
        found = price_in(f"{stated['price']} {stated['priceCurrency']}")
        currency = (found and found.currency) or ""
    low, high = item.get("lowPrice"), item.get("highPrice")
    stock = value_text(item.get("availability")).rstrip("/").rpartition("/")[2]
    of_letters = _NO_LETTERS.sub("", stock)
    return Offer(
        price=price_number(stated["price"]) if stated["price"] else None,
        low_price=price_number(value_text(low)) if low is not None else None,
        high_price=price_number(value_text(high)) if high is not None else None,
        price_currency=currency or None,
        availability=_AVAILABILITIES.get(of_letters.lower().removeprefix("schema")),
        sku=short_text(value_text(item.get("sku")), _TEXT_CHARS_MAX),
    )


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
        "article:author:name", "vr:author", "creator", "cxenseparse:author", "authors",
    ),
    "citation": ("citation_author", "citation_authors", "bepress_citation_author", "eprints.creators_name"),
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
    "label1": ("twitter:label1",), "data1": ("twitter:data1",),
    "label2": ("twitter:label2",), "data2": ("twitter:data2",),
    "price": ("product:price:amount", "og:price:amount"),
    "currency": ("product:price:currency", "og:price:currency"),
    "availability": ("product:availability", "og:availability"),
    "brand": ("product:brand", "og:brand"),
    "sku": ("product:retailer_item_id", "product:retailer_part_no"),
}  # fmt: skip
"""Names of `meta` elements by what they say, the surest first."""
_WANTED = {name: (field, rank) for field, names in _META.items() for rank, name in enumerate(names)}


_LABELS = pattern(
    r"(?P<author>(?:written|posted) by|by|authors?|(?:verfasst|geschrieben) von|autor\w*|auteur|autore|escrito por|[ée]crit par|scritto da"
    r"|geschreven door|skre?vet a[vf]|skriven av|napisane przez|napsal\W.*|kirjoittanut|yazan|scris de|szerző|ditulis oleh|được viết bởi"
    r"|автор|написано\b.*|著者|作者|執筆者|글쓴이|נכתב על יד.*|كُتب بواسطة)"
    r"|(?P<price>prices?|prei[sx]e?|prix|precio|prezzo|preço|prijs|pris|cena|preț|ár|fiyat|цена|ціна|価格|价格|가격)"
    r"|(?P<availability>availability|verfügbarkeit|disponib\w+|disponibilité|beschikbaarheid|dostupnost|dostępność|наличие|在庫)",
    re.IGNORECASE,
)
"""Labels of `twitter:label1` and `twitter:label2` by the field that the text beside them belongs to."""


def read_claims(claims: bytes) -> Claims:
    r"""Return the claims of a page, sorted.

    Args:
        claims: The tags as `Document.claims` holds them.

    >>> read_claims(b"meta\2name\2Author\2content\2Ann Lee\2\0").meta
    {'author': ['Ann Lee']}
    """
    found = Claims(claims, _WANTED)
    for number in ("1", "2"):
        labels, texts = found.meta.get(f"label{number}"), found.meta.get(f"data{number}")
        known = _LABELS.fullmatch(labels[0].strip(" :：")) if labels and texts else None
        if known and known.lastgroup and texts:
            found.meta.setdefault(known.lastgroup, texts[:1])
    return found


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
        is_named_only = self.described and self.described == Product(name=self.described.name)
        self.product = None if is_named_only else self.described
        """The product that it describes by more than a name."""
        types = self.json_ld.types
        objects = set(map(str.lower, self.claims.meta.get("type", ())))
        is_priced = self.product is not None and self.product.price is not None
        is_sold = not (types.isdisjoint(_PRODUCTS) and objects.isdisjoint(_PRODUCT_OBJECTS))
        is_article = bool(self.json_ld.articles) or "article" in objects
        self.kind: StatedType | None = None
        """What it says that the page is; None where it says nothing certain.

        An article may name a product, such as a subscription that it is a part of, so an article in JSON-LD is
        believed before a product. Themes of blogs and of shops call each page an article in OpenGraph, so `og:type`
        alone makes no article, and beside it a product needs a price: services describe themselves as products, too.
        """
        if not types.isdisjoint(_FORUMS):
            self.kind = "forum"
        elif not types.isdisjoint(_ARTICLES):
            self.kind = "article"
        elif is_priced or (is_sold and not is_article):
            self.kind = "product"
        elif not is_article and not types.isdisjoint(_LISTINGS):
            self.kind = "listing"
