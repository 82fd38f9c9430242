"""The objects of JSON-LD scripts that describe a page (schema.org vocabulary)."""

import json
import re
from collections.abc import Iterator, Sequence

import msgspec

from templ_core.metadata.claims import plain_text

_WRAPPING = re.compile(
    r"^\s*(?:<!--|//\s*<!\[CDATA\[|/\*\s*<!\[CDATA\[\s*\*/)|(?:-->|//\s*\]\]>)\s*;?\s*$"
)
_TRAILING_COMMA = re.compile(r",\s*(?=[}\]])")
_OBJECTS_MAX = 500
"""Number of objects of a page that are looked at."""
_DEPTH_MAX = 8
"""Levels of objects inside one another that are looked at."""

Value = object
Item = dict[str, Value]

_ARTICLE = re.compile(r"Article$|Posting$|Report$|Review$|^Recipe$|^HowTo$|^QAPage$|^VideoObject$")
_PAGE = re.compile(r"Page$")
_PRODUCT = re.compile(r"^Product|^Offer$|^Book$|^Movie$|^Event$|^JobPosting$|^SoftwareApplication$")
_OTHER = 9


def read_items(scripts: Sequence[str]) -> list[tuple[int, Item]]:
    """Return the objects with a type in JSON-LD scripts with their ranks, in order of rank.

    A script that is not JSON is left out; common faults (comments around it, control characters,
    trailing commas) are forgiven.

    Args:
        scripts: Contents of the scripts.

    >>> items = read_items(['[{"@type":"WebPage"},{"@type":"NewsArticle"}]'])
    >>> [(rank, item["@type"]) for rank, item in items]
    [(0, 'NewsArticle'), (2, 'WebPage')]
    """
    items: list[tuple[int, Item]] = []
    for script in scripts:
        for item in _objects(_decoded(script), 0):
            if len(items) == _OBJECTS_MAX:
                break
            items.append((rank_of(item), item))
    return sorted(items, key=lambda one: one[0])


def rank_of(item: Item) -> int:
    """Return how surely an object describes the page: 0 an article, 1 a product, 2 a web page, 9 others."""
    best = _OTHER
    for name in types_of(item):
        if name == "BlogPosting" or _ARTICLE.search(name):
            return 0
        best = min(best, 1 if _PRODUCT.search(name) else 2 if _PAGE.search(name) else _OTHER)
    return best


def types_of(item: Item) -> list[str]:
    """Return the names of an object's types without their vocabulary."""
    names = item.get("@type")
    of_one = [names] if isinstance(names, str) else names if isinstance(names, list) else []
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
            found = texts_of(value.get(name))
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


def by_id(items: Sequence[Item]) -> dict[str, Item]:
    """Return the objects that have a name of their own, by it."""
    return {str(item["@id"]): item for item in reversed(items) if isinstance(item.get("@id"), str)}


def _decoded(script: str) -> Value:
    text = _WRAPPING.sub("", script) if "<!" in script else script
    try:
        return msgspec.json.decode(text.encode("utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError):
        pass
    try:
        found: Value = json.loads(_TRAILING_COMMA.sub("", text.strip().rstrip(";")), strict=False)
    except (ValueError, RecursionError):
        return None
    return found


def _objects(value: Value, depth: int) -> Iterator[Item]:
    if depth > _DEPTH_MAX:
        return
    if isinstance(value, list):
        for one in value[:_OBJECTS_MAX]:
            yield from _objects(one, depth + 1)
    elif isinstance(value, dict):
        if "@type" in value:
            yield value
        for name in ("@graph", "mainEntity", "mainEntityOfPage", "isPartOf", "hasPart"):
            if name in value:
                yield from _objects(value[name], depth + 1)
