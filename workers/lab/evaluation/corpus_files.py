"""The input files of `templ evaluate`: corpora with gold text, and outputs of an earlier `templ run`."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from schemas.cleaned import CleanedRecord, TextSegment
from templ_core.errors import PageError
from templ_core.lab.evaluation.gold_repeats import RepeatsBySite, repeats_by_site, repeats_in
from templ_core.lab.evaluation.report import group_by
from templ_core.lab.training.labels.gold_labels import GoldSelectors, decoded_markup
from templ_core.lab.training.pages import GoldRecord
from workers.cli.inputs import Bar
from workers.errors import InputProblem
from workers.feeds.files import read_feed
from workers.feeds.reading import Reading
from workers.feeds.streams import STDIN
from workers.lab.corpora import (
    corpus_name,
    page_fields,
    parse_objects,
    read_nonblank_lines,
    read_objects,
    read_output,
    record_page,
    site_of,
)
from workers.page import Page


class PageOutput(msgspec.Struct, frozen=True, kw_only=True):
    """What templ made of a page: now, or in an earlier run."""

    text: str
    confidence: float | None
    segments: list[TextSegment] | None


class EvaluationPage(GoldRecord, frozen=True, kw_only=True):
    """One page to be scored, with its gold."""

    offset: int
    """Number of the record in its corpus, from 0; it equals `source.offset` of a cleaned record."""
    checksum: int = 0
    """Checksum of the record, which equals `source.partition` of a cleaned record; 0 = not known."""
    seen: int
    """Position of the page among the pages of its site, from 1, in the order of the corpus."""
    neutral: str | None
    """CSS selector of text that is neither content nor template."""

    def markup(self) -> str:
        """Return the decoded page, or its bytes read as UTF-8 if it cannot be decoded."""
        try:
            return decoded_markup(self.body, self.charset, self.content_type)
        except PageError:
            return self.body.decode("utf-8", "replace")


class SitePages(msgspec.Struct, frozen=True, kw_only=True):
    """The pages of a site in order, each with its gold where it has some."""

    site: str
    pages: list[Page]
    gold: list[EvaluationPage | None]


def read_sites(corpus: Path, time_field: str) -> list[SitePages]:
    """Return the sites of a corpus, in the order in which they first appear."""
    repeats = gold_repeats(read_objects(corpus))
    some = read_evaluation_pages(corpus.name, read_objects(corpus), repeats)
    gold = {one.offset: one for one in some}
    feed = read_feed([corpus], Reading(time_field=time_field))
    by_site = group_by(
        (page for page in feed if isinstance(page, Page) and page.body), lambda page: page.site
    )
    return [
        SitePages(site=site, pages=pages, gold=[gold.get(one.source.offset) for one in pages])
        for site, pages in by_site.items()
    ]


_Records = Iterable[tuple[bytes, Mapping[str, Any]]]
"""The records of a corpus, each after its line."""


def gold_repeats(records: _Records) -> RepeatsBySite:
    """Return the sentences that the gold of each site of a corpus repeats."""
    return repeats_by_site(
        (site_of(record), text)
        for _, record in records
        if isinstance(text := record.get("gold_text"), str)
    )


def read_evaluation_pages(
    corpus: str, records: _Records, repeats: RepeatsBySite
) -> Iterator[EvaluationPage]:
    """Yield the pages with gold text among the records of a corpus, whose repeats `gold_repeats` returns.

    Raises:
        InputProblem: A record with gold text is not a page.
    """
    seen: Counter[str] = Counter()
    for offset, (line, record) in enumerate(records):
        site = site_of(record)
        seen[site] += 1
        if record.get("gold_text"):
            page = _evaluation_page(corpus, offset, line, record, seen[site])
            own = repeats_in(page.gold_text, repeats.get(site, ()))
            yield msgspec.structs.replace(page, repeats=own)


def read_gold_pages(path: Path) -> Iterator[EvaluationPage]:
    """Yield the pages of a corpus that have gold text.

    Raises:
        InputProblem: A record with gold text is not a page, or no record has gold text.
    """
    has_gold = False
    repeats = gold_repeats(read_objects(path))
    for page in read_evaluation_pages(corpus_name(path), read_objects(path), repeats):
        has_gold = True
        yield page
    if not has_gold:
        raise InputProblem(f"{path}: no page has `gold_text`, so there is nothing to learn from")


def _evaluation_page(
    corpus: str, offset: int, line: bytes, record: Mapping[str, Any], seen: int
) -> EvaluationPage:
    page = record_page(corpus, offset, line)
    gold = {name: record.get(name) for name in _GOLD}
    for name, value in gold.items():
        if value is not None and not isinstance(value, str):
            raise InputProblem(f"{corpus}, record {offset}: `{name}` is not a text")
    return EvaluationPage(
        corpus=corpus,
        offset=offset,
        checksum=page.source.partition,
        seen=seen,
        content_type=page.content_type,
        gold_text=gold["gold_text"] or "",
        selectors=GoldSelectors.of(gold),
        neutral=gold["gold_neutral"],
        **page_fields(page, record),
    )


_GOLD = ("gold_text", "gold_selector", "gold_exclude", "gold_neutral")


class EarlierOutputs:
    """The first texts (revision 0) of an earlier run, by the record that each was made of.

    A record of a file is known by its checksum and its number. Outputs of a run on Kafka, or of an
    older version, are known by their URL, and by their number where several have the same.
    """

    def __init__(self) -> None:
        """Begin without outputs."""
        self._by_record: dict[tuple[int, int], PageOutput] = {}
        self._by_url: defaultdict[str, dict[int, PageOutput]] = defaultdict(dict)
        self.versions: set[str] = set()

    def add(self, path: Path, lines: Iterable[bytes]) -> None:
        """Add the records of a file.

        Raises:
            InputProblem: A line is not a cleaned record.
        """
        for number, line in enumerate(lines, 1):
            record = read_output(path, number, line)
            if isinstance(record, CleanedRecord) and record.revision == 0:
                source = record.source
                output = PageOutput(
                    text=record.text, confidence=record.confidence, segments=record.segments
                )
                self._by_record[source.partition, source.offset] = output
                self._by_url[record.url][source.offset] = output
                self.versions.add(record.page_model_version)

    def for_page(self, page: EvaluationPage) -> PageOutput | None:
        """Return the output for a page, or None if there is no record of it."""
        exact = self._by_record.get((page.checksum, page.offset)) if page.checksum else None
        if exact is not None:
            return exact
        same_url = self._by_url.get(page.url, {})
        if len(same_url) == 1:
            return next(iter(same_url.values()))
        return same_url.get(page.offset)


_NO_OUTPUT = PageOutput(text="", confidence=None, segments=None)


class EvaluationFiles:
    """Corpora and outputs of `templ run`, distinguished by the first line of each file."""

    def __init__(self, paths: Sequence[Path], pages_per_site: int | None) -> None:
        """Look at the files, and read the outputs.

        Raises:
            InputProblem: A file cannot be read, or none of them is a corpus.
        """
        self._paths = paths
        self._pages_per_site = pages_per_site
        self._bytes_read = self._pages = self._missing = 0
        self._bar: Bar | None = None
        self._corpora: list[tuple[Path, Iterable[bytes]]] = []
        cleaned: list[tuple[Path, Iterable[bytes]]] = []
        for path in paths:
            lines = read_nonblank_lines(path, self._count)
            first = next(lines, None)
            if first is None:
                raise InputProblem(f"{path} is empty: give pages with `gold_text`")
            (cleaned if _is_output(first) else self._corpora).append((path, chain([first], lines)))
        if not self._corpora:
            raise InputProblem(
                "all files are outputs of `templ run`; name the corpus with their gold too"
            )
        for name, count in Counter(corpus_name(path) for path, _ in self._corpora).items():
            if count > 1:
                raise InputProblem(f"{count} corpora are called {name}; rename one")
        self.bytes_total = sum(path.stat().st_size for path in paths if path != STDIN) or None
        self.outputs: EarlierOutputs | None = None
        if cleaned:
            self.outputs = EarlierOutputs()
            for path, some in cleaned:
                self.outputs.add(path, some)

    def pages(self, bar: Bar) -> Iterator[tuple[EvaluationPage, PageOutput | None]]:
        """Yield each page with gold and its output; None asks for the page to be cleaned now."""
        self._bar = bar
        for path, lines in self._corpora:
            with_gold = 0
            taken: Counter[str] = Counter()
            held = None if path.is_file() else list(lines)  # a pipe cannot be read twice
            repeats = gold_repeats(parse_objects(path, held or read_nonblank_lines(path)))
            records = parse_objects(path, held or lines)
            for page in read_evaluation_pages(corpus_name(path), records, repeats):
                with_gold += 1
                taken[page.site] += 1
                if self._pages_per_site is None or taken[page.site] <= self._pages_per_site:
                    self._pages += 1
                    yield page, self._output_of(page)
            if not with_gold:
                raise InputProblem(f"{path}: no page has `gold_text`, so there is nothing to score")

    def _output_of(self, page: EvaluationPage) -> PageOutput | None:
        if self.outputs is None:
            return None
        output = self.outputs.for_page(page)
        self._missing += output is None
        return output or _NO_OUTPUT

    def notes(self) -> list[str]:
        """Return what a reader of the figures has to know.

        Raises:
            InputProblem: Most pages have no output, so the output is that of another corpus.
        """
        if not self._missing:
            return []
        present = self._pages - self._missing
        if present < self._missing:
            raise InputProblem(
                f"only {present} of {self._pages} pages of the corpus have a cleaned record: the output is "
                "that of another corpus, or of a run that has not ended"
            )
        return [f"{self._missing} of {self._pages} pages have no cleaned record; they score 0"]

    def _count(self, size_bytes: int) -> None:
        self._bytes_read += size_bytes
        if self._bar is not None:
            self._bar(self._bytes_read, f"{self._pages} pages")


def _is_output(line: bytes) -> bool:
    return (
        line.lstrip()[:40]
        .replace(b" ", b"")
        .startswith((b'{"schema":"cleaned/', b'{"schema":"deleted/'))
    )
