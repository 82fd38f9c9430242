"""What the strings of a site say about a page, read slowly and obviously: the twin of `read_page`."""

from collections import Counter
from itertools import groupby

import numpy as np

from templ_core.site_level.strings.string_evidence import FIRST_SHAPE

NUMBER = 2


def slow_page(features, prose, table, config):
    """The columns of `read_page`, as lists."""
    owners = features.words.segment.tolist()
    lengths = [max(one, 1) for one in features.words.per_segment.tolist()]
    shapes = table.segment_tokens(features.shape).tolist()
    segments = range(len(lengths))
    covers = [covered(one, prose.tokens, owners, features, config) for one in table.word_finders]
    counts = [
        [sum(o == one for o, c in zip(owners, cover, strict=True) if c) for one in segments]
        for cover in covers
    ]
    few, some, many = ([n / of for n, of in zip(one, lengths, strict=True)] for one in counts)
    runs = runs_of(some, config)
    columns = [few, run_words(counts[0], few, config), some, run_words(counts[1], some, config)]
    beside = [0.0] * len(lengths)
    series = [
        all(many[one] < config.repeated_ratio and shapes[one] < FIRST_SHAPE for one in run)
        for run in runs
    ]
    for run, is_series in zip(runs, series, strict=True):
        before = table.alike[0, shapes[run[0]] - FIRST_SHAPE] if shapes[run[0]] else 0
        behind = table.alike[1, shapes[run[-1]] - FIRST_SHAPE] if shapes[run[-1]] else 0
        for number in run:
            beside[number] = 1.0 if is_series and sum(series) > 1 else max(before, behind) / 255
    columns.append(beside)
    columns.append(listed(prose.tokens, owners, lengths, prose.is_prose, config))
    return longest_around(table, shapes, lengths), columns, covers[1]


def covered(finder, tokens, owners, features, config):
    """Whether each word is in a match, or in a short gap between two words of its segment that are."""
    firsts, behinds = finder.matches(tokens, config.words_min, features.words.segment)
    inside = {at for match in zip(firsts, behinds, strict=True) for at in range(*match)}
    for before, after in zip(sorted(inside), sorted(inside)[1:], strict=False):
        if owners[before] == owners[after] and after - before - 1 <= config.gap_words_max:
            inside |= set(range(before, after))
    return [at in inside for at in range(len(owners))]


def runs_of(share, config):
    """The segments of each run of repeated ones."""
    groups = groupby(range(len(share)), lambda one: share[one] >= config.repeated_ratio)
    return [list(group) for is_repeated, group in groups if is_repeated]


def run_words(counts, share, config):
    words = list(counts)
    for run in runs_of(share, config):
        for number in run:
            words[number] = sum(counts[at] for at in run)
    return words


def longest_around(table, shapes, lengths):
    """Words of the longest string of whole segments around each segment."""
    firsts, behinds = table.usual_finder.matches(np.array(shapes, np.uint16), 1)
    return [
        max(
            (sum(lengths[s:e]) for s, e in zip(firsts, behinds, strict=True) if s <= at < e),
            default=0,
        )
        for at in range(len(shapes))
    ]


def listed(tokens, owners, lengths, is_prose, config):
    """Share of each segment's runs of words that the page has more than once."""
    keys = []
    for segment in range(len(lengths)):
        own = tokens[[at for at, own in enumerate(owners) if own == segment and is_prose[own]]]
        keys.append(sampled_runs(own.tolist(), config.words_min, config.runs_per_seed))
    times = Counter(key for one in keys for key in one)
    return [sum(times[key] > 1 for key in one) / max(len(one), 1) for one in keys]


def sampled_runs(tokens, size, every):
    """Keys of the sampled runs of a text, by their hashes (SplitMix64)."""
    runs = []
    for start in range(len(tokens) - size + 1):
        run = tokens[start : start + size]
        value = 0
        for token in run:
            value = (value * 0x9E3779B97F4A7C15 + token) % 2**64
        value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        value = (value ^ value >> 27) * 0x94D049BB133111EB % 2**64
        value ^= value >> 31
        if value % every == 0 and run.count(NUMBER) <= 1:
            runs.append(value % 2**32)
    return runs
