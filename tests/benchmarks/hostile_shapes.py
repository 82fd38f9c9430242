"""Processor time of each hostile shape in the library, at one size and at twice that size.

    python -m tests.benchmarks.hostile_shapes [--megabytes 5] [SHAPE ...]

A page of the larger size may take two seconds, and at most 2.3 times as long as one of half its size.
Each time is the least of `--rounds` calls of `SiteCleaner.clean`. Pages that are refused cost what it
takes to find that out.
"""

import argparse
import time

from templ_core import SiteCleaner
from templ_core.errors import PageError
from tests.hostile_shapes import SHAPES

LONGEST_S = 2.0
LARGEST_RATIO = 2.3
NOTICEABLE_S = 0.1
"""Ratios of shorter times say more about the machine than about the page."""


def main() -> None:
    """Print a line for each shape; those that take too long or grow too fast are marked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "shapes", nargs="*", metavar="SHAPE", help="Names of shapes; all by default."
    )
    parser.add_argument("--megabytes", type=float, default=5, help="Size of the larger page.")
    parser.add_argument("--rounds", type=int, default=2, help="Calls for each size.")
    options = parser.parse_args()
    size = int(options.megabytes * 1e6)
    print(f"{'shape':36} {size / 2e6:6.1f} MB {size / 1e6:6.1f} MB  ratio  result")
    for name in options.shapes or SHAPES:
        half_s, _ = cost(name, size // 2, options.rounds)
        whole_s, result = cost(name, size, options.rounds)
        ratio = whole_s / max(half_s, 1e-3)
        grows = ratio > LARGEST_RATIO and whole_s > NOTICEABLE_S
        mark = "SLOW" if whole_s > LONGEST_S else "GROWS" if grows else ""
        print(
            f"{name:36} {half_s:7.2f} s {whole_s:7.2f} s {ratio:6.1f}  {result} {mark}", flush=True
        )


def cost(name: str, size: int, rounds: int) -> tuple[float, str]:
    """Return the least processor time in seconds of a shape's page, and what became of the page."""
    page = SHAPES[name](size)
    times_s = []
    for _ in range(rounds):
        cleaner = SiteCleaner()
        began_s = time.process_time()
        try:
            result = f"{len(cleaner.clean('https://example.com/', page).text)} characters"
        except PageError as refusal:
            result = f"refused: {str(refusal)[:60]}"
        times_s.append(time.process_time() - began_s)
        cleaner.close()
    return min(times_s), result


if __name__ == "__main__":
    main()
