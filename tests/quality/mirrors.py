"""How many copies in templates of other sites are found, and what else is taken for one, by `templ run --duplicates`.

    python -m tests.quality.mirrors stream.jsonl.xz more_sites.jsonl.xz sites_other.jsonl.xz sites_docs.jsonl.xz

The feed is all pages of the corpora, and then articles of some sites in the templates of others. A copy is found if its
record names the page that the article is from. With `--copies 0 --pairs 20` the shortest texts are shown that pages of
different sites share, whether they are copies or not.
"""

import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from schemas.cleaned import CleanedRecord
from schemas.source import Source
from templ_core.duplicates import BITS, says_enough
from templ_core.tokens import tokenise
from tests.benchmarks.measuring import read_options
from workers.lab.corpora import read_objects, record_markup, site_of
from workers.lab.experiments.copies import mirrored_articles
from workers.local.runner import LocalWorker
from workers.page import Page
from workers.settings import Settings
from workers.watcher.file_watch import FileWatch

_SHOWN = 10


class Mirrors(NamedTuple):
    """The records of a feed, and what they should say."""

    records: Sequence[CleanedRecord]
    originals: Mapping[str, str]
    """URL of the page that the article of a copy is from, by the URL of the copy."""

    def right(self) -> int:
        """Return the number of copies that are found."""
        return sum(self.originals.get(one.url, "") == one.duplicate_of for one in self.records)

    def wrong(self) -> list[CleanedRecord]:
        """Return the records that name a page which they do not copy."""
        return [
            one
            for one in self.records
            if isinstance(one.duplicate_of, str) and self.originals.get(one.url) != one.duplicate_of
        ]

    def distances(self) -> Counter[int]:
        """Return how many copies differ in how many bits from their originals; 64 stands for short texts."""
        own = {one.url: one for one in self.records}
        pairs = [(own[url], own[of]) for url, of in self.originals.items() if of in own]
        return Counter(map(_distance, *zip(*pairs, strict=True))) if pairs else Counter()


def _distance(one: CleanedRecord, other: CleanedRecord) -> int:
    if not (one.fingerprint and other.fingerprint and says_enough(one.text)):
        return 64
    return (int(one.fingerprint.value, 16) ^ int(other.fingerprint.value, 16)).bit_count()


def near_pairs(records: Sequence[CleanedRecord]) -> list[tuple[int, CleanedRecord, CleanedRecord]]:
    """Return pairs of pages of different sites whose texts are near, with the tokens of the shorter, shortest first."""
    texts = [one for one in records if one.fingerprint is not None]
    keys = np.array([int(one.fingerprint.value, 16) for one in texts if one.fingerprint], np.uint64)
    found = [
        (min(len(tokenise(text)) for text in (one.text, texts[place].text)), one, texts[place])
        for number, one in enumerate(texts)
        for place in np.flatnonzero(np.bitwise_count(keys[:number] ^ keys[number]) <= BITS)
        if texts[place].site != one.site
    ]
    return sorted(found, key=lambda pair: pair[0])


def read_mirrors(corpora: Sequence[Path], copies: int, seed: int, workers: int) -> Mirrors:
    """Return what `templ run --duplicates` says of the pages of corpora, and of copies of some of them."""
    copied = mirrored_articles(corpora, seed, copies, templates_per_article=1)
    originals = {one.url: one.article for one in copied}
    feed = [(one.url, one.site, one.markup) for one in copied]
    with tempfile.TemporaryDirectory() as state:
        local = LocalWorker(Path(state), Settings(), workers=workers)
        with closing(local), closing(FileWatch(None, Settings(), finds_copies=True)) as watch:
            outputs = local.run(_pages([*_originals(corpora), *feed]))
            records = [
                _with_original(one, watch) for one in outputs if isinstance(one, CleanedRecord)
            ]
    return Mirrors(records, originals)


def _with_original(record: CleanedRecord, watch: FileWatch) -> CleanedRecord:
    original = watch.take(record).original
    return msgspec.structs.replace(record, duplicate_of=original.url if original else None)


def _originals(corpora: Sequence[Path]) -> Iterator[tuple[str, str, str]]:
    for corpus in corpora:
        for _, record in read_objects(corpus):
            yield record["url"], site_of(record), record_markup(record)


def _pages(feed: Sequence[tuple[str, str, str]]) -> Iterator[Page]:
    for number, (url, site, markup) in enumerate(feed):
        yield Page(
            source=Source("feed", 0, number), url=url, site=site, id=str(number),
            event_time_ms=number * 60_000, fetched_at=None, charset="utf-8",
            body=markup.encode("utf-8", "replace"),
        )  # fmt: skip


def main() -> None:
    """Print precision and recall on copies of articles of corpora, which have the field `gold_selector`."""
    given = read_options(__doc__, "corpora...", copies=600, pairs=0, seed=0, workers=1)
    mirrors = read_mirrors(given.corpora, given.copies, given.seed, given.workers)
    right, wrong, count = mirrors.right(), mirrors.wrong(), len(mirrors.originals)
    print(
        f"{count} copies and {len(mirrors.records) - count} other pages of "
        f"{len({mirror.site for mirror in mirrors.records})} sites: "
        f"precision {right / max(right + len(wrong), 1):.4f}, recall {right / max(count, 1):.4f}"
    )
    distances = mirrors.distances()
    for bits in (3, *range(5, 10)):
        share = sum(many for one, many in distances.items() if one <= bits) / max(count, 1)
        mark = " (as shipped)" if bits == BITS else ""
        print(f"{share:.4f} of the copies within {bits} bits of their originals{mark}")
    print(f"{distances[64]} copies with too short a text")
    for mirror in wrong[:_SHOWN]:
        print(f"wrong: {mirror.site} {mirror.url} as {mirror.duplicate_of}: {mirror.text[:60]!r}")
    for tokens, record, other in near_pairs(mirrors.records)[: given.pairs] if given.pairs else ():
        print(f"{tokens} tokens: {record.url} and {other.url}: {record.text[:60]!r}")


if __name__ == "__main__":
    main()
