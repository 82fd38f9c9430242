"""Processor time and memory of each hostile shape in the library, at one size and at twice that size.

    python -m tests.benchmarks.hostile_shapes [--megabytes 5] [--shapes NAME,NAME]
    python -m tests.benchmarks.hostile_shapes --cases

A page of 5 MB may take two seconds, and at most 2.3 times as long as one of half its size. Each time is the
least of `--rounds` calls of `SiteCleaner.clean`; the memory is the most that the process of the larger page has
had. Pages that are refused cost what it takes to find that out. The last line has the largest figures. `--cases` prints the times of reading and of
cleaning each page of `tests/hostile_pages.py` instead.
"""

import multiprocessing
import time
from itertools import pairwise
from typing import NamedTuple

from templ_core import SiteCleaner
from templ_core.clean_document import clean
from templ_core.config import CoreConfig
from templ_core.dom.document import read_document
from templ_core.errors import PageError
from tests.benchmarks.measuring import peak_kib, read_options
from tests.hostile_pages import CASES
from tests.hostile_shapes import SHAPES

LONGEST_S = 2.0
LARGEST_RATIO = 2.3
NOTICEABLE_S = 0.1
"""Ratios of shorter times say more about the machine than about the page."""


def main() -> None:
    """Print a line for each shape; those that take too long or grow too fast are marked."""
    options = read_options(__doc__, megabytes=5.0, rounds=2, shapes=",".join(SHAPES), cases=False)
    if options.cases:
        report_cases()
        return
    size = int(options.megabytes * 1e6)
    print(f"{'shape':36} {size / 2e6:6.1f} MB {size / 1e6:6.1f} MB  ratio   memory  result")
    cost("divs", 1000, 1)  # loads the models, which every process then has
    context = multiprocessing.get_context("fork")
    timings = []
    for name in options.shapes.split(","):
        with context.Pool(1, maxtasksperchild=1) as pool:
            sizes = [(name, one, options.rounds) for one in (size // 2, size)]
            half, whole = pool.starmap(cost, sizes, chunksize=1)
        timings.append(whole)
        ratio = whole.seconds / max(half.seconds, 1e-3)
        grows = ratio > LARGEST_RATIO and whole.seconds > NOTICEABLE_S
        mark = "SLOW" if whole.seconds > LONGEST_S else "GROWS" if grows else ""
        print(
            f"{name:36} {half.seconds:7.2f} s {whole.seconds:7.2f} s {ratio:6.1f} {whole.peak_mb:5.0f} MB"
            f"  {whole.result} {mark}",
            flush=True,
        )
    refused = [one.seconds for one in timings if one.is_refused]
    accepted = [one.seconds for one in timings if not one.is_refused]
    print(
        f"{len(refused)} of {len(timings)} shapes are refused, within {max(refused, default=0):.2f} s; the others "
        f"take at most {max(accepted, default=0):.2f} s; at most {max(one.peak_mb for one in timings):.0f} MB"
    )


def report_cases() -> None:
    """Print a line for each case, after a first page that loads the models."""
    cost("divs", 1000, 1)
    print(f"{'case':44} {'MB':>6} {'read s':>7} {'clean s':>8}  result")
    for name, case in CASES.items():
        body, times_s = case.make(1.0), [time.process_time()]
        try:
            document = read_document(body, "https://a.org/")
            times_s.append(time.process_time())
            text = clean(document, None, CoreConfig()).text
            missing = [one for one in case.expected if one not in text]
            result = f"LOST {missing}" if missing else f"{len(text)} characters"
        except PageError as error:
            result = f"refused: {type(error).__name__}: {error}"
        times_s += [time.process_time()] * (3 - len(times_s))
        read_s, clean_s = (after - before for before, after in pairwise(times_s))
        print(f"{name:44} {len(body) / 1e6:6.1f} {read_s:7.2f} {clean_s:8.2f}  {result}")


class Cost(NamedTuple):
    """What a page of a shape costs, and what became of it."""

    seconds: float
    """Processor time."""
    peak_mb: float
    is_refused: bool
    result: str


def cost(name: str, size: int, rounds: int) -> Cost:
    """Return what a shape's page costs a process that has only loaded the models."""
    page = SHAPES[name](size)
    times_s = []
    is_refused = False
    for _ in range(rounds):
        cleaner = SiteCleaner()
        began_s = time.process_time()
        try:
            result = f"{len(cleaner.clean(page, 'https://example.com/').text)} characters"
        except PageError as refusal:
            is_refused, result = True, f"refused: {str(refusal)[:60]}"
        times_s.append(time.process_time() - began_s)
        cleaner.close()
    return Cost(min(times_s), peak_kib() * 1024 / 1e6, is_refused, result)


if __name__ == "__main__":
    main()
