"""The objects of JSON-LD scripts that describe a page (schema.org vocabulary)."""

import functools
import json
from collections.abc import Sequence

import msgspec

from templ_core.metadata._scans import plain_text
from templ_core.patterns import pattern

_WRAPPING = pattern(
    r"^\s*(?:<!--|//\s*<!\[CDATA\[|/\*\s*<!\[CDATA\[\s*\*/)|(?:-->|//\s*\]\]>)\s*;?\s*$"
)
_TRAILING_COMMA = pattern(r",\s*(?=[}\]])")
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
_OF_ARTICLE, _OF_PRODUCT, _OF_PAGE, _OF_OTHER = range(4)


class JsonLd:
    """The objects with a type in the JSON-LD scripts of a page, those that describe it most surely first.

    A script that is not JSON is left out; common faults (comments around it, control characters,
    trailing commas) are forgiven.

    Args:
        scripts: Contents of the scripts in UTF-8.

    >>> found = JsonLd([b'[{"@type":"WebPage"},{"@type":"NewsArticle"},{"@type":"Person"}]'])
    >>> [item["@type"] for item in found.described]
    ['NewsArticle', 'WebPage']
    """

    def __init__(self, scripts: Sequence[bytes]) -> None:
        found: list[Item] = []
        for script in scripts:
            _collect(_decoded(script), 0, found)
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

    def texts(self, field: str, *names: str) -> list[str]:
        """Return the texts of a field of the objects that describe the page, references followed.

        Args:
            field: Name of the field.
            names: Where its value is an object, the fields of which the first counts.
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
                found = texts_of(value[name])
                if found:
                    return found
    return []


def people(value: Value) -> Value:
    """Return authors without the organisations among them, or as they are where all are organisations.

    >>> people([{"@type": "Person", "name": "Ann Lee"}, {"@type": "Organization", "name": "Daily"}])
    [{'@type': 'Person', 'name': 'Ann Lee'}]
    """
    if not isinstance(value, list):
        return value
    found = [
        one
        for one in value
        if not (isinstance(one, dict) and "".join(types_of(one)).endswith("Organization"))
    ]
    return found or value


@functools.lru_cache(1 << 8)
def _rank(name: str) -> int:
    if _ARTICLE.search(name):
        return _OF_ARTICLE
    if _PRODUCT.search(name):
        return _OF_PRODUCT
    return _OF_PAGE if name.endswith("Page") else _OF_OTHER


def _decoded(script: bytes) -> Value:
    text = script.decode("utf-8", "replace")
    if "<!" in text:
        text = _WRAPPING.sub("", text)
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        pass
    try:
        found: Value = json.loads(_TRAILING_COMMA.sub("", text.strip().rstrip(";")), strict=False)
    except (ValueError, RecursionError):
        return None
    return found


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
