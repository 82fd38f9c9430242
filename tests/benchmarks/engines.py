"""What whole crawls cost: the library, its step in datatrove, and datatrove's own step with trafilatura.

    python -m tests.benchmarks.engines stream.jsonl.xz --pages 400

Each system cleans the same pages in a process of its own, one after the other, and this three times; the shortest
time counts. Time is processor time, that of child processes included. It needs the extras `datatrove` and `peers`.
"""

import importlib
import resource
from collections.abc import Callable, Iterator
from pathlib import Path

from templ_core import CrawledPage, clean_crawl
from templ_core.errors import PageError
from tests.benchmarks.measuring import read_options
from workers.lab.corpora import read_objects
from workers.lab.experiment import process_pool


def library(pages: list[CrawledPage]) -> int:
    """Clean pages with the library alone; return the number of texts."""
    return sum(not isinstance(one.cleaned, PageError) for one in clean_crawl(pages))


def step(module: str, name: str, **options: float) -> Callable[[list[CrawledPage]], int]:
    """Return a function that cleans pages with a step of datatrove, which is imported when it runs."""

    def run(pages: list[CrawledPage]) -> int:
        make = getattr(importlib.import_module(module), name)
        return sum(1 for _ in make(**options).run(_documents(pages)))

    return run


def _documents(pages: list[CrawledPage]) -> Iterator[object]:
    document = importlib.import_module("datatrove.data").Document
    for page in pages:
        yield document(text=page.body, id=page.url, metadata={"url": page.url, "site": page.site})


_OURS = "workers.engines.datatrove_steps"
SYSTEMS = {
    "library, in two passes": library,
    "datatrove, TemplCleaner": step(_OURS, "TemplCleaner"),
    "datatrove, TemplExtractor": step(_OURS, "TemplExtractor", timeout=600),
    "datatrove, Trafilatura": step("datatrove.pipeline.extractors", "Trafilatura", timeout=600),
}


def measure(name: str, path: Path, count: int) -> tuple[int, float, float]:
    """Return the texts, processor seconds and largest memory (MB) of a system."""
    pages = read_pages(path, count)
    SYSTEMS[name](pages[:3])  # what is loaded once is not timed
    before = _processor_s()
    texts = SYSTEMS[name](pages)
    used_s = _processor_s() - before
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return texts, used_s, max(resource.getrusage(kind).ru_maxrss for kind in kinds) / 1000


def read_pages(path: Path, count: int) -> list[CrawledPage]:
    """Return the first pages of a corpus, site by site."""
    pages: list[CrawledPage] = []
    for _, record in read_objects(path):
        pages.append(CrawledPage(record["html"], record["url"], record["site"]))
        if len(pages) == count:
            break
    return sorted(pages, key=lambda page: page.site)


def _processor_s() -> float:
    used = [resource.getrusage(kind) for kind in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def main() -> None:
    given = read_options(__doc__, "corpus", pages=400, rounds=3)
    best: dict[str, tuple[int, float, float]] = {}
    for _ in range(given.rounds):
        for name in SYSTEMS:
            with process_pool(1) as pool:
                figures = pool.submit(measure, name, given.corpus, given.pages).result()
            best[name] = min(figures, best.get(name, figures), key=lambda one: one[1])
    shortest_s = best["library, in two passes"][1]
    for name, (texts, used_s, memory_mb) in best.items():
        print(
            f"{name:28} {given.pages / used_s * 3600:9.0f} pages an hour and core, "
            f"{shortest_s / used_s:.2f} of the library, {texts} texts, {memory_mb:.0f} MB"
        )


if __name__ == "__main__":
    main()
