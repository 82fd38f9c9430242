"""Learning a site's phrases: Foschini's thesis (2007), sections 3.2 and 3.3, applied to blocks of text.

Steps 5 to 7 find the maximal repeats of the pages with their distinct documents, in linear time, after Yamamoto and
Church, Computational Linguistics 27 (2001): a repeat is an interval of the suffix array, and intervals form a tree.
Steps 8 and 9, with equation 3.1, say how many pages a string of the template must be on: the energy cut-off.

Removing idioms such as "at the end of the" is the second filter after the cut-off. The thesis removes all strings
that many sites have, but that proves little: "Leave a reply" is on many sites, too. So idioms are strings in the
content of many sites and in the templates of few. `templ train-idioms` makes the list from pages with gold.
"""

import functools
import itertools
import math
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from importlib import resources
from itertools import groupby
from typing import Self, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt
from scipy.ndimage import maximum_filter1d, minimum_filter1d

from templ_core.array_types import Bools, Int32s, Int64s
from templ_core.errors import CodecError
from templ_core.lab.papers.foschini._maximal_repeats import sweep
from templ_core.lab.papers.foschini.page_tokens import (
    LINE,
    MutablePattern,
    Normaliser,
    TokenCorpus,
    lines_of_segments,
    normaliser_of,
    page_tokens,
    read_corpus,
)
from templ_core.lab.training.pages import GoldRecord, page_labels, read_gold_page
from templ_core.page_level.features.page_features import read_features
from templ_core.site_level.strings.suffix_array import BORDER, BREAK, SuffixArray

TEMPLATE_SHARE = 0.10
"""Share of the pages, 0 to 1, that have a phrase at least."""
TEMPLATE_PAGES_MIN = 2
"""Pages that have a phrase at least, in a site of any size."""
PHRASE_TOKENS_MIN = (8, 3, 1)
"""Fewest tokens of a phrase that has neither, one or both of its ends at the border of a block."""
PHRASE_PAGES_MIN = 3
"""Number of pages that a phrase must be on. In a smaller window it must be on all pages, be short and
be a whole block."""
PHRASE_BLOCK_TOKENS_MAX = 20
"""Tokens of the longest whole block that is a phrase without lying beyond the energy cut-off."""
PHRASE_SET_BYTES = 256 << 10
"""Size of the text of a site's phrases, in UTF-8 with a byte between the keys; those with the least support are left
out first."""


class Phrase(msgspec.Struct, frozen=True, array_like=True):
    """A string of tokens that recurs on a site's pages."""

    keys: tuple[str, ...]
    """Keys of its tokens (`Normaliser.key`); a line feed at either end is the border of a block."""
    pages: int
    """Number of distinct pages that have the string."""


class PhraseSet(msgspec.Struct, frozen=True, kw_only=True):
    """The strings that recur on the pages of a site."""

    pages: int
    """Number of distinct pages that the phrases were learned from."""
    phrases: tuple[Phrase, ...]
    """The phrases on most pages first, then the longest, then by keys."""
    markup: bool = False
    """Whether the phrases were learned on markup as it is, and apply to that only."""
    patterns: tuple[MutablePattern, ...] = ()
    """Mutable patterns beyond those that come with the package."""


IDIOMS_FORMAT = 1
SHIPPED_IDIOMS = "idioms.json"
TokenKeys: TypeAlias = tuple[str, ...]
"""Keys of a string's tokens (`Normaliser.key`); a line feed at either end is the border of a block."""


class _IdiomsFile(msgspec.Struct, frozen=True, kw_only=True):
    format: int
    sites: int
    """Number of sites that were searched for idioms."""
    sites_min: int
    """Number of sites whose content has each idiom, at least."""
    idioms: list[str]
    """Keys of each idiom with a blank between them."""


class PhraseAutomaton:
    """Finds where any of many strings of keys occur, overlapping ones included (Aho, Corasick, CACM 1975).

    A state keeps the length of the longest string that ends there, its own or that of a suffix: shorter
    ones add nothing to the union of all occurrences.
    """

    def __init__(self, strings: Iterable[TokenKeys]) -> None:
        """Read the strings, none of them empty."""
        self._steps: list[dict[str, int]] = [{}]
        self._longest = [0]
        for keys in strings:
            state = 0
            for key in keys:
                state = self._steps[state].setdefault(key, len(self._steps))
                if state == len(self._steps):
                    self._steps.append({})
                    self._longest.append(0)
            self._longest[state] = len(keys)
        self._suffix = [0] * len(self._steps)
        todo = deque(self._steps[0].values())
        while todo:
            state = todo.popleft()
            for key, following in self._steps[state].items():
                suffix = self._suffix[following] = self._step(self._suffix[state], key)
                self._longest[following] = self._longest[following] or self._longest[suffix]
                todo.append(following)

    def _step(self, state: int, key: str) -> int:
        while state and key not in self._steps[state]:
            state = self._suffix[state]
        return self._steps[state].get(key, 0)

    def lengths(self, keys: Iterable[str]) -> list[int]:
        """Return the length of the longest occurrence that ends at each key; 0 = none."""
        states = itertools.accumulate(keys, self._step, initial=0)
        return [self._longest[state] for state in states][1:]

    def covers(self, keys: Sequence[str]) -> bool:
        """Return whether occurrences, overlapping or adjacent, cover all keys.

        >>> idioms = PhraseAutomaton([("at", "the", "end"), ("the", "end", "of", "the")])
        >>> idioms.covers(("at", "the", "end", "of", "the"))
        True
        >>> idioms.covers(("at", "the", "end", "of", "May"))
        False
        """
        left = 1
        for length in reversed(self.lengths(keys)):
            left = max(left - 1, length)
            if not left:
                return False
        return True


@functools.cache
def shipped_idioms() -> PhraseAutomaton:
    """Return the idioms that come with the package; they are read once."""
    body = resources.files(__package__).joinpath(SHIPPED_IDIOMS).read_bytes()
    return PhraseAutomaton(decode_idioms(body))


def encode_idioms(strings: Iterable[TokenKeys], *, sites: int, sites_min: int) -> bytes:
    """Return the file of a list of idioms, with a line for each."""
    file = _IdiomsFile(
        format=IDIOMS_FORMAT,
        sites=sites,
        sites_min=sites_min,
        idioms=sorted(" ".join(keys) for keys in strings),
    )
    return msgspec.json.format(msgspec.json.encode(file), indent=1) + b"\n"


def decode_idioms(body: bytes) -> list[TokenKeys]:
    """Return the idioms of a file.

    Raises:
        CodecError: The bytes are no list of idioms, or one of another format.
    """
    try:
        file = msgspec.json.decode(body, type=_IdiomsFile)
    except msgspec.DecodeError as error:
        raise CodecError(f"not a list of idioms: {error}") from None
    if file.format != IDIOMS_FORMAT:
        raise CodecError(f"idioms of format {file.format}, known is {IDIOMS_FORMAT}")
    return [tuple(text.split(" ")) for text in file.idioms]


BINS = 100
"""Bins of the histogram: hundredths of the pages, as in the thesis."""


def document_histogram(documents: Int32s, pages: int) -> Int64s:
    """Return the number of strings by the share of pages that have them, in 100 bins.

    Bin i holds the strings on i to i + 1 hundredths of the pages; the last one those on all of
    them. With fewer than 100 pages, a string on d pages stands in bin floor(100 d / pages), and the
    bins between stay empty: distances between bins are shares of pages at any size.

    >>> document_histogram(np.array([1, 1, 4], np.int32), pages=4).nonzero()[0].tolist()
    [25, 99]

    Args:
        documents: Number of distinct documents with each string, 0 to `pages`.
        pages: Number of pages that were looked at; at least 1.
    """
    bins = np.minimum(documents.astype(np.int64) * BINS // pages, BINS - 1)
    return np.bincount(bins, minlength=BINS)


def energy_cutoff(histogram: Int64s) -> int:
    """Return the bin b in 1 .. n_bins - 1 that minimises equation 3.1, the lowest of equals.

    E(b) = sum_{i < b} (i - x)^2 h_i + sum_{i >= b} (i - y)^2 h_i with b = (x + y) / 2. For a given
    b, y = 2 b - x makes E a parabola in x, whose minimum is taken.

    >>> energy_cutoff(np.array([900, 80, 10, 0, 0, 0, 0, 5, 20, 40]))
    4
    """
    bins = np.arange(len(histogram), dtype=np.float64)
    weights = histogram.astype(np.float64)
    edges = bins[1:, None]
    mirrored = np.where(bins < edges, bins, 2 * edges - bins)
    centers = mirrored @ weights / max(weights.sum(), 1.0)
    energies = (mirrored - centers[:, None]) ** 2 @ weights
    best, cutoff = np.inf, 1
    for edge, energy in enumerate(energies.tolist(), 1):
        if energy < best - 1e-9:
            best, cutoff = energy, edge
    return cutoff


MaximalRepeats: TypeAlias = tuple[Int32s, Int32s, Int32s]
"""Strings of tokens that cannot be made longer without losing an occurrence: the position of one occurrence in the
corpus, the number of tokens, borders included, and the number of distinct documents of each."""


def find_repeats(
    suffixes: SuffixArray,
    document_of: npt.NDArray[np.unsignedinteger],
    *,
    documents_min: int = 2,
    tokens_min: int = 1,
) -> MaximalRepeats:
    """Return the maximal repeats of a corpus, in lexicographic order of their intervals' ends.

    >>> tokens = np.array([2, 3, 4, BREAK, 5, 2, 3, BREAK], np.uint16)
    >>> repeats = find_repeats(SuffixArray(tokens), np.array([0, 0, 0, 0, 1, 1, 1, 1], np.uint16))
    >>> [tokens[start : start + length].tolist() for start, length, _ in zip(*repeats)]
    [[2, 3]]

    Args:
        suffixes: The suffixes of the corpus.
        document_of: Number of each position's document; length n_tokens.
        documents_min: Strings in fewer documents are left out; at least 2.
        tokens_min: Strings of fewer tokens are left out; at least 1.
    """
    common = np.where(suffixes.common < tokens_min, np.int32(0), suffixes.common)
    common = opened(common, documents_min - 1)
    documents = document_of[suffixes.starts].astype(np.int32)
    first, lengths, counts = sweep(
        common, documents, _changes(suffixes), int(documents.max(initial=-1)) + 1, documents_min
    )
    return suffixes.starts[first], lengths, counts


def opened(values: Int32s, width: int) -> Int32s:
    """Return `values`, each 0 or more, without peaks narrower than `width`.

    That is their morphological opening: the largest minimum of any `width` neighbours around each
    value. Of common prefixes it leaves those of at least `width` + 1 suffixes.

    >>> opened(np.array([0, 5, 0, 2, 3, 2], np.int32), 2).tolist()
    [0, 0, 0, 2, 2, 2]
    """
    if width <= 1 or not len(values):
        return values
    lowest = minimum_filter1d(values, width, mode="constant", origin=-(width // 2))
    largest: Int32s = maximum_filter1d(lowest, width, mode="constant", origin=(width - 1) // 2)
    return largest


def _changes(suffixes: SuffixArray) -> Bools:
    """Return whether each rank's string starts at a border or follows another token than the rank before.

    The strings of an interval cannot be made longer to the left if that is so for any rank but its first.
    """
    starts, tokens = suffixes.starts, suffixes.tokens
    before = np.where(starts > 0, tokens[starts - 1], BREAK)
    changes = np.zeros(len(starts), np.bool_)
    changes[1:] = (before[1:] != before[:-1]) | (before[1:] == BREAK)
    changes |= tokens[starts] == BORDER
    return changes


STRING_TOKENS_MIN = 2
"""Tokens and borders of the shortest string that is counted (section 3.2, step 7)."""


def learn_phrases(
    pages: Sequence[str],
    *,
    markup: bool = False,
    patterns: Sequence[MutablePattern] = (),
    idioms: PhraseAutomaton | None = None,
    set_bytes: int = PHRASE_SET_BYTES,
) -> PhraseSet:
    r"""Return the phrases of some pages of one site.

    >>> pages = [
    ...     f"Home News\nOur {dish} is ready.\nAll rights reserved"
    ...     for dish in ("tea", "pie", "ham")
    ... ]
    >>> for phrase in learn_phrases(pages).phrases:
    ...     print(phrase.pages, phrase.keys)
    3 ('\n', 'All', 'rights', 'reserved', '\n')
    3 ('\n', 'Home', 'News', '\n')

    Args:
        pages: Distinct pages, none a near-duplicate of another: text with a line for each block, or
            markup as it is.
        markup: Whether the pages are markup.
        patterns: Mutable patterns beyond those that come with the package.
        idioms: Strings that are content though they recur; None for the list of the package.
        set_bytes: Most bytes of all phrases.

    Raises:
        re.error: One of `patterns` is no regular expression.
    """
    normaliser = normaliser_of(tuple(patterns))
    corpus, repeats = _recurring(pages, normaliser, markup=markup)
    cutoff = energy_cutoff(document_histogram(repeats[2], max(1, len(pages))))
    idioms = shipped_idioms() if idioms is None else idioms
    cutoff_pages = math.ceil(cutoff * len(pages) / BINS)
    phrases = [
        phrase
        for phrase in _strings(repeats, corpus, cutoff_pages)
        if any(normaliser.has_meaning(key) for key in phrase.keys if key != LINE)
        and not idioms.covers(phrase.keys)
    ]
    phrases.sort(key=lambda phrase: (-phrase.pages, -len(phrase.keys), phrase.keys))
    sizes = itertools.accumulate(sum(len(key.encode()) + 1 for key in one.keys) for one in phrases)
    kept = sum(size <= set_bytes for size in sizes)
    return PhraseSet(
        pages=len(pages), phrases=tuple(phrases[:kept]), markup=markup, patterns=tuple(patterns)
    )


def _recurring(
    pages: Sequence[str], normaliser: Normaliser, *, markup: bool
) -> tuple[TokenCorpus, MaximalRepeats]:
    """Return the tokens of some pages, and the strings that enough of the pages have."""
    pages_min = max(
        TEMPLATE_PAGES_MIN,
        min(PHRASE_PAGES_MIN, len(pages)),
        math.ceil(TEMPLATE_SHARE * len(pages)),
    )
    corpus = read_corpus(pages, normaliser, occurrences_min=pages_min, markup=markup)
    repeats = find_repeats(
        SuffixArray(corpus.tokens),
        corpus.document_of,
        documents_min=pages_min,
        tokens_min=STRING_TOKENS_MIN,
    )
    return corpus, repeats


def _strings(repeats: MaximalRepeats, corpus: TokenCorpus, cutoff_pages: int) -> Iterator[Phrase]:
    """Yield the strings that have enough tokens, and are on enough pages, to be of the template.

    A whole block of few tokens is. A part of a block must be on as many pages as the cut-off asks, and
    so must a long block: an article's paragraph recurs where the article is fetched again or begins a
    listing. The more of a string's ends are borders, the shorter it may be.
    """
    borders_before = np.append(0, np.cumsum(corpus.tokens == BORDER))
    starts, lengths, documents = repeats
    borders = borders_before[starts + lengths] - borders_before[starts]
    words = lengths - borders
    is_short_block = (borders == 2) & (words <= PHRASE_BLOCK_TOKENS_MAX)
    is_frequent = documents >= max(cutoff_pages, PHRASE_PAGES_MIN)
    is_long = words >= np.array(PHRASE_TOKENS_MIN)[borders]
    wanted = is_long & (is_short_block | is_frequent)
    for index in np.flatnonzero(wanted).tolist():
        numbers = corpus.tokens[starts[index] :][: lengths[index]].tolist()
        keys = tuple(corpus.keys[number] for number in numbers)
        yield Phrase(keys, int(documents[index]))


_TOKENS_MIN = (4, 3, 1)
"""Least tokens of an idiom that touches no border of a block, one border, or two borders."""
_TEMPLATE_SHARE_MAX = 0.2
"""Most sites in whose template an idiom is, relative to those in whose content it is."""
_CONTENT_MIN, _CONTENT_MAX = 0.5, 0.1
"""A segment is content above the first share of gold words, template up to the second share."""


class SplitText(msgspec.Struct, frozen=True, kw_only=True):
    """The content and the template of a page or of a site; each block is one line."""

    content: str
    template: str

    @classmethod
    def joined(cls, pages: Sequence["SplitText"]) -> Self:
        """Return the texts of a site's pages as one."""
        return cls(
            content=LINE.join(page.content for page in pages if page.content),
            template=LINE.join(page.template for page in pages if page.template),
        )


def split_text(page: GoldRecord) -> SplitText | None:
    """Return the content and the template of a page with gold, or None if it cannot be cleaned.

    Segments that are partly content, or neither content nor template, are left out.
    """
    read = read_gold_page(page)
    if read is None:
        return None
    markup, document = read
    labels = page_labels(page, document, markup, read_features(document).text)
    lines = lines_of_segments(document)
    is_content = labels.content > _CONTENT_MIN
    is_template = (labels.content <= _CONTENT_MAX) & labels.counts
    return SplitText(
        content=LINE.join(line for line, stays in zip(lines, is_content, strict=True) if stays),
        template=LINE.join(line for line, goes in zip(lines, is_template, strict=True) if goes),
    )


def find_idioms(sites: Sequence[SplitText], *, sites_min: int = 8) -> list[TokenKeys]:
    """Return the idioms of some sites, the shortest first.

    They are in the content of `sites_min` sites, and in the template of at most a fifth as many.

    Strings that shorter idioms cover completely are left out.
    """
    candidates = _recurring_strings(sites, sites_min)
    in_templates = _sites_with(candidates, [site.template for site in sites])
    return _shortest(
        keys
        for keys, count in candidates.items()
        if in_templates[keys] <= _TEMPLATE_SHARE_MAX * count
    )


def _recurring_strings(sites: Sequence[SplitText], sites_min: int) -> dict[TokenKeys, int]:
    """Return the strings inside blocks that enough sites have in their content, with those counts."""
    normaliser = Normaliser()
    corpus = read_corpus(
        [site.content for site in sites], normaliser, occurrences_min=sites_min, markup=False
    )
    repeats = find_repeats(
        SuffixArray(corpus.tokens), corpus.document_of, documents_min=sites_min, tokens_min=2
    )
    site_counts: dict[TokenKeys, int] = {}
    for start, length, count in zip(*(column.tolist() for column in repeats), strict=True):
        keys = tuple(corpus.keys[number] for number in corpus.tokens[start : start + length])
        words = [key for key in keys if key != LINE]
        if (
            LINE not in keys[1:-1]
            and len(words) >= _TOKENS_MIN[len(keys) - len(words)]
            and any(map(normaliser.has_meaning, words))
        ):
            site_counts[keys] = count
    return site_counts


def _sites_with(candidates: dict[TokenKeys, int], texts: Sequence[str]) -> Counter[TokenKeys]:
    key = Normaliser().key
    lengths = sorted({len(keys) for keys in candidates})
    count: Counter[TokenKeys] = Counter()
    for text in texts:
        keys = tuple(token if token == LINE else key(token) for token in page_tokens(text))
        runs = {
            keys[at : at + length] for length in lengths for at in range(len(keys) - length + 1)
        }
        count.update(candidates.keys() & runs)
    return count


def _shortest(strings: Iterator[TokenKeys]) -> list[TokenKeys]:
    """Return the strings that shorter ones do not make up."""
    kept: list[TokenKeys] = []
    for _, some in groupby(sorted(strings, key=lambda keys: (len(keys), keys)), len):
        shorter = PhraseAutomaton(kept)
        kept += [keys for keys in some if not shorter.covers(keys)]
    return kept
