"""The fields of metadata, as the library and the records have them."""

import msgspec


class Offer(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A price at which a product is sold; a field is absent where the page states nothing valid."""

    price: str | None = None
    """Decimal number with a point, such as `1299.00`."""
    low_price: str | None = None
    """The lowest of several prices, in the form of `price`."""
    high_price: str | None = None
    """The highest of several prices, in the form of `price`."""
    price_currency: str | None = None
    """Three capitals (ISO 4217)."""
    availability: str | None = None
    """Name in schema.org, such as `InStock`."""
    sku: str | None = None


class PropertyValue(msgspec.Struct, frozen=True, kw_only=True):
    """A property that has no name of its own in schema.org."""

    name: str
    value: str
    """Lines of several texts are lines."""


class Product(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The product of a page, in the names of schema.org; a field is absent where the page states nothing valid."""

    name: str | None = None
    sku: str | None = None
    mpn: str | None = None
    brand: str | None = None
    price: str | None = None
    """Price of the first offer that has one, its lowest where it has several: a decimal number with a point."""
    price_currency: str | None = None
    """Currency of `price`, three capitals (ISO 4217)."""
    availability: str | None = None
    """Availability of the first offer that states one, a name in schema.org such as `InStock`."""
    rating_value: float | None = None
    best_rating: float | None = None
    """Highest rating that is possible."""
    rating_count: int | None = None
    review_count: int | None = None
    offers: list[Offer] = []
    """At most 50."""
    additional_properties: list[PropertyValue] = []
    """The fields of the page; none unless its records are asked for."""


class Metadata(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a page besides its text; null, or an empty list, where nothing is.

    A value always has the form that is described; a value of another form on the page is left out.
    """

    title: str | None = None
    """Headline without the name of the site."""
    authors: list[str] = []
    """Names of the authors, without "By" and the like."""
    published_at: str | None = None
    """When the page was published: an RFC 3339 time in UTC (`2024-03-01T09:00:00Z`), or an RFC 3339 day
    (`2024-03-01`) where the page states no time with a zone."""
    modified_at: str | None = None
    """When the page was changed last, in the form of `published_at`."""
    language: str | None = None
    """Language tag of BCP 47, such as `en` or `pt-BR`, of the page or of its text."""
    canonical_url: str | None = None
    """Absolute http address that the page gives as its own."""
    site_name: str | None = None
    section: str | None = None
    """Section of the site, such as "Politics"."""
    tags: list[str] = []
    """At most 50 keywords."""
    image: str | None = None
    """Absolute http address of the main image."""
    description: str | None = None
    """Summary that the page gives of itself, at most 2000 characters."""
    product: Product | msgspec.UnsetType = msgspec.UNSET
    """The product that the page sells; absent where its markup describes none and the page shows no price of one."""
    declared_language: str | msgspec.UnsetType = msgspec.UNSET
    """Language tag that the page declares; absent where its text is in that language."""
