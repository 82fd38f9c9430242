from collections.abc import Iterable

class JsonLd:
    articles: list[dict[str, object]]
    products: list[dict[str, object]]
    described: list[dict[str, object]]
    """Articles, products and pages; others describe something that belongs to the page."""
    headlines: list[str]
    """Headlines of the articles."""
    names: list[str]
    """Names of the articles and of the products."""
    authors: list[list[str]]
    """Authors of each object that describes the page, those left out that are said to be organisations."""
    organisations: list[list[str]]
    """All authors of each object that has an organisation among them."""
    creators: list[list[str]]
    """Creators of each object, as `authors`."""
    types: set[str]
    stated: dict[str, list[str]]
    """Texts of the fields of the objects that describe the page, references followed."""
    by_id: dict[str, dict[str, object]]
    """The objects that have a name of their own, by it."""

    def __init__(self, scripts: list[bytes]) -> None: ...
    def objects(self, value: object) -> list[dict[str, object]]: ...
    def site_names(self) -> list[str]: ...
    def of_types(self, names: frozenset[str]) -> list[dict[str, object]]: ...

def types_of(item: dict[str, object]) -> list[str]: ...
def texts_of(value: object, *names: str) -> list[str]: ...
def value_text(value: object) -> str: ...
def short_text(text: str, chars_max: int = ...) -> str | None: ...
def first_short(sources: tuple[Iterable[str], ...], chars_max: int = ...) -> str | None: ...
