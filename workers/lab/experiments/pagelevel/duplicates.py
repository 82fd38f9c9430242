"""`templ experiments pagelevel-duplicates`: table 2 of Chakrabarti et al. (WWW 2007)."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from pathlib import Path

import click

from templ_core.min_hashes import are_near_duplicates, min_hashes
from workers.lab.experiments.corpora.class_pages import (
    CLASS_SET_CLEANERS,
    CleanedClassPage,
    class_set_options,
    clean_class_set,
    describe_class_set,
)
from workers.lab.experiments.results import Report, out_option

_PAPER = {
    "full text": ("30.9 %", "86.5 %"),
    "SITELEVEL": ("42.7 %", "83.2 %"),
    "smooth": ("76 %", "91.6 %"),
}
_Pair = tuple[CleanedClassPage, CleanedClassPage]


@click.command(short_help="Chakrabarti et al. (2007): near-duplicates.")
@class_set_options
@out_option
def pagelevel_duplicates(
    classifier: Path,
    corpora: Sequence[Path],
    articles: int,
    templates: int,
    seed: int,
    out: Path | None,
) -> None:
    """Measure near-duplicate detection by 6-word shingles, before and after cleaning.

    Duplicates are pairs of one real article inside two real templates. Non-duplicates are pairs of
    two articles inside one template.

    CLASSIFIER is a file of `pagelevel-train`. CORPORA need `gold_selector` and the sites of the
    class set.
    """
    cleaned = clean_class_set(classifier, corpora, articles, templates, seed)
    same = _pairs(cleaned, lambda one: one.page.article)
    different = _drawn(_pairs(cleaned, lambda one: one.page.site), len(same), seed)
    report = Report(out)
    report.say(
        f"{describe_class_set(cleaned)}; median article "
        f"{_median_words(cleaned)} words; {len(same)} duplicate and {len(different)} other pairs"
    )
    rows = []
    for cleaner in CLASS_SET_CLEANERS:
        hashes = {one.page.url: min_hashes(one.texts[cleaner]) for one in cleaned}
        found = _share(hashes, same)
        kept = 1 - _share(hashes, different)
        rows.append([cleaner, f"{found:.1%}", f"{kept:.1%}", *_PAPER.get(cleaner, ("", ""))])
    header = ["", "duplicates found", "others kept apart", "the paper's", "the paper's"]
    report.table("table 2: near-duplicates", header, rows)


def _pairs(
    pages: Iterable[CleanedClassPage], key: Callable[[CleanedClassPage], str]
) -> list[_Pair]:
    groups = defaultdict(list)
    for page in pages:
        groups[key(page)].append(page)
    return [
        (one, other)
        for some in groups.values()
        for one, other in combinations(some, 2)
        if (one.page.article == other.page.article) == (key(one) == one.page.article)
    ]


def _drawn(pairs: Sequence[_Pair], count: int, seed: int) -> list[_Pair]:
    def by_hash(pair: _Pair) -> bytes:
        names = f"{seed}\n{pair[0].page.url}\n{pair[1].page.url}"
        return hashlib.blake2b(names.encode("utf-8", "replace")).digest()

    return sorted(pairs, key=by_hash)[:count]


def _share(hashes: dict[str, frozenset[bytes]], pairs: Sequence[_Pair]) -> float:
    found = sum(
        are_near_duplicates(hashes[one.page.url], hashes[other.page.url]) for one, other in pairs
    )
    return found / len(pairs) if pairs else 0.0


def _median_words(pages: Sequence[CleanedClassPage]) -> int:
    sizes = sorted(len(text.split()) for text in {one.page.text for one in pages})
    return sizes[len(sizes) // 2]
