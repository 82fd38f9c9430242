"""Our metadata and that of other libraries, called as their users call them: markup in, fields out."""

from collections.abc import Callable
from typing import Any

from templ_core.clean_document import clean
from templ_core.config import CoreConfig
from templ_core.dom.document import parse_document
from templ_core.errors import PageError
from templ_core.metadata.page_metadata import read_metadata
from workers.errors import UsageProblem

Fields = dict[str, str]
"""Text by field of `stated.FIELDS`; authors are separated by semicolons."""
System = Callable[[str, str], Fields]

PEERS = ("trafilatura", "extruct+htmldate")


def templ(markup: str, url: str) -> Fields:
    """Return the fields that templ reads from a page."""
    try:
        document = parse_document(markup, url)
        found = read_metadata(document, url, clean(document, None, CoreConfig()).text)
    except PageError:
        return {}
    return {
        "title": found.title or "",
        "author": "; ".join(found.authors),
        "date": found.published_at or "",
        "language": found.language or "",
        "canonical URL": found.canonical_url or "",
    }


def load_system(name: str) -> System:
    """Return the reading of metadata of a peer.

    Raises:
        UsageProblem: The peer is not installed.
    """
    try:
        return {"trafilatura": _trafilatura, "extruct+htmldate": _extruct}[name]()
    except ModuleNotFoundError as error:
        raise UsageProblem(
            f"{name} needs {error.name}; install templ-worker with its extra `peers`"
        ) from None


def _trafilatura() -> System:
    from trafilatura import bare_extraction  # noqa: PLC0415 - an optional extra, as all of these

    def read(markup: str, url: str) -> Fields:
        found: Any = bare_extraction(markup, url=url, with_metadata=True)
        if found is None:
            return {}
        return {
            "title": found.title or "",
            "author": found.author or "",
            "date": found.date or "",
            "language": found.language or "",
            "canonical URL": found.url or "",
        }

    return read


def _extruct() -> System:
    import extruct  # type: ignore[import-untyped]  # noqa: PLC0415 - no type hints
    from htmldate import find_date  # noqa: PLC0415

    def read(markup: str, url: str) -> Fields:
        found = extruct.extract(
            markup, url, syntaxes=["json-ld", "opengraph", "microdata", "dublincore"],
            uniform=True, errors="ignore",
        )  # fmt: skip
        items = [
            one for name in ("json-ld", "opengraph", "microdata") for one in found.get(name, ())
        ]
        items += [one for item in items for one in item.get("@graph", ()) if isinstance(one, dict)]
        return {
            "title": _first(items, "headline", "og:title", "title"),
            "author": _first(items, "author", "article:author")
            or _dublin(found.get("dublincore", []), "creator"),
            "date": _date(find_date, markup, url),
            "language": _first(items, "inLanguage", "og:locale")
            or _dublin(found.get("dublincore", []), "language"),
            "canonical URL": _first(items, "og:url", "url", "mainEntityOfPage"),
        }

    return read


def _date(find_date: Callable[..., str | None], markup: str, url: str) -> str:
    try:
        return find_date(markup, url=url, original_date=True) or ""
    except (ValueError, AttributeError, TypeError):
        return ""


def _first(items: list[dict[str, Any]], *names: str) -> str:
    for name in names:
        for item in items:
            text = _text(item.get(name))
            if text:
                return text
    return ""


def _text(value: Any) -> str:
    if isinstance(value, list):
        return "; ".join(text for text in map(_text, value) if text)
    if isinstance(value, dict):
        return _text(value.get("name") or value.get("@id"))
    return value if isinstance(value, str) else ""


def _dublin(found: list[dict[str, Any]], name: str) -> str:
    for one in found:
        for element in [*one.get("elements", ()), *one.get("terms", ())]:
            if element.get("name", "").lower() == name:
                return str(element.get("content", ""))
    return ""
