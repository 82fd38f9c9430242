from collections.abc import Mapping

from templ_core.dom.document import Document

class Claims:
    meta: dict[str, list[str]]
    """Contents of `meta` elements by field, those of the surest names first."""
    properties: dict[str, list[str]]
    """Values of other elements by those `itemprop` of theirs that are read, in lower case."""
    canonical: list[str]
    """Addresses of `<link rel="canonical">`."""
    authors: list[str]
    """Texts of links with `rel="author"`."""
    tags: list[str]
    """Texts of links with `rel="tag"`."""
    times: list[tuple[dict[str, str], str]]
    """Attributes of each `time` element, and its text if it has no `datetime`."""
    scripts: list[bytes]
    """Contents of scripts of type `application/ld+json`."""
    statements: list[tuple[str, str, str]]
    """Type, properties in lower case and value of each element with microdata or RDFa, from the first product on."""

    def __init__(self, claims: bytes, wanted: Mapping[str, tuple[str, int]]) -> None: ...

def plain_text(text: str) -> str: ...
def is_name_of(part: str, names: list[str]) -> bool: ...
def ratio_of(known: frozenset[str], text: str) -> float: ...
def letters_of(text: str) -> str: ...
def texts_within(
    document: Document,
    types: list[int],
    between: str,
    elements_max: int,
    texts_max: int,
    times_max: int,
) -> list[tuple[int, str]]: ...
def segments_within(
    document: Document, types: list[int], elements_max: int, texts_max: int, times_max: int = ...
) -> list[list[int]]: ...
def nodes_with_tags(document: Document, tags: frozenset[str]) -> list[int]: ...
def types_with_tags(element_types: list[tuple[str, str]], tags: frozenset[str]) -> list[int]: ...
