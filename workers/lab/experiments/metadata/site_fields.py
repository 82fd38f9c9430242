"""Authors and dates of pages whose markup states none: what they and their sites show."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec
import numpy as np

from templ_core.dom.document import Document, parse_document
from templ_core.errors import PageError
from templ_core.metadata.dates import before_change, day_in_text
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
_COUNTED = ("stated", "shown", "given", "right", "found")
_COPYRIGHT = re.compile(r"©|\bcopyright\b", re.IGNORECASE)
_DAY = timedelta(days=1)


class _Stated(NamedTuple):
    values: frozenset[str]
    is_shown: bool
    """Whether the page shows the value in a short text, too."""


class _SitePage(NamedTuple):
    url: str
    document: Document
    """The page without what its markup says."""
    places: PagePlaces
    fields: dict[str, _Stated]
    """What its markup says, by field."""


def report_site_fields(report: Report, corpora: Sequence[Path]) -> None:
    """Add a table of authors and dates found without markup, before and after ten pages of a site.

    What the markup states is the gold, and it is taken out before the page is read. The precision is
    that on all pages whose markup states the field, the recall that on pages that also show its value
    in a short text. Days may differ by one, because markup has the time zone of the site and text that
    of its readers; names may be longer or shorter. Names of one word and names of the site do not
    count: most are those of accounts and sites, which pages show elsewhere than in bylines. Notices
    of copyright show no author, and days of changes are no dates of publication.
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
            of = {one: counts[known, field, one] for one in _COUNTED}
            precision = of["right"] / max(of["given"], 1)
            recall = of["found"] / max(of["shown"], 1)
            pages_shown = [str(of["stated"]), str(of["shown"])]
            rows.append([field, known, *pages_shown, f"{precision:.3f}", f"{recall:.3f}"])
    report.table(
        f"Fields that pages of {sites} sites show, without their markup",
        ["field", "pages known", "pages", "that show it", "precision", "recall"],
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
    for field, stated in page.fields.items():
        given = comparable(field, texts[field])
        is_right = _agree(field, given, stated.values)
        counts[known, field, "stated"] += 1
        counts[known, field, "shown"] += stated.is_shown
        counts[known, field, "given"] += bool(given)
        counts[known, field, "right"] += is_right
        counts[known, field, "found"] += is_right and stated.is_shown


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
    return _SitePage(url, hidden, places, _stated_fields(document, url))


def _stated_fields(document: Document, url: str) -> dict[str, _Stated]:
    """Return what the markup of a page says."""
    texts = document.segments.texts
    silent = msgspec.structs.replace(document.segments, texts=[""] * len(texts))
    stated = read_metadata(msgspec.structs.replace(document, segments=silent), "")
    texts = [text for text in texts if len(text) <= _SHOWN_CHARS]
    found: dict[str, _Stated] = {}
    several = "; ".join(name for name in stated.authors if " " in name)
    own = comparable("title", f"{urlsplit(url).hostname} {stated.site_name or ''}")
    names = frozenset(
        name for name in comparable("author", several) if not any(name in one for one in own)
    )
    if names:
        signed = [text for text in texts if not _COPYRIGHT.search(text)]
        letters = [one for text in signed for one in comparable("title", text)]
        found["author"] = _Stated(names, any(name in one for one in letters for name in names))
    days = comparable("date", stated.published_at or "")
    if days:
        shown = frozenset(day for text in texts if (day := day_in_text(before_change(text))))
        found["date"] = _Stated(days, _agree("date", shown, days))
    return found


def _agree(field: str, values: frozenset[str], wanted: frozenset[str]) -> bool:
    if field == "author":
        return any(one in other or other in one for one in values for other in wanted)
    days = {date.fromisoformat(day) for day in wanted}
    near = {day + step for day in days for step in (-_DAY, 0 * _DAY, _DAY)}
    return any(date.fromisoformat(day) in near for day in values)
