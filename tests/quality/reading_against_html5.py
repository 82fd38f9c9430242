"""Show pages from which reading loses letters that a browser shows; html5lib says what it shows.

    python -m tests.quality.reading_against_html5 CORPUS ... [--mutations 5000]
    python -m tests.quality.reading_against_html5 --tree-construction

The first reads mutations of real pages, the second the cases of html5lib-tests for tree construction,
which pip fetches with the source of html5lib. A page on which the two are known to differ is counted
with the reason. The command fails if anything else is lost.
"""

import lzma
import os
import random
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import click
import html5lib
import msgspec

from tests.html5 import known_exception, lost_letters, mutated

_PAGE_CHARS_MAX = 100_000
"""html5lib takes a second for larger pages."""
_PAGES_PER_CORPUS = 200
_CASE = re.compile(r"(?:^|\n\n)#data\n")


class _Record(msgspec.Struct):
    html: str = ""


def tree_construction_cases() -> Iterator[str]:
    """Yield the markup of each case of html5lib-tests that is a whole page without scripting."""
    with tempfile.TemporaryDirectory() as directory:
        Path(directory, "constraints.txt").write_text("setuptools<80\n")  # html5lib builds with it.
        subprocess.run(
            [
                *(sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--use-pep517"),
                *("--no-binary", "html5lib", "-d", directory, f"html5lib=={html5lib.__version__}"),
            ],
            check=True,
            env=os.environ | {"PIP_CONSTRAINT": str(Path(directory, "constraints.txt"))},
        )
        (source,) = Path(directory).glob("html5lib*.tar.gz")
        with tarfile.open(source) as files:
            for member in files:
                if "/tree-construction/" in member.name and member.name.endswith(".dat"):
                    text = files.extractfile(member).read().decode("utf-8", "surrogatepass")
                    for case in _CASE.split(text):
                        if case and "#document-fragment" not in case and "#script-on" not in case:
                            yield case.partition("\n#errors")[0]


def mutations(corpora: Iterable[Path], count: int, seed: int) -> Iterator[str]:
    """Yield mutations of pages of the corpora, each with one to six changes."""
    decoder = msgspec.json.Decoder(_Record)
    pages: list[str] = []
    for corpus in corpora:
        with lzma.open(corpus) as lines:
            some = (decoder.decode(line).html for line in islice(lines, 0, None, 5))
            fitting = (html for html in some if 500 < len(html) < _PAGE_CHARS_MAX)
            pages += islice(fitting, _PAGES_PER_CORPUS)
    rng = random.Random(seed)
    for _ in range(count):
        yield mutated(rng.choice(pages), rng)


@click.command()
@click.argument("corpora", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("--mutations", "count", default=5000, show_default=True, help="Mutated pages.")
@click.option("--seed", default=1, show_default=True, help="Seed of the mutations.")
@click.option("--tree-construction", is_flag=True, help="Read the cases of html5lib-tests instead.")
def main(corpora: tuple[Path, ...], count: int, seed: int, *, tree_construction: bool) -> None:
    """Print every page with lost letters, and how many pages were compared."""
    if not corpora and not tree_construction:
        raise click.UsageError("Name a corpus, or give --tree-construction.")
    pages = tree_construction_cases() if tree_construction else mutations(corpora, count, seed)
    compared = 0
    exceptions: Counter[str] = Counter()
    lost = []
    for page in pages:
        compared += 1
        letters = lost_letters(page)
        if not letters:
            continue
        why = known_exception(page)
        if why is not None:
            exceptions[why] += 1
            continue
        lost.append(page)
        click.echo(f"{len(letters)} letters lost, such as {letters[:20]!r}: {page[:200]!r}")
    for why, pages_count in exceptions.most_common():
        click.echo(f"{pages_count} pages differ, as known: {why}.")
    click.echo(f"{compared} pages compared, {len(lost)} lose letters.")
    if lost:
        sys.exit(1)


if __name__ == "__main__":
    main()
