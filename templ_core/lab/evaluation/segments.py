"""F-measures of the template and the content that were found: text, anchor text and links.

Chakrabarti, Kumar, Punera, *Page-level Template Detection via Isotonic Smoothing*, WWW 2007,
section 6.1, table 1.
"""

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from operator import itemgetter
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.array_types import Bools, Floats, Int64s
from templ_core.dom.document import Document
from templ_core.lab.evaluation.report import Interval, bootstrap, group_by
from templ_core.lab.tree_sums import climb, sums_below
from templ_core.tokens import tokenise


class Overlap(msgspec.Struct, frozen=True, kw_only=True):
    """The overlap of what was found and what is wanted, on one page or summed over pages.

    Amounts are words, characters or links.
    """

    both: float
    """Amount that was found and is wanted."""
    found: float
    wanted: float
    """Amount in the gold."""

    @property
    def precision(self) -> float:
        """Share of what was found that is wanted, 0 to 1; 0 if nothing was found."""
        return self.both / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """Share of what is wanted that was found, 0 to 1; 0 if nothing is wanted."""
        return self.both / self.wanted if self.wanted else 0.0

    @property
    def f(self) -> float | None:
        """Harmonic mean of precision and recall, 0 to 1; None if nothing is wanted."""
        return 2 * self.both / (self.found + self.wanted) if self.wanted else None


def total_overlap(overlaps: Iterable[Overlap]) -> Overlap:
    """Return the sum of some overlaps."""
    both, found, wanted = np.sum([msgspec.structs.astuple(one) for one in overlaps], axis=0)
    return Overlap(both=float(both), found=float(found), wanted=float(wanted))


AMOUNTS = ("text", "anchor_text", "links")
"""What is counted: words, characters inside links without white space, and links."""
Overlaps = dict[str, dict[str, Overlap]]
"""The overlaps `in_templates` and `in_content` with the gold, each by amount."""


def template_f(
    document: Document, words: npt.NDArray[Any], kept: Bools, content: Floats, counts: Bools
) -> Overlaps:
    """Return how well the segments that were kept agree with the gold.

    >>> from templ_core.dom.document import parse_document
    >>> page = parse_document("<ul><li>Home<li>About us</ul><p>A story</p>", "https://a.org/")
    >>> kept, all_scored = np.array([False, True, True]), np.ones(3, np.bool_)
    >>> found = template_f(page, np.array([1, 2, 2]), kept, np.array([0.0, 0.0, 1.0]), all_scored)
    >>> found["in_templates"]["text"]
    Overlap(both=1.0, found=1.0, wanted=3.0)
    >>> found["in_templates"]["text"].f
    0.5

    Args:
        document: The page.
        words: Number of words of each segment; length n_segments, as all columns here.
        kept: Segments that were taken for content; the others were taken for template.
        content: Gold share of each segment that is content, 0 to 1.
        counts: Segments that are scored; the others are neither content nor template.
    """
    segments = document.segments
    amounts = [
        np.where(counts, amount, 0).astype(np.float64)
        for amount in (words, segments.link_chars, segments.links)
    ]
    return {
        place: {
            name: _overlap(amount, found, wanted)
            for name, amount in zip(AMOUNTS, amounts, strict=True)
        }
        for place, found, wanted in (
            ("in_templates", ~kept, 1 - content),
            ("in_content", kept, content),
        )
    }


def _overlap(amount: Floats, found: Bools, wanted: Floats) -> Overlap:
    return Overlap(
        both=float((amount * found * wanted).sum()),
        found=float((amount * found).sum()),
        wanted=float((amount * wanted).sum()),
    )


class FMean(msgspec.Struct, frozen=True, kw_only=True):
    """One f-measure over sites: amounts are summed over the pages of a site, then sites are averaged."""

    sites: int
    """Number of sites whose gold has any of the amount."""
    f: float
    interval: Interval | None
    precision: float
    recall: float
    all_f: float
    """The f that is reached by putting everything into this class."""


FMeans = dict[str, dict[str, FMean]]
"""F-measures `in_templates` and `in_content`, each by amount; amounts without gold are left out."""


def mean_f(pages: Sequence[tuple[str, Overlaps]], seed: int) -> FMeans:
    """Return the f-measures over the sites of some pages."""
    sites = group_by(pages, itemgetter(0))
    means: FMeans = {"in_templates": {}, "in_content": {}}
    for place, other in (("in_templates", "in_content"), ("in_content", "in_templates")):
        for amount in AMOUNTS:
            pairs = [
                (
                    total_overlap(one[place][amount] for _, one in some),
                    total_overlap(one[other][amount] for _, one in some),
                )
                for some in sites.values()
            ]
            scored = [pair for pair in pairs if pair[0].wanted]
            if scored:
                means[place][amount] = _mean(scored, seed)
    return means


def _mean(scored: Sequence[tuple[Overlap, Overlap]], seed: int) -> FMean:
    """Return the mean over sites for the first class of each pair; a pair holds all that is scored."""
    values = [inside.f or 0.0 for inside, _ in scored]
    mean = bootstrap(values, [str(number) for number in range(len(values))], seed)
    count = len(scored)
    whole = [2 * one.wanted / (one.found + other.found + one.wanted) for one, other in scored]
    return FMean(
        sites=count,
        f=mean.of_sites,
        interval=mean.sites_interval,
        precision=sum(inside.precision for inside, _ in scored) / count,
        recall=sum(inside.recall for inside, _ in scored) / count,
        all_f=sum(whole) / count,
    )


Grouping = npt.NDArray[np.integer[Any]]
"""The number of the group that each object belongs to. Only equality of the numbers matters."""


def largest_fragments(document: Document, label: Grouping) -> Int64s:
    """Return the segmentation into the largest elements whose segments all have the same label.

    No such element lies inside another one, as in the fragments that the authors of the paper
    labelled by hand. A segment that stands beside blocks with another label is a fragment of its own.
    Labels are not negative; the columns of labels and groups are of length n_segments.

    >>> from templ_core.dom.document import parse_document
    >>> page = parse_document("<ul><li>Home<li>About</ul><p>A story</p>", "https://example.org/")
    >>> largest_fragments(page, np.array([0, 0, 1])).tolist()
    [2, 2, 5]
    """
    nodes, owner = document.nodes, document.segments.owner
    size = len(nodes.tags)
    inside = sums_below(nodes.end, np.bincount(owner, minlength=size))
    top = np.full(len(owner), -1, np.int64)
    above = np.maximum(nodes.parent, 0)
    for value in np.unique(label):
        alike = sums_below(nodes.end, np.bincount(owner[label == value], minlength=size))
        uniform = (inside > 0) & (np.rint(alike) == np.rint(inside))
        # Each node's topmost ancestor such that all nodes on the way to it are uniform.
        highest = climb(np.where(uniform & uniform[above], above, np.arange(size)))
        top = np.where((label == value) & uniform[owner], highest[owner], top)
    alone = size + np.arange(len(owner))
    return np.where(top >= 0, top, alone)


def block_of_each(segments: Sequence[str], blocks: Sequence[str]) -> Int64s:
    """Return, for each segment, the number of the block that holds most of its words.

    Segments and blocks are the same page in document order, cut at different places. Either side may
    lack words of the other.

    >>> block_of_each(["Home", "About", "The story"], ["Home About", "The story begins"]).tolist()
    [0, 0, 1]

    A segment without a word in any block gets -1.
    """
    words, segment = words_with_places(segments)
    gold_words, block = words_with_places(blocks)
    count = np.zeros((len(segments), len(blocks)), np.int64)
    for run in SequenceMatcher(None, words, gold_words, autojunk=False).get_matching_blocks():
        pairs = (segment[run.a : run.a + run.size], block[run.b : run.b + run.size])
        np.add.at(count, pairs, 1)
    if not len(blocks):
        return np.full(len(segments), -1)
    best = np.argmax(count, axis=1)
    return np.where(count[np.arange(len(segments)), best] > 0, best, -1)


def words_with_places(texts: Sequence[str]) -> tuple[list[str], Int64s]:
    """Return the words of all texts and, for each word, the number of its text."""
    words = [tokenise(text.lower()) for text in texts]
    place = np.repeat(np.arange(len(words)), [len(some) for some in words])
    return [word for some in words for word in some], place
