"""The tags that say something about their page, sorted by what they speak of.

`templ_core.dom.parse._strip_markup` copies them out of the markup while it is scanned, so they cost
neither a parse nor a search of the page.
"""

import re

import msgspec

from templ_core.dom.references import without_references
from templ_core.metadata.names import PROPERTIES, WANTED

_MARKUP = re.compile(r"<[^>]*>?")
_KEYS = ("property", "name", "itemprop", "http-equiv")
_STATES = ("itemprop", "property")
_LINK_CLAIM = re.compile(r"itemprop|property|canonical", re.IGNORECASE)
_VOCABULARY = re.compile(r"\S*[/:#]")
_PRODUCT = re.compile(r"(?:[/:#]|^)(?:Product|Vehicle|Car$)")
_CLAIMS_READ = 4000
"""Number of tags of a page that are looked at; more of them do not describe one page."""

Attributes = dict[str, str]


class Claims(msgspec.Struct, frozen=True):
    """What the tags of a page say about it, in the order in which they stand."""

    meta: dict[str, list[str]]
    """Contents of `meta` elements by their name, property or `itemprop` in lower case."""
    properties: dict[str, list[str]]
    """Values of other elements by those `itemprop` of theirs that are read, in lower case."""
    canonical: list[str]
    """Addresses of `<link rel="canonical">`."""
    authors: list[str]
    """Texts of links with `rel="author"`."""
    tags: list[str]
    """Texts of links with `rel="tag"`."""
    times: list[tuple[Attributes, str]]
    """Attributes of each `time` element, and its text if it has no `datetime`."""
    scripts: list[str]
    """Contents of scripts of type `application/ld+json`."""
    statements: list[tuple[str, str, str]] = []
    """Type, properties in lower case and value of each element with microdata or RDFa, from the first product on."""


def read_claims(claims: bytes) -> Claims:
    r"""Return the claims of a page, sorted.

    Args:
        claims: The tags as `Document.claims` holds them.

    >>> read_claims(b"meta\2name\2Author\2content\2Ann Lee\2\0").meta
    {'author': ['Ann Lee']}
    """
    found = Claims({}, {}, [], [], [], [], [])
    for claim in claims.decode(errors="replace").split("\0", _CLAIMS_READ)[:_CLAIMS_READ]:
        tag, _, shown = claim.partition("\1")
        name, *pairs = tag.split("\2")
        if name == "meta" and len(pairs) == 5 and pairs[2] == "content" and pairs[0] != "content":
            key = pairs[1].strip().lower()
            if pairs[0] in _KEYS and key in WANTED:
                content = plain_text(pairs[3])
                if content:
                    found.meta.setdefault(key, []).append(content)
            elif found.statements and pairs[0] in _STATES:
                found.statements.append(("", key, plain_text(pairs[3])))
        elif name and (name != "link" or _LINK_CLAIM.search(tag)):
            _sort(found, name, dict(zip(pairs[::2], pairs[1::2], strict=False)), shown)
        elif not name and shown:
            found.scripts.append(shown)
    return found


def _sort(found: Claims, name: str, attributes: Attributes, shown: str) -> None:
    _state(found.statements, name, attributes, shown)
    if name == "meta":
        _sort_meta(found, attributes)
        return
    rel = attributes.get("rel", "").lower().split()
    if "canonical" in rel and name == "link":
        found.canonical.append(without_references(attributes.get("href", "")).strip())
        return
    if "author" in rel:
        found.authors.append(_shown_text(shown, name))
    if "tag" in rel:
        found.tags.append(_shown_text(shown, name))
    if name == "time":
        text = "" if attributes.get("datetime") else _shown_text(shown, name)
        found.times.append((attributes, text))
    wanted = PROPERTIES.intersection(attributes.get("itemprop", "").lower().split())
    value = (_value(attributes) or _shown_text(shown, name)) if wanted else ""
    if value:
        for one in wanted:
            found.properties.setdefault(one, []).append(value)


def _state(
    statements: list[tuple[str, str, str]], name: str, attributes: Attributes, shown: str
) -> None:
    """Add what an element says about a product, and all that elements say behind the first product."""
    of_type = attributes.get("itemtype") or attributes.get("typeof") or ""
    if not statements and not (of_type and _PRODUCT.search(of_type)):
        return
    names = (attributes.get("itemprop") or attributes.get("property") or "").lower()
    if of_type or names:
        value = _value(attributes) or _shown_text(shown, name)
        of_type = _VOCABULARY.sub("", of_type)
        statements.append((of_type, _VOCABULARY.sub("", names), value))


def _sort_meta(found: Claims, attributes: Attributes) -> None:
    keys = [attributes[key].strip().lower() for key in _KEYS if key in attributes]
    keys = [key for key in keys if key in WANTED]
    content = plain_text(attributes.get("content", "")) if keys else ""
    for key in keys if content else ():
        found.meta.setdefault(key, []).append(content)


def _value(attributes: Attributes) -> str:
    """Return the value of an element with `itemprop` that is not its text; empty if it is."""
    for name in ("content", "datetime", "src", "href"):
        value = attributes.get(name)
        if value and not (name == "href" and "author" in attributes.get("itemprop", "").lower()):
            return plain_text(value)
    return ""


def _shown_text(shown: str, name: str) -> str:
    """Return the text of an element that begins with `shown`, up to its first end tag."""
    end = shown.lower().find(f"</{name}")
    return plain_text(_MARKUP.sub(" ", shown[:end])) if end > 0 else ""


def plain_text(text: str) -> str:
    """Return text without character references and with single blanks."""
    return " ".join(without_references(text).split())
