"""A slow twin of `templ_core.page_level.features`, which computes each column by itself."""

import functools

import msgspec
import numpy as np

from templ_core import letters as chars
from templ_core.dom._tree import sums_above
from templ_core.dom.parse.declared_body import INSIDE_BODY
from templ_core.lab.tree_sums import climb, sums_below
from templ_core.page_level.config import FEATURE_CONFIG
from templ_core.page_level.features.characters import Characters, Words, mix
from templ_core.page_level.features.page_features import OWNER_TAGS, SEMANTIC_TAGS
from templ_core.page_level.features.surroundings import HEADING, read_surroundings
from templ_core.page_level.page_tree import LEVELS, PageTree
from templ_core.page_level.smoothing import smooth_text


def feature_columns(document):
    """Return the features of a page by name, and its path groups."""
    characters = read_characters(document.segments.texts)
    words = read_words(characters)
    w = np.maximum(words.per_segment, 1).astype(np.float64)
    tree = read_tree(document, w)
    links, ends = link_density(document, characters), sentence_ends(characters).astype(np.float64)
    nodes, owner = document.nodes, document.segments.owner
    group = path_groups(nodes, list(zip(nodes.tags, nodes.attributes, strict=True)), owner)
    text = text_hashes(words)
    good = (w >= 10) & (links < 0.35) & ((ends > 0) | (w >= 25))
    columns = {
        **text_columns(characters, words),
        **link_columns(document, characters),
        **owner_columns(document, tree),
        **group_columns(group, w, links, ends, "path"),
        **group_columns(path_groups(nodes, nodes.tags, owner), w, links, ends, "tags"),
        **copy_columns(text),
        **main_columns(tree, good, (w >= 20) & (links < 0.4)),
        **nearest_tags(document),
        **declared_columns(document, words),
    }
    return columns, group


def declared_columns(document, words):
    """Return the features of the declared body and of the title by name."""
    declared, per_segment = document.segments.declared, words.per_segment
    title = read_words(read_characters([document.title or "-"])).hashes[:64]
    matches = np.array(
        [np.isin(words.hashes[words.segment == one], title).sum() for one in range(len(declared))]
    )
    share = matches / np.maximum(np.maximum(per_segment, len(set(title.tolist()))), 1)
    is_like = (share >= FEATURE_CONFIG.headline_title_ratio_min) & (matches > 0)
    is_like &= per_segment <= FEATURE_CONFIG.headline_words_max
    is_heading = read_surroundings(document) & HEADING != 0
    likeness = np.where(is_like, share + is_heading, 0)
    before = np.cumsum(per_segment) - per_segment
    distance = before - before[np.argmax(likeness)] if is_like.any() else np.zeros(len(declared))
    return {
        "declared: inside": np.array([0, -1, 1, 0])[declared],
        "declared: body_share": np.full(
            len(declared), per_segment[declared == INSIDE_BODY].sum() / max(per_segment.sum(), 1)
        ),
        "declared: title_share": matches / np.maximum(per_segment, 1),
        "declared: from_headline": np.sign(distance) * np.log1p(np.abs(distance)),
    }


def link_density(document, characters):
    """Return the share of each segment's characters that is link text, without white space."""
    blanks = characters.count(characters.has(chars.SPACE)) - 1  # without the line feed at the end
    solid = characters.lengths - blanks
    return np.minimum(document.segments.link_chars / np.maximum(solid, 1), 1.0)


def sentence_ends(characters):
    """Return the number of sentence ends of each segment."""
    mark, after = characters.has(chars.SENTENCE_END), characters.has(chars.SPACE | chars.CLOSER)
    ends = mark.copy()
    ends[:-1] &= after[1:] | (characters.lower[:-1] > 0x2FFF)
    return characters.count(ends)


def text_columns(characters, words):
    """Return the features of each segment's characters and words by name."""
    w = np.maximum(words.per_segment, 1).astype(np.float64)
    size = characters.lengths.astype(np.float64)
    ends = sentence_ends(characters)
    commas = characters.count(characters.has(chars.COMMA))
    separators = characters.count(characters.has(chars.SEPARATOR))
    classes, starts = characters.classes, characters.starts
    last = starts + characters.lengths - 1
    closed = (classes[last] & chars.CLOSER) != 0
    final = np.maximum(last - closed, starts)
    upper = (classes[words.first] & chars.UPPER) != 0
    ends_sentence = (classes[final] & chars.SENTENCE_END) != 0
    return {
        "log_words": np.log1p(w),
        "log_characters": np.log1p(size),
        "word_length": np.bincount(words.segment, words.length, len(w)) / w,
        "sentence_ends": np.minimum(ends, 20),
        "words_per_sentence_end": np.minimum(w / np.maximum(ends, 0.5), 60),
        "commas": np.minimum(commas, 20),
        "commas_per_word": commas / w,
        "separators": np.minimum(separators, 10),
        "separators_per_word": separators / w,
        "digits_per_character": characters.count(characters.has(chars.DIGIT)) / size,
        "date_or_year": _has_date(characters, words),
        "upper_case_words": np.bincount(words.segment, upper, len(w)) / w,
        "ends_a_sentence": ends_sentence,
        "ends_with_a_colon": (classes[last] & chars.COLON) != 0,
        "starts_upper_case": (classes[starts] & chars.UPPER) != 0,
        "different_words": _different_words(words) / w,
        "copyright": np.minimum(characters.count(characters.has(chars.COPYRIGHT)), 1),
        "ellipses": np.minimum(_ellipses(characters), 3),
    }


def link_columns(document, characters):
    """Return the features of each segment's links by name."""
    segments = document.segments
    links = np.maximum(segments.links, 1)
    return {
        "link_density": link_density(document, characters),
        "links": np.minimum(segments.links, FEATURE_CONFIG.links_max),
        "external_links": np.minimum(segments.external_links, FEATURE_CONFIG.links_max),
        "links_on_the_page": np.minimum(segments.page_links, FEATURE_CONFIG.links_max),
        "external_share": segments.external_links / links,
    }


def owner_columns(document, tree):
    """Return the features of each segment's owner by name."""
    nodes, owner = document.nodes, document.segments.owner
    hidden = sums_above(nodes.end, nodes.hidden.astype(np.float64)) > 0.5
    tags = np.array(nodes.tags)[owner]
    return {
        "depth": nodes.depth[owner],
        "compressed_depth": tree.compressed_depth[owner],
        "hidden": hidden[owner],
        "images": np.minimum(nodes.images[owner], 5),
        **{f"in {tag}": tags == tag for tag in OWNER_TAGS},
    }


def _has_date(characters, words):
    """Return whether each segment has a year from 1900 to 2099, or digits around a mark as in 3.10."""
    digit, mark = characters.has(chars.DIGIT), characters.has(chars.DATE_MARK)
    around = np.zeros(len(digit), np.bool_)
    around[1:-1] = digit[:-2] & mark[1:-1] & digit[2:]
    for first in words.first[words.length == 4].tolist():
        century = "".join(map(chr, characters.lower[first : first + 2]))
        around[first] |= digit[first : first + 4].all() and century in {"19", "20"}
    return characters.count(around) > 0


def _different_words(words):
    hashes = [words.hashes[words.segment == one] for one in range(len(words.per_segment))]
    return np.array([len(np.unique(some)) for some in hashes])


def _ellipses(characters):
    dot = characters.has(chars.DOT)
    three = np.zeros(len(dot), np.bool_)
    three[:-2] = dot[:-2] & dot[1:-1] & dot[2:]
    return characters.count(three | (characters.lower == ord("…")))


def nearest_tags(document):
    """Return the distances to the nearest semantic tags by name, and whether those of content are around."""
    nodes, owner = document.nodes, document.segments.owner
    columns = {
        f"up to {tag}": np.full(len(owner), FEATURE_CONFIG.no_such_tag_levels)
        for tag in SEMANTIC_TAGS
    }
    for segment, node in enumerate(owner.tolist()):
        seen, levels = set(), 0
        while node >= 0:
            tag = nodes.tags[node]
            if tag in SEMANTIC_TAGS and tag not in seen:
                columns[f"up to {tag}"][segment] = min(levels, FEATURE_CONFIG.tag_levels_max)
            seen.add(tag)
            node, levels = int(nodes.parent[node]), levels + 1  # noqa: PLW2901
    for tag in ("main", "article"):
        inside = columns[f"up to {tag}"] < FEATURE_CONFIG.no_such_tag_levels
        columns[f"inside {tag}"] = np.where(tag in nodes.tags, inside, -1)
    return columns


def path_groups(nodes, names, owner):
    """Return the number of each segment's group of owners with equal names on their paths; length n_segments."""
    paths, numbers = [], {}
    for name, parent in zip(names, nodes.parent.tolist(), strict=True):
        paths.append((*paths[parent], name) if parent >= 0 else (name,))
    return np.array([numbers.setdefault(paths[one], len(numbers)) for one in owner.tolist()])


def group_columns(group, words, links, ends, name):
    """Return the features of each segment's group by name."""
    size = np.bincount(group)
    total = np.bincount(group, words)
    squares = np.bincount(group, words * words)
    mean = total / size
    deviation = np.sqrt(np.maximum(squares / size - mean * mean, 0))
    columns = {
        "number": np.log1p(size),
        "share": total / words.sum(),
        "link_density": np.bincount(group, links * words) / total,
        "log_mean_words": np.log1p(mean),
        "sentence_ends": np.bincount(group, ends) / total,
        "log_deviation": np.log1p(deviation),
    }
    return {f"{name}: {key}": column[group] for key, column in columns.items()}


def copy_columns(text):
    """Return how often each text stands on the page, and whether it has occurred before."""
    _, first, group, count = np.unique(
        text, return_index=True, return_inverse=True, return_counts=True
    )
    return {
        "copies": np.minimum(count[group], 10),
        "later_copy": np.arange(len(text)) != first[group],
    }


def main_columns(tree, good, long):
    """Return the positions relative to the nodes that hold most of the good text, by name."""
    columns = {}
    number = np.arange(len(good))
    mass = np.where(good, tree.words, 0.0)
    nodes = np.arange(len(tree.up))
    inside = tree.sums(mass, nodes)
    for share in FEATURE_CONFIG.main_shares:
        enough = np.flatnonzero(inside >= share * mass.sum())
        main = int(enough[np.argmax(tree.compressed_depth[enough])])
        columns.update(position_columns(tree, main, f"main {share}: "))
        part = tree.sums(tree.words, np.array([main]))[0] / tree.words.sum()
        columns[f"main {share}: share"] = np.full(len(number), part)
    first, last = np.flatnonzero(long)[[0, -1]] if long.any() else (0, len(long))
    columns["among long"] = (number >= first) * 1 + (number > last)
    return columns


def position_columns(tree, node, name):
    """Return the position of each segment relative to a node, by name.

    Inside it or not, compressed levels from it up to the one that brings the segment in, and before
    (-1), inside (0) or after it (1).
    """
    number = np.arange(len(tree.owner))
    before, after = number < tree.first[node], number >= tree.last[node]
    levels = np.zeros(len(number))
    at, level = node, 0
    while tree.up[at] != at:
        below, at, level = at, int(tree.up[at]), level + 1
        is_here = (number >= tree.first[at]) & (number < tree.last[at])
        levels[is_here & ((number < tree.first[below]) | (number >= tree.last[below]))] = level
    return {
        f"{name}inside": ~(before | after),
        f"{name}levels": levels,
        f"{name}side": after * 1 - before * 1,
    }


def read_tree(document, words):
    """Return the tree of a page with at least one segment."""
    nodes, segments = document.nodes, document.segments
    n_nodes = len(nodes.tags)
    own = np.bincount(segments.owner, minlength=n_nodes)
    count = np.rint(sums_below(nodes.end, own)).astype(np.int64)
    first = np.searchsorted(segments.inline_to, np.arange(n_nodes), side="right")
    parent = np.maximum(nodes.parent, 0).astype(np.int64)
    top = climb(np.where(count[parent] == count, parent, np.arange(n_nodes)))
    up = parent[top]
    starts_range = count[parent] != count
    inside = sums_below(nodes.end, np.bincount(segments.owner, words, n_nodes))
    is_small = inside < FEATURE_CONFIG.top_share * words.sum()
    highest = climb(np.where(is_small[parent], parent, np.arange(n_nodes)))
    return PageTree(
        first=first,
        last=first + count,
        up=up,
        above=_above(segments.owner, count, top, up, highest),
        compressed_depth=np.rint(sums_above(nodes.end, starts_range)).astype(np.int64),
        owner=segments.owner,
        words=words,
    )


def _above(owner, count, top, up, highest):
    level = np.where(count[owner] > 1, top[owner], up[owner])
    levels = [level]
    for _ in range(LEVELS - 1):
        levels.append(up[levels[-1]])
    return np.stack([*levels, highest[owner]])


WINDOWS = (4, 10, 25)
NEIGHBOURS = {"one": 1, "two": 2, "three": 3}
_LEVEL_NAMES = ("l1", "l2", "l3", "l4", "l5", "t")


def context_columns(tree, group, attribute, text):
    """Return the contexts of the two scores by name; each of length n_segments."""
    log_odds = FEATURE_CONFIG.score_weight * (attribute + text)
    p0 = first_guess(attribute, text)
    return {
        "attribute_score": attribute,
        "text_score": text,
        **_page_columns(tree, log_odds, p0),
        **_mean_columns(tree, group, p0),
        **_order_columns(tree, p0),
        **_mass_columns(tree, p0),
        **_raw_columns(tree, group, attribute, "attribute"),
        **_raw_columns(tree, group, text, "text"),
        **_smoothed_columns(tree, p0),
    }


def expected_f1_curve(content_probability, words, recall_share):
    """Return the segments from the surest on, and the expected F1 of keeping them up to each."""
    order = np.argsort(-content_probability, kind="stable")
    mass = content_probability * words
    kept_mass = np.cumsum(mass[order])
    return order, 2 * kept_mass / (np.cumsum(words[order]) + recall_share * mass.sum() + 1e-9)


def first_guess(attribute, text):
    """Return the first guess of each segment, 0 to 1."""
    return 1 / (1 + np.exp(-FEATURE_CONFIG.score_weight * (attribute + text)))


def _page_columns(tree, log_odds, p0):
    """Return the columns of the page as a whole: where the first guess would cut it."""
    order, expected = expected_f1_curve(p0, tree.words, FEATURE_CONFIG.guess_recall_share)
    best = int(np.argmax(expected))
    cut = float(p0[order[best]])
    size = len(p0)
    rank = np.empty(size)
    rank[order] = np.arange(size) / size
    edge = min(max(cut, 1e-6), 1 - 1e-6)
    return {
        "first_guess": p0,
        "over_the_cut": log_odds - np.log(edge / (1 - edge)),
        "expected_f1": np.full(size, expected[best]),
        "cut": np.full(size, cut),
        "page_mean": np.full(size, np.average(p0, weights=tree.words)),
        "rank": rank,
    }


def _mean_columns(tree, group, p0):
    """Return mean first guesses of the same path and inside the compressed ancestors."""
    mass, ones = p0 * tree.words, np.ones(len(p0))
    weighted = tree.sums(mass, tree.above) / tree.sums(tree.words, tree.above)
    plain = tree.sums(p0, tree.above[1:4]) / tree.sums(ones, tree.above[1:4])
    return {
        "path_mean": group_means(group, p0, tree.words),
        **{f"{name}_mean": row for name, row in zip(_LEVEL_NAMES, weighted, strict=True)},
        "plain_path_mean": group_means(group, p0, ones),
        **{f"plain_{name}_mean": row for name, row in zip(_LEVEL_NAMES[1:4], plain, strict=True)},
    }


def group_means(group, values, weights):
    """Return the weighted mean of each segment's group; length n_segments."""
    means = np.bincount(group, values * weights) / np.bincount(group, weights)
    return means[group]


def _order_columns(tree, p0):
    """Return first guesses before and after, one by one and in windows; 0 beyond the page."""
    size, mass = len(p0), p0 * tree.words
    padded = np.pad(p0, 3)
    columns = {}
    for name, step in NEIGHBOURS.items():
        columns[f"{name}_before"] = padded[3 - step :][:size]
        columns[f"{name}_after"] = padded[3 + step :][:size]
    for window in WINDOWS:
        before = [slice(max(one - window, 0), one) for one in range(size)]
        after = [slice(one + 1, one + 1 + window) for one in range(size)]
        for name, parts in (("before", before), ("after", after)):
            columns[f"window_{window}_{name}"] = np.array(
                [mass[part].sum() / max(tree.words[part].sum(), 1.0) for part in parts]
            )
    columns["mass_before"] = (np.cumsum(mass) - mass) / mass.sum()
    columns["mass_after"] = 1 - np.cumsum(mass) / mass.sum()
    return columns


def _mass_columns(tree, p0):
    """Return shares of the content mass, and the position relative to the best subtree."""
    mass = p0 * tree.words
    total = float(mass.sum())
    nodes = np.arange(len(tree.up))
    inside, words = tree.sums(mass, nodes), tree.sums(tree.words, nodes)
    expected = 2 * inside / (words + total)
    best = int(np.argmax(expected))
    _, page_expected = expected_f1_curve(p0, tree.words, FEATURE_CONFIG.guess_recall_share)
    shares = inside[tree.above[[0, 2, 4]]] / total
    return {
        **{f"{name}_mass": row for name, row in zip(("l1", "l3", "l5"), shares, strict=True)},
        **position_columns(tree, best, "best_subtree_"),
        "best_subtree_over_the_page": np.full(len(p0), expected[best] / page_expected.max()),
    }


def _raw_columns(tree, group, score, name):
    weighted = score * tree.words
    nodes = tree.above[[0, 1, 5]]
    rows = tree.sums(weighted, nodes) / tree.sums(tree.words, nodes)
    page = np.full(len(score), weighted.sum() / tree.words.sum())
    return {
        f"{name}_path_mean": group_means(group, score, tree.words),
        **{f"{name}_{level}_mean": row for level, row in zip(("l1", "l2", "t"), rows, strict=True)},
        f"{name}_page_mean": page,
    }


def _smoothed_columns(tree, p0):
    smoothed = smooth_text(tree, 1 - p0, FEATURE_CONFIG.smoothing_penalty)
    return {
        "smoothed": 1 - smoothed.templateness,
        "smoothed_less_guess": 1 - smoothed.templateness - p0,
        "section_words": np.log(smoothed.section_words),
    }


_SPREAD = np.uint64(0x9E3779B97F4A7C15)


def read_characters(texts):
    """Return the characters of at least one segment; none of the texts is empty."""
    lengths = np.array([len(text) for text in texts], np.int64)
    joined = "\n".join([*texts, ""])
    points = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), "<u4")
    place = np.minimum(points, chars.KNOWN)
    classes, lower = chars.letter_tables()
    bits = classes[place]
    return Characters(
        classes=np.where(bits & chars.UNSPACED, bits | chars.WORD, bits),
        lower=np.where(points < chars.KNOWN, lower[place], points),
        starts=np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths + 1)[:-1]]),
        lengths=lengths,
    )


def read_words(characters):
    """Return the words of the characters."""
    is_word, alone = characters.has(chars.WORD), characters.has(chars.UNSPACED)
    joins = is_word[1:] & is_word[:-1] & ~alone[1:] & ~alone[:-1]
    begins = is_word.copy()
    begins[1:] &= ~joins
    ends = is_word.copy()
    ends[:-1] &= ~joins
    first = np.flatnonzero(begins)
    length = np.flatnonzero(ends) + 1 - first
    segment = np.searchsorted(characters.starts, first, side="right") - 1
    per_segment = np.bincount(segment, minlength=len(characters.starts))
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(per_segment)])
    digits = np.concatenate([np.zeros(1, np.int64), np.cumsum(characters.has(chars.DIGIT))])
    return Words(
        first=first,
        length=length,
        segment=segment,
        place=np.arange(len(first)) - before[segment],
        hashes=_word_hashes(characters.lower, first, length),
        numeric=digits[first + length] > digits[first],
        capital=characters.has(chars.UPPER)[first],
        ends=_ends(characters, first + length, segment),
        per_segment=per_segment,
    )


def _ends(characters, behind, segment):
    """Return whether what follows each word ends a sentence, a line or the segment."""
    marks, closers, space = (
        characters.has(bits) for bits in (chars.SENTENCE_END, chars.CLOSER, chars.SPACE)
    )
    is_word = characters.has(chars.WORD)
    result = np.zeros(len(behind), np.bool_)
    for word, at in enumerate(behind.tolist()):
        is_last = word + 1 == len(behind) or segment[word + 1] != segment[word]
        pending = is_border = False
        while not is_last and not is_border and not is_word[at]:
            if marks[at]:
                is_border = characters.lower[at] >= 0x3000
                pending = True
            elif space[at]:
                is_border = pending or characters.lower[at] == ord("\n")
            elif not closers[at]:
                pending = False
            at += 1  # noqa: PLW2901
        result[word] = is_last or is_border
    return result


def text_hashes(words):
    """Return a hash of each segment's words and their order; length n_segments."""
    segments = [words.segment == one for one in range(len(words.per_segment))]
    return mix(np.array([_in_order(words.hashes[own]) for own in segments], np.uint64))


def shape_hashes(words):
    """Return hashes like `text_hashes` in which all words with digits are equal."""
    plain = np.where(words.numeric, _SPREAD, words.hashes)
    return text_hashes(msgspec.structs.replace(words, hashes=plain))


def _word_hashes(letters, first, length):
    words = [letters[start : start + size] for start, size in zip(first, length, strict=True)]
    return mix(np.array([_in_order(word.astype(np.uint64)) for word in words], np.uint64))


def _in_order(values):
    """Return the sum of values, each times a factor of its place; places further on share the last factor."""
    return (values * _powers()[np.minimum(np.arange(len(values)), len(_powers()) - 1)]).sum()


@functools.cache
def _powers():
    """Return odd factors by place."""
    return np.cumprod(np.full(1024, _SPREAD, np.uint64), dtype=np.uint64)
