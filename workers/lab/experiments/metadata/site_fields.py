"""Authors and dates of pages whose markup states none: what they and their sites show."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from templ_core.dom.document import Document, parse_document
from templ_core.errors import PageError
from templ_core.metadata.dates import day_in_text
from templ_core.metadata.page_metadata import read_metadata
from templ_core.metadata.placed import SitePlaces
from templ_core.page_level.features.page_features import read_features
from templ_core.site_level.places.place_counts import count_pages
from templ_core.site_level.places.place_table import tabulate
from templ_core.site_level.places.places import PagePlaces, document_places
from workers.lab.experiments.metadata.stated import comparable
from workers.lab.experiments.results import Report
from workers.lab.jsonl import read_objects

_LEARNED_PAGES = 10
_JUDGED_PAGES = 16
_SHOWN_CHARS = 200
_COUNTED = ("right", "given", "wanted")
_DAY = timedelta(days=1)


class _SitePage(NamedTuple):
    url: str
    document: Document
    """The page without what its markup says."""
    places: PagePlaces
    fields: dict[str, frozenset[str]]
    """What its markup says, where the page shows it, too; by field."""


def report_site_fields(report: Report, corpora: Sequence[Path]) -> None:
    """Add a table of authors and dates found without markup, before and after ten pages of a site.

    What the markup states is the gold, and it is taken out before the page is read. Pages count that
    show the value in a short text. Days may differ by one, because markup has the time zone of the
    site and text that of its readers; names may be longer or shorter. Names of one word do not count:
    most are those of accounts and sites, which pages show elsewhere than in bylines.
    """
    counts: Counter[tuple[str, str, str]] = Counter()
    sites = 0
    for pages in _sites(corpora):
        sites += 1
        learned = [(one.places, np.zeros(len(one.places.words))) for one in pages[:_LEARNED_PAGES]]
        table = tabulate(count_pages(learned))
        for page in pages[_LEARNED_PAGES:]:
            _count(counts, "no", page, None)
            _count(counts, "ten", page, SitePlaces(page.places, table))
    rows = []
    for field in ("author", "date"):
        for known in ("no", "ten"):
            right, given, wanted = (counts[known, field, one] for one in _COUNTED)
            precision, recall = right / max(given, 1), right / max(wanted, 1)
            rows.append([field, known, str(wanted), f"{precision:.3f}", f"{recall:.3f}"])
    report.table(
        f"Fields that pages of {sites} sites show, without their markup",
        ["field", "pages known", "pages", "precision", "recall"],
        rows,
    )


def site_places(document: Document) -> SitePlaces | None:
    """Return the places of a page and of a site that consists of it; None for a page without text."""
    if not document.segments.texts:
        return None
    places = document_places(document, read_features(document)).segments
    return SitePlaces(places, tabulate(count_pages([(places, np.zeros(len(places.words)))])))


def _count(
    counts: Counter[tuple[str, str, str]], known: str, page: _SitePage, places: SitePlaces | None
) -> None:
    found = read_metadata(page.document, page.url, "", places)
    texts = {"author": "; ".join(found.authors), "date": found.published_at or ""}
    for field, wanted in page.fields.items():
        given = comparable(field, texts[field])
        counts[known, field, "wanted"] += 1
        counts[known, field, "given"] += bool(given)
        counts[known, field, "right"] += _agree(field, given, wanted)


def _sites(corpora: Sequence[Path]) -> Iterator[list[_SitePage]]:
    for path in corpora:
        by_site: dict[str, list[_SitePage]] = defaultdict(list)
        for _, one in read_objects(path):
            pages = by_site[str(one["site"])]
            is_article = one.get("page_role", "article") == "article"
            if is_article and len(pages) < _LEARNED_PAGES + _JUDGED_PAGES:
                page = _page(str(one["html"]), str(one["url"]))
                if page is not None:
                    pages.append(page)
        yield from (pages for pages in by_site.values() if len(pages) > _LEARNED_PAGES)


def _page(markup: str, url: str) -> _SitePage | None:
    try:
        document = parse_document(markup.encode("utf-8", "replace").decode(), url)
    except PageError:
        return None
    if not document.segments.texts:
        return None
    places = document_places(document, read_features(document)).segments
    hidden = msgspec.structs.replace(document, claims=b"")
    return _SitePage(url, hidden, places, _shown_fields(document))


def _shown_fields(document: Document) -> dict[str, frozenset[str]]:
    """Return what the markup of a page says, where the page shows it in a short text."""
    nameless = [(tag, "") for tag, _ in document.nodes.element_types]
    nodes = msgspec.structs.replace(document.nodes, element_types=nameless)
    stated = read_metadata(msgspec.structs.replace(document, nodes=nodes), "")
    texts = [text for text in document.segments.texts if len(text) <= _SHOWN_CHARS]
    found: dict[str, frozenset[str]] = {}
    names = comparable("author", "; ".join(name for name in stated.authors if " " in name))
    if any(
        name in letters for text in texts for letters in comparable("title", text) for name in names
    ):
        found["author"] = names
    days = comparable("date", stated.published_at or "")
    shown = frozenset(day for day in map(day_in_text, texts) if day)
    if _agree("date", shown, days):
        found["date"] = days
    return found


def _agree(field: str, values: frozenset[str], wanted: frozenset[str]) -> bool:
    if field == "author":
        return any(one in other or other in one for one in values for other in wanted)
    days = {date.fromisoformat(day) for day in wanted}
    near = {day + step for day in days for step in (-_DAY, 0 * _DAY, _DAY)}
    return any(date.fromisoformat(day) in near for day in values)
