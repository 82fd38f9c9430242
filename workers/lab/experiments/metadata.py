"""`templ experiments metadata`: quality of metadata and Markdown."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import click
import msgspec
import numpy as np

from templ_core.clean_document import clean
from templ_core.config import CoreConfig
from templ_core.dom.document import Document, parse_document
from templ_core.errors import PageError
from templ_core.metadata.dates import published_day
from templ_core.metadata.markup import PageMarkup
from templ_core.metadata.page_metadata import read_metadata
from templ_core.metadata.placed import SitePlaces
from templ_core.page_level.features.page_features import read_features
from templ_core.rendering.markdown import render_markdown
from templ_core.rendering.outline import Outline
from templ_core.site_level.places.places import PagePlaces, count_pages, document_places, tabulate
from workers.errors import UsageProblem
from workers.lab import experiment as lab
from workers.lab.corpora import read_objects
from workers.lab.experiments import metadata_gold

Fields = dict[str, str]
"""Text by field of `stated.FIELDS`; authors are separated by semicolons."""
System = Callable[[str, str], Fields]

PEERS = ("trafilatura", "extruct+htmldate")


def templ(markup: str, url: str) -> Fields:
    """Return the fields that templ reads from a page."""
    try:
        document = parse_document(markup, url)
        metadata = read_metadata(
            document, url, PageMarkup(document), clean(document, None, CoreConfig()).text
        )
    except PageError:
        return {}
    values = (metadata.title, "; ".join(metadata.authors), metadata.published_at, metadata.language)
    return _fields(*values, metadata.canonical_url)


def _fields(*values: str | None) -> Fields:
    return {name: value or "" for name, value in zip(metadata_gold.FIELDS, values, strict=True)}


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
        page: Any = bare_extraction(markup, url=url, with_metadata=True)
        if page is None:
            return {}
        return _fields(page.title, page.author, page.date, page.language, page.url)

    return read


def _extruct() -> System:
    import extruct  # type: ignore[import-untyped]  # noqa: PLC0415 - no type hints
    from htmldate import find_date  # noqa: PLC0415

    def read(markup: str, url: str) -> Fields:
        extracted = extruct.extract(
            markup, url, syntaxes=["json-ld", "opengraph", "microdata", "dublincore"],
            uniform=True, errors="ignore",
        )  # fmt: skip
        items = [
            one for name in ("json-ld", "opengraph", "microdata") for one in extracted.get(name, ())
        ]
        items += [one for item in items for one in item.get("@graph", ()) if isinstance(one, dict)]
        dublin = extracted.get("dublincore", [])
        return _fields(
            _first(items, "headline", "og:title", "title"),
            _first(items, "author", "article:author") or _dublin(dublin, "creator"),
            _date(find_date, markup, url),
            _first(items, "inLanguage", "og:locale") or _dublin(dublin, "language"),
            _first(items, "og:url", "url", "mainEntityOfPage"),
        )

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


def _dublin(groups: list[dict[str, Any]], name: str) -> str:
    for group in groups:
        for element in [*group.get("elements", ()), *group.get("terms", ())]:
            if element.get("name", "").lower() == name:
                return str(element.get("content", ""))
    return ""


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


def report_site_fields(report: lab.Report, corpora: Sequence[Path]) -> None:
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
            _count_shown(counts, "no", page, None)
            _count_shown(counts, "ten", page, SitePlaces(page.places, table))
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


def _count_shown(
    counts: Counter[tuple[str, str, str]], known: str, page: _SitePage, places: SitePlaces | None
) -> None:
    metadata = read_metadata(page.document, page.url, PageMarkup(page.document), "", places)
    texts = {"author": "; ".join(metadata.authors), "date": metadata.published_at or ""}
    for field, stated in page.fields.items():
        given = metadata_gold.comparable(field, texts[field])
        is_right = _agree(field, given, stated.values)
        counts[known, field, "stated"] += 1
        counts[known, field, "shown"] += stated.is_shown
        counts[known, field, "given"] += bool(given)
        counts[known, field, "right"] += is_right
        counts[known, field, "found"] += is_right and stated.is_shown


def _sites(corpora: Sequence[Path]) -> Iterator[list[_SitePage]]:
    for path in corpora:
        by_site: dict[str, list[_SitePage]] = defaultdict(list)
        for _, record in read_objects(path):
            pages = by_site[str(record["site"])]
            is_article = record.get("page_role", "article") == "article"
            if is_article and len(pages) < _LEARNED_PAGES + _JUDGED_PAGES:
                page = _page(str(record["html"]), str(record["url"]))
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
    texts = document.segments.texts
    silent = msgspec.structs.replace(document.segments, texts=[""] * len(texts))
    mute = msgspec.structs.replace(document, segments=silent)
    stated = read_metadata(mute, "", PageMarkup(mute))
    texts = [text for text in texts if len(text) <= _SHOWN_CHARS]
    fields: dict[str, _Stated] = {}
    several = "; ".join(name for name in stated.authors if " " in name)
    own = metadata_gold.comparable("title", f"{urlsplit(url).hostname} {stated.site_name or ''}")
    names = frozenset(
        name
        for name in metadata_gold.comparable("author", several)
        if not any(name in one for one in own)
    )
    if names:
        signed = [text for text in texts if not _COPYRIGHT.search(text)]
        letters = [one for text in signed for one in metadata_gold.comparable("title", text)]
        fields["author"] = _Stated(names, any(name in one for one in letters for name in names))
    days = metadata_gold.comparable("date", stated.published_at or "")
    if days:
        shown = frozenset(day for text in texts if (day := published_day(text)))
        fields["date"] = _Stated(days, _agree("date", shown, days))
    return fields


def _agree(field: str, values: frozenset[str], wanted: frozenset[str]) -> bool:
    if field == "author":
        return any(one in other or other in one for one in values for other in wanted)
    days = {date.fromisoformat(day) for day in wanted}
    near = {day + step for day in days for step in (-_DAY, 0 * _DAY, _DAY)}
    return any(date.fromisoformat(day) in near for day in values)


_PAGES_A_SITE = 3
_CONFIG = CoreConfig()


@lab.command("Measure metadata and Markdown.")
@lab.corpora
@lab.option("--pages", default=400, help="Pages of the gold for metadata.")
@lab.option("--markdown-pages", default=200, help="Pages of the check of Markdown.")
@click.option(
    "--sites", is_flag=True, help="Also measure what ten pages of a site teach about others."
)
def metadata(
    report: lab.Report, corpora: tuple[Path, ...], pages: int, markdown_pages: int, *, sites: bool
) -> None:
    """Measure the metadata of pages of CORPORA, and their Markdown.

    The gold for metadata are the values that independent markup of a page states twice; one of both is
    taken out before the systems see the page. Of each site at most three pages count.
    """
    if pages:
        read = (metadata_gold.gold_page(markup, url) for url, markup in _pages(corpora))
        _report_fields(report, list(islice(filter(None, read), pages)))
    if sites:
        report_site_fields(report, corpora)
    if markdown_pages:
        _report_markdown(report, corpora, markdown_pages)


def _pages(corpora: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """Yield URL and markup of pages, of all corpora in turn, at most three of a site."""
    streams = [read_objects(path) for path in corpora]
    seen: Counter[str] = Counter()
    while streams:
        for stream in list(streams):
            for _, record in stream:
                site = str(record["site"])
                if seen[site] < _PAGES_A_SITE and record.get("page_role", "article") == "article":
                    seen[site] += 1
                    markup = str(record["html"]).encode("utf-8", "replace").decode()
                    yield str(record["url"]), markup
                    break
            else:
                streams.remove(stream)


def _report_fields(report: lab.Report, gold: list[metadata_gold.GoldPage]) -> None:
    systems: dict[str, System] = {"templ": templ, **{name: load_system(name) for name in PEERS}}
    counts: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    for page in gold:
        for name, system in systems.items():
            _count(counts, name, page, system(page.markup, page.url))
    known = Counter(field for page in gold for field in page.fields)
    rows = []
    for field in metadata_gold.FIELDS:
        cells = [field, str(known[field])]
        for name in systems:
            right, given, wanted = counts[name, field]
            precision, recall = right / max(given, 1), right / max(wanted, 1)
            f1 = 2 * right / max(given + wanted, 1)
            cells.append(f"{f1:.3f} ({precision:.2f}, {recall:.2f})")
        rows.append(cells)
    report.table(
        f"Metadata of {len(gold)} pages: F1 (precision, recall)", ["field", "pages", *systems], rows
    )


def _count(
    counts: dict[tuple[str, str], list[int]],
    name: str,
    page: metadata_gold.GoldPage,
    fields: Fields,
) -> None:
    for field, wanted in page.fields.items():
        given = metadata_gold.comparable(field, fields.get(field, ""), page.url)
        if field == "author":
            given -= page.stated[field] - wanted
        sizes = len(given & wanted), len(given), len(wanted)
        for number, size in enumerate(sizes):
            # Authors are counted one by one, of all other fields whether there is a value.
            counts[name, field][number] += size if field == "author" else bool(size)


def _report_markdown(report: lab.Report, corpora: Sequence[Path], count: int) -> None:
    right: Counter[str] = Counter()
    wanted: Counter[str] = Counter()
    done = skipped = 0
    for url, markup in _pages(corpora):
        try:
            document = parse_document(markup, url, with_marks=True)
        except PageError:
            continue
        kept = clean(document, None, _CONFIG).decision.kept
        expected = metadata_gold.page_structure(markup, document, kept) if kept.any() else None
        if expected is None:
            skipped += 1
            continue
        text = render_markdown(Outline(document, kept, None, url))
        structure = metadata_gold.markdown_structure(text)
        for kind in metadata_gold.KINDS:
            wanted[kind] += len(expected[kind])
            right[kind] += metadata_gold.kept_in_order(expected[kind], structure[kind])
        done += 1
        if done == count:
            break
    rows = [
        [kind, str(wanted[kind]), f"{right[kind] / max(wanted[kind], 1):.4f}"]
        for kind in metadata_gold.KINDS
    ]
    whole = sum(right.values()) / max(sum(wanted.values()), 1)
    rows.append(["all", str(sum(wanted.values())), f"{whole:.4f}"])
    report.table(
        f"Structure of kept text that is in the Markdown of {done} pages, in order "
        f"({skipped} further pages left out, whose text lxml reads otherwise)",
        ["what", "on the pages", "kept"],
        rows,
    )
