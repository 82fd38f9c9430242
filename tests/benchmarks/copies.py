"""Time and memory of finding copies, by the number of contents that are remembered.

    python -m tests.benchmarks.copies --contents 1000000

Every page has a content of its own and takes the place of the oldest: that is the dearest page.
"""

import random
import tempfile
from pathlib import Path

import msgspec
import psutil

from schemas.cleaned import Fingerprint
from tests.benchmarks.measuring import processor_s, read_options
from tests.workers.builders import cleaned_text
from workers.state.content_index import ContentIndex

_PAGES = 5000
_WORDS = 500


def main() -> None:
    """Print the processor time of a page, the memory of the contents, and the time to open their index."""
    contents = read_options(__doc__, contents=100_000).contents
    rng = random.Random(0)
    text = " ".join("".join(rng.choices("abcdefgh", k=6)) for _ in range(_WORDS))
    record = cleaned_text("example.com", 0, text)

    def page(number):
        key = Fingerprint(algorithm="simhash64-3gram", bits=64, value=f"{rng.getrandbits(64):016x}")
        site = f"site-{number % 1000}.example"
        url = f"https://{site}/2026/11/an-article-of-the-site-{number}"
        return msgspec.structs.replace(record, site=site, url=url, fingerprint=key)

    with tempfile.TemporaryDirectory() as directory:
        before_bytes = psutil.Process().memory_info().rss
        index = ContentIndex(Path(directory), contents)
        for number in range(contents):
            index.take(page(number))
        size_bytes = psutil.Process().memory_info().rss - before_bytes
        pages = [page(contents + number) for number in range(_PAGES)]
        took_s = processor_s(lambda: [index.take(one) for one in pages])
        index.close()
        opening_s = processor_s(lambda: ContentIndex(Path(directory), contents).close())
    print(
        f"{contents} contents: {took_s / _PAGES * 1e6:.0f} us a page, {size_bytes / 2**20:.0f} MiB, "
        f"opened in {opening_s:.1f} s"
    )


if __name__ == "__main__":
    main()
