"""The input files of `templ evaluate`: corpora, and outputs of `templ run`."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from workers.cli.progress import Bar
from workers.errors import InputProblem
from workers.feeds.streams import STDIN
from workers.lab.evaluation.earlier_outputs import EarlierOutputs
from workers.lab.evaluation.evaluation_page import EvaluationPage, read_evaluation_pages
from workers.lab.evaluation.judge import PageOutput
from workers.lab.jsonl import corpus_name, parse_objects, read_nonblank_lines

_NO_OUTPUT = PageOutput(text="", confidence=None, segments=None)


class EvaluationFiles:
    """Corpora and outputs of `templ run`, told apart by the first line of each file."""

    def __init__(self, paths: Sequence[Path], pages_per_site: int | None) -> None:
        """Look at the files, and read the outputs.

        Args:
            paths: JSON Lines files; `-` is standard input.
            pages_per_site: Score only the first pages with gold of each site; None scores all.

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
                raise InputProblem(f"{path}: is empty; it holds no page and no cleaned record")
            (cleaned if _is_output(first) else self._corpora).append((path, chain([first], lines)))
        self._check_names()
        self.bytes_total = sum(path.stat().st_size for path in paths if path != STDIN) or None
        self.outputs: EarlierOutputs | None = None
        if cleaned:
            self.outputs = EarlierOutputs()
            for path, some in cleaned:
                self.outputs.add(str(path), some)

    def _check_names(self) -> None:
        if not self._corpora:
            raise InputProblem(
                "all files are outputs of `templ run`; name the corpus with their gold too"
            )
        for name, count in Counter(corpus_name(path) for path, _ in self._corpora).items():
            if count > 1:
                raise InputProblem(f"{count} corpora are called {name}; rename one")

    def pages(self, bar: Bar) -> Iterator[tuple[EvaluationPage, PageOutput | None]]:
        """Yield each page with gold and its output; None asks for the page to be cleaned now."""
        self._bar = bar
        for path, lines in self._corpora:
            found = 0
            taken: Counter[str] = Counter()
            for page in read_evaluation_pages(corpus_name(path), parse_objects(path, lines)):
                found += 1
                taken[page.site] += 1
                if self._pages_per_site is None or taken[page.site] <= self._pages_per_site:
                    self._pages += 1
                    yield page, self._output_of(page)
            if not found:
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
        found = self._pages - self._missing
        if found < self._missing:
            raise InputProblem(
                f"only {found} of {self._pages} pages of the corpus have a cleaned record: the output is "
                "that of another corpus, or of a run that has not ended"
            )
        return [f"{self._missing} of {self._pages} pages have no cleaned record; they score 0"]

    def _count(self, size_bytes: int) -> None:
        self._bytes_read += size_bytes
        if self._bar is not None:
            self._bar.update(self._bytes_read, f"{self._pages} pages")


def _is_output(line: bytes) -> bool:
    return (
        line.lstrip()[:40]
        .replace(b" ", b"")
        .startswith((b'{"schema":"cleaned/', b'{"schema":"deleted/'))
    )
