"""The records of a page, as the library and the cleaned records have them."""

import msgspec

from templ_core.metadata.fields import PropertyValue

RECORDS_MAX = 1000
"""Most posts, and most items, of a page; what follows is left out, and a warning says so."""
FIELDS_MAX = 200
"""Most fields of a page."""


class Post(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A post of a thread; a field is absent where the page shows none."""

    text: str
    """What its author wrote, without the signature; paragraphs are lines."""
    author: str | None = None
    """Name of its author."""
    date_published: str | None = None
    """RFC 3339: a time in UTC, or a day where the page states no time with a zone."""
    signature: str | None = None
    """What stands below each text of its author."""


class Item(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """An item of a listing; a field is absent where the page shows none."""

    name: str
    url: str
    """Absolute address of the page that it leads to."""
    date_published: str | None = None
    """In the form of that of a post."""
    price: str | None = None
    """Decimal number with a point, such as `1299.00`."""
    price_currency: str | None = None
    """Three capitals (ISO 4217)."""
    image: str | None = None
    """Absolute http address."""
    text: str | None = None
    """What it says besides, without links and without what most items say; paragraphs are lines."""


class PageRecords(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The records of a page; a list is absent where the page has none."""

    posts: list[Post] = []
    """The posts of a thread, in the order of the page."""
    items: list[Item] = []
    """The items of a listing, in the order of the page."""
    fields: list[PropertyValue] = []
    """Names and values that the page states of what it is about, in its order."""
