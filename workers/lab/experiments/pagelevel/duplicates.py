"""`templ experiments pagelevel-duplicates`: table 2 of Chakrabarti et al. (WWW 2007)."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path

import click

from templ_core.fingerprint import simhash
from templ_core.min_hashes import are_near_duplicates, min_hashes
from workers.lab.experiments.corpora.class_pages import (
    CLASS_SET_CLEANERS,
    CleanedClassPage,
    class_set_options,
    clean_class_set,
    describe_class_set,
)
from workers.lab.experiments.results import Report
from workers.lab.options import out_option

_PAPER = {
    "full text": ("30.9 %", "86.5 %"),
    "SITELEVEL": ("42.7 %", "83.2 %"),
    "smooth": ("76 %", "91.6 %"),
}
_NEAR_BITS = 3
"""Most bits in which the fingerprints of near-duplicates differ (Manku, Jain, Das Sarma, WWW 2007)."""
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
    """Measure near-duplicate detection, before and after cleaning, by min-hashes and by fingerprints.

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
        keys = {one.page.url: simhash(one.texts[cleaner]) for one in cleaned}
        shares = []
        for is_near in (partial(_share_hashes, hashes), partial(_have_near_keys, keys)):
            shares += [_share(is_near, same), 1 - _share(is_near, different)]
        rows.append([cleaner, *(f"{one:.1%}" for one in shares), *_PAPER.get(cleaner, ("", ""))])
    header = ["", "duplicates found", "others kept apart"]
    header += ["found by fingerprint", "kept apart by it", "the paper's", "the paper's"]
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


def _share(is_near: Callable[[str, str], bool], pairs: Sequence[_Pair]) -> float:
    """Return the share of pairs that are taken for near-duplicates."""
    found = sum(is_near(one.page.url, other.page.url) for one, other in pairs)
    return found / len(pairs) if pairs else 0.0


def _share_hashes(hashes: dict[str, frozenset[bytes]], one: str, other: str) -> bool:
    return are_near_duplicates(hashes[one], hashes[other])


def _have_near_keys(keys: dict[str, int | None], one: str, other: str) -> bool:
    first, second = keys[one], keys[other]
    if first is None or second is None:
        return False
    return (first ^ second).bit_count() <= _NEAR_BITS


def _median_words(pages: Sequence[CleanedClassPage]) -> int:
    sizes = sorted(len(text.split()) for text in {one.page.text for one in pages})
    return sizes[len(sizes) // 2]
