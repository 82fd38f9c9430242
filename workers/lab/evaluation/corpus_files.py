"""The files that `templ evaluate` is given: corpora, and what was cleaned of them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from workers.cli.progress import Bar
from workers.errors import InputProblem
from workers.feeds.streams import STDIN
from workers.lab.evaluation.gold_page import GoldPage, gold_pages
from workers.lab.evaluation.judge import Given
from workers.lab.evaluation.outputs import Outputs, corpus_name
from workers.lab.jsonl import parse_objects, read_lines

_MISSING = Given(text="", confidence=None, segments=None)


class EvaluationFiles:
    """Corpora and cleaned records, told apart by their first lines."""

    def __init__(self, paths: Sequence[Path], pages_per_site: int | None) -> None:
        """Look at the files, and read the cleaned records.

        Args:
            paths: JSON Lines files; `-` is standard input.
            pages_per_site: Score the first pages with gold of each site only; None = all.

        Raises:
            InputProblem: one cannot be read, or there is no corpus among them.
        """
        self._paths = paths
        self._pages_per_site = pages_per_site
        self._bytes_read = self._pages = self._missing = 0
        self._bar: Bar | None = None
        self._corpora: list[tuple[Path, Iterable[bytes]]] = []
        cleaned = []
        for path in paths:
            lines = read_lines(path, self._count)
            first = next(lines, None)
            if first is None:
                raise InputProblem(f"{path}: is empty; it holds no page and no cleaned record")
            kind = cleaned if _is_cleaned(first) else self._corpora
            kind.append((path, chain([first], lines)))
        self._check_names()
        self.bytes_total = sum(path.stat().st_size for path in paths if path != STDIN) or None
        self.outputs = Outputs(len(self._corpora)) if cleaned else None
        for path, lines in cleaned:
            self.outputs.add(str(path), lines)

    def _check_names(self) -> None:
        if not self._corpora:
            raise InputProblem(
                "there are only cleaned records; name the corpus with their gold too"
            )
        for name, count in Counter(corpus_name(path.name) for path, _ in self._corpora).items():
            if count > 1:
                raise InputProblem(f"{count} corpora are called {name}; rename one")

    def pages(self, bar: Bar) -> Iterator[tuple[GoldPage, Given | None]]:
        """The pages with gold, each with what a record says of it; None = to be cleaned."""
        self._bar = bar
        for path, lines in self._corpora:
            found = 0
            taken: Counter[str] = Counter()
            for page in gold_pages(corpus_name(path.name), parse_objects(path, lines)):
                found += 1
                taken[page.site] += 1
                if self._pages_per_site is None or taken[page.site] <= self._pages_per_site:
                    self._pages += 1
                    yield page, self._given(page)
            if not found:
                raise InputProblem(f"{path}: no page has `gold_text`, so there is nothing to score")

    def _given(self, page: GoldPage) -> Given | None:
        if self.outputs is None:
            return None
        given = self.outputs.of(page)
        self._missing += given is None
        return given or _MISSING

    def notes(self) -> list[str]:
        """What a reader of the figures has to know.

        Raises:
            InputProblem: no record fits any page.
        """
        if not self._missing:
            return []
        if self._missing == self._pages:
            raise InputProblem(
                "no cleaned record is of a page of the corpus; `source.offset` must number the "
                "records of the corpus as `templ run` does"
            )
        return [f"{self._missing} of {self._pages} pages have no cleaned record; they score 0"]

    def _count(self, size_bytes: int) -> None:
        self._bytes_read += size_bytes
        if self._bar is not None:
            self._bar.update(self._bytes_read, f"{self._pages} pages")


def _is_cleaned(line: bytes) -> bool:
    return (
        line.lstrip()[:40]
        .replace(b" ", b"")
        .startswith((b'{"schema":"cleaned/', b'{"schema":"deleted/'))
    )
