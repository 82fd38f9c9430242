"""`templ experiments metadata`: quality and cost of metadata, Markdown and links."""

import gc
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import click
import lxml.html

from templ_core.clean_document import clean
from templ_core.config import CoreConfig
from templ_core.dom.document import Document, parse_document
from templ_core.errors import PageError
from templ_core.metadata.page_metadata import read_metadata
from templ_core.rendering.links import page_links
from templ_core.rendering.markdown import render_markdown
from templ_core.rendering.outline import Outline
from workers.lab.experiments.metadata.site_fields import report_site_fields, site_places
from workers.lab.experiments.metadata.stated import FIELDS, GoldPage, comparable, gold_page
from workers.lab.experiments.metadata.structure import (
    KINDS,
    kept_in_order,
    markdown_structure,
    page_structure,
)
from workers.lab.experiments.metadata.systems import PEERS, Fields, System, load_system, templ
from workers.lab.experiments.results import Report
from workers.lab.jsonl import read_objects
from workers.lab.options import corpora_argument, out_option
from workers.processes.child import GC_ALLOCATIONS

_PAGES_A_SITE = 3
_ROUNDS = 5
_CONFIG = CoreConfig()


@click.command(short_help="Measure metadata, Markdown and links.")
@corpora_argument
@click.option("--pages", default=400, show_default=True, help="Pages of the gold for metadata.")
@click.option(
    "--markdown-pages", default=200, show_default=True, help="Pages of the check of Markdown."
)
@click.option(
    "--sites", is_flag=True, help="Also measure what ten pages of a site tell about others."
)
@click.option("--cost-pages", default=200, show_default=True, help="Pages that are timed.")
@click.option(
    "--peers/--no-peers", default=True, show_default=True, help="Whether other libraries are run."
)
@out_option
def metadata(
    corpora: tuple[Path, ...],
    pages: int,
    markdown_pages: int,
    cost_pages: int,
    out: Path | None,
    *,
    sites: bool,
    peers: bool,
) -> None:
    """Measure the metadata of pages of CORPORA, their Markdown, and what both cost.

    The gold for metadata are the values that independent markup of a page states twice; one of both is
    taken out before the systems see the page. Of each site at most three pages count.
    """
    report = Report(out)
    if pages:
        _report_fields(report, list(_gold(corpora, pages)), with_peers=peers)
    if sites:
        report_site_fields(report, corpora)
    if markdown_pages:
        _report_markdown(report, corpora, markdown_pages)
    if cost_pages:
        _report_cost(report, corpora, cost_pages)


def _pages(corpora: Sequence[Path]) -> Iterator[tuple[str, str, str]]:
    """Yield site, URL and markup of pages, of all corpora in turn, at most three of a site."""
    streams = [read_objects(path) for path in corpora]
    seen: Counter[str] = Counter()
    while streams:
        for stream in list(streams):
            for _, one in stream:
                site = str(one["site"])
                if seen[site] < _PAGES_A_SITE and one.get("page_role", "article") == "article":
                    seen[site] += 1
                    yield (
                        site,
                        str(one["url"]),
                        str(one["html"]).encode("utf-8", "replace").decode(),
                    )
                    break
            else:
                streams.remove(stream)


def _gold(corpora: Sequence[Path], count: int) -> Iterator[GoldPage]:
    for _, url, markup in _pages(corpora):
        page = gold_page(markup, url)
        if page is not None:
            yield page
            count -= 1
            if not count:
                return


def _report_fields(report: Report, gold: list[GoldPage], *, with_peers: bool) -> None:
    systems: dict[str, System] = {"templ": templ}
    if with_peers:
        systems |= {name: load_system(name) for name in PEERS}
    counts: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    for page in gold:
        for name, system in systems.items():
            _count(counts, name, page, system(page.markup, page.url))
    known = Counter(field for page in gold for field in page.fields)
    rows = []
    for field in FIELDS:
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
    counts: dict[tuple[str, str], list[int]], name: str, page: GoldPage, found: Fields
) -> None:
    for field, wanted in page.fields.items():
        given = comparable(field, found.get(field, ""), page.url)
        one = counts[name, field]
        if field == "author":
            one[0] += len(given & wanted)
            one[1] += len(given)
            one[2] += len(wanted)
        else:
            one[0] += bool(given & wanted)
            one[1] += bool(given)
            one[2] += 1


def _report_markdown(report: Report, corpora: Sequence[Path], count: int) -> None:
    right: Counter[str] = Counter()
    wanted: Counter[str] = Counter()
    done = skipped = 0
    for _, url, markup in _pages(corpora):
        try:
            document = parse_document(markup, url, with_marks=True)
        except PageError:
            continue
        kept = clean(document, None, _CONFIG).decision.kept
        expected = page_structure(markup, document, kept) if kept.any() else None
        if expected is None:
            skipped += 1
            continue
        text = render_markdown(Outline(document, kept, None, document.marks, url))
        found = markdown_structure(text)
        for kind in KINDS:
            wanted[kind] += len(expected[kind])
            right[kind] += kept_in_order(expected[kind], found[kind])
        done += 1
        if done == count:
            break
    rows = [
        [kind, str(wanted[kind]), f"{right[kind] / max(wanted[kind], 1):.4f}"] for kind in KINDS
    ]
    whole = sum(right.values()) / max(sum(wanted.values()), 1)
    rows.append(["all", str(sum(wanted.values())), f"{whole:.4f}"])
    report.table(
        f"Structure of kept text that is in the Markdown of {done} pages, in order "
        f"({skipped} further pages left out, whose text lxml reads otherwise)",
        ["what", "on the pages", "kept"],
        rows,
    )


def _report_cost(report: Report, corpora: Sequence[Path], count: int) -> None:
    gc.freeze()
    gc.set_threshold(GC_ALLOCATIONS)  # as in the processes that clean pages
    totals: Counter[str] = Counter()
    done = 0
    parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True)
    for _, url, markup in _pages(corpora):
        try:
            document = parse_document(markup, url, with_marks=True)
        except PageError:
            continue
        steps = _steps(document, markup, url, parser)
        for name, step in steps.items():
            totals[name] += _least_ns(step)
        done += 1
        if done == count:
            break
    parse = max(totals["bare parse"], 1)
    marked = totals["document with marks"] - totals["document"]
    costs = {
        "metadata": totals["metadata"],
        "marks of links and images": marked,
        "Markdown": totals["Markdown"],
        "links": totals["links"],
        "all": totals["metadata"] + marked + totals["Markdown and links"],
    }
    rows = [[name, f"{cost / parse:.3f}"] for name, cost in costs.items()]
    report.table(
        f"Cost on {done} pages, in bare parses by lxml ({parse / done / 1e6:.2f} ms each)",
        ["what", "× parse"],
        rows,
    )


def _steps(
    document: Document, markup: str, url: str, parser: lxml.html.HTMLParser
) -> dict[str, Callable[[], object]]:
    cleaned = clean(document, None, _CONFIG)
    places = site_places(document)
    kept, marks, utf8 = cleaned.decision.kept, document.marks, markup.encode()

    def outline() -> Outline:
        return Outline(document, kept, None, marks, url)

    def both(found: Outline) -> object:
        return render_markdown(found), page_links(found)

    return {
        "bare parse": lambda: lxml.html.document_fromstring(utf8, parser=parser),
        "document": lambda: parse_document(markup, url),
        "document with marks": lambda: parse_document(markup, url, with_marks=True),
        "metadata": lambda: read_metadata(document, url, cleaned.text, places),
        "Markdown": lambda: render_markdown(outline()),
        "links": lambda: page_links(outline()),
        "Markdown and links": lambda: both(outline()),
    }


def _least_ns(step: Callable[[], object]) -> int:
    least = 1 << 62
    for _ in range(_ROUNDS):
        started = time.process_time_ns()
        result = step()
        least = min(least, time.process_time_ns() - started)
        del result
    return least
