"""A slow twin of `templ_core.page_level.features`: one numpy operation after the other."""

import numpy as np

from templ_core import letters as chars
from templ_core.dom.parse.declared_body import INSIDE_BODY
from templ_core.dom.tree import sums_above, sums_below
from templ_core.page_level.config import FEATURE_CONFIG
from templ_core.page_level.features.page_features import OWNER_TAGS, SEMANTIC_TAGS
from templ_core.page_level.features.surroundings import HEADING, read_surroundings
from templ_core.page_level.page_tree import LEVELS, PageTree, climb
from tests.templ_core.page_level.features.slow_characters import (
    read_characters,
    read_words,
    text_hashes,
)

_FARTHEST, _NO_SUCH_TAG = FEATURE_CONFIG.tag_levels_max, FEATURE_CONFIG.no_such_tag_levels
_PATH_FACTOR = np.uint64(0x100000001B3)


def feature_columns(document):
    """Return the features of a page by name, and its path groups."""
    characters = read_characters(document.segments.texts)
    words = read_words(characters)
    w = np.maximum(words.per_segment, 1).astype(np.float64)
    tree = read_tree(document, w)
    links, ends = link_density(document, characters), sentence_ends(characters).astype(np.float64)
    semantic, tag_paths = nearest_tags(document)
    owner = document.segments.owner
    group = path_groups(styled_paths(document), owner)
    text = text_hashes(words)
    good = (w >= 10) & (links < 0.35) & ((ends > 0) | (w >= 25))
    columns = {
        **text_columns(characters, words),
        **link_columns(document, characters),
        **owner_columns(document, tree),
        **group_columns(group, w, links, ends, "path"),
        **group_columns(path_groups(tag_paths, owner), w, links, ends, "tags"),
        **copy_columns(text),
        **main_columns(tree, good, (w >= 20) & (links < 0.4)),
        **semantic,
        **declared_columns(document, words),
    }
    return columns, group


def declared_columns(document, words):
    """Return the features of the declared body and of the title by name."""
    declared, per_segment = document.segments.declared, words.per_segment
    title = slow_title_words(document.title)
    matches = np.array(
        [np.isin(words.hashes[words.segment == one], title).sum() for one in range(len(declared))]
    )
    share = matches / np.maximum(np.maximum(per_segment, len(title)), 1)
    is_like = (share >= FEATURE_CONFIG.headline_title_ratio_min) & (matches > 0)
    is_like &= per_segment <= FEATURE_CONFIG.headline_words_max
    is_heading = read_surroundings(document) & HEADING != 0
    likeness = np.where(is_like, share + is_heading, 0)
    before = np.cumsum(per_segment) - per_segment
    distance = before - before[np.argmax(likeness)] if is_like.any() else np.zeros(len(declared))
    return {
        "declared: inside": np.array([0, -1, 1])[declared],
        "declared: body_share": np.full(
            len(declared), per_segment[declared == INSIDE_BODY].sum() / max(per_segment.sum(), 1)
        ),
        "declared: title_share": matches / np.maximum(per_segment, 1),
        "declared: from_headline": np.sign(distance) * np.log1p(np.abs(distance)),
    }


def slow_title_words(title):
    """Return the hashes of the different words of a title."""
    if not title:
        return np.empty(0, np.uint64)
    return np.unique(read_words(read_characters([title])).hashes[:64])


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
    before_last = np.maximum(last - 1, starts)
    closed = (classes[last] & chars.CLOSER) != 0
    final = np.where(closed, before_last, last)
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
    number = {tag: place for place, tag in enumerate(OWNER_TAGS)}
    tag = np.array([number.get(tag, -1) for tag in nodes.tags])[owner]
    return {
        "depth": nodes.depth[owner],
        "compressed_depth": tree.compressed_depth[owner],
        "hidden": hidden[owner],
        "images": np.minimum(nodes.images[owner], 5),
        **{f"in {name}": tag == place for place, name in enumerate(OWNER_TAGS)},
    }


def _has_date(characters, words):
    """Return whether each segment has a year from 1900 to 2099, or digits around a mark as in 3.10."""
    digit, mark = characters.has(chars.DIGIT), characters.has(chars.DATE_MARK)
    around = np.zeros(len(digit), np.bool_)
    around[1:-1] = digit[:-2] & mark[1:-1] & digit[2:]
    four = words.first[words.length == 4]
    years = digit[four] & digit[four + 1] & digit[four + 2] & digit[four + 3]
    century = characters.lower[four] * 100 + characters.lower[four + 1]
    years &= (century == ord("1") * 100 + ord("9")) | (century == ord("2") * 100 + ord("0"))
    around[four[years]] = True
    return characters.count(around) > 0


def _different_words(words):
    order = np.lexsort((words.hashes, words.segment))
    segment, hashes = words.segment[order], words.hashes[order]
    new = np.ones(len(order), np.bool_)
    new[1:] = (segment[1:] != segment[:-1]) | (hashes[1:] != hashes[:-1])
    return np.bincount(segment[new], minlength=len(words.per_segment))


def _ellipses(characters):
    dot = characters.has(chars.DOT)
    three = np.zeros(len(dot), np.bool_)
    three[:-2] = dot[:-2] & dot[1:-1] & dot[2:]
    return characters.count(three | (characters.lower == ord("…")))


def nearest_tags(document):
    """Return the distances to the nearest semantic tags by name, and a hash of each node's tag path."""
    nodes, owner = document.nodes, document.segments.owner
    number = {tag: place for place, tag in enumerate(SEMANTIC_TAGS)}
    element_types = {tag: place for place, tag in enumerate(dict.fromkeys(nodes.tags))}
    nearest = np.full((len(nodes.tags), len(number)), -1000, np.int32)
    for node, tag in enumerate(nodes.tags):
        if tag in number:
            nearest[node, number[tag]] = nodes.depth[node]
    path = np.array([element_types[tag] + 1 for tag in nodes.tags], np.uint64)
    for level in tree_levels(document):
        parent = nodes.parent[level]
        nearest[level] = np.maximum(nearest[level], nearest[parent])
        path[level] += path[parent] * _PATH_FACTOR
    distance = nodes.depth[owner][:, None] - nearest[owner]
    distance = np.where(distance > 900, _NO_SUCH_TAG, np.minimum(distance, _FARTHEST))
    columns = {f"up to {tag}": distance[:, place] for tag, place in number.items()}
    for tag in ("main", "article"):
        inside = distance[:, number[tag]] < _NO_SUCH_TAG
        columns[f"inside {tag}"] = np.where(tag in element_types, inside, -1)
    return columns, path


def styled_paths(document):
    """Return a hash of each node's path of tags with attributes; length n_nodes."""
    nodes = document.nodes
    pairs = list(zip(nodes.tags, nodes.attributes, strict=True))
    element_types = {pair: number for number, pair in enumerate(dict.fromkeys(pairs))}
    path = np.array([element_types[pair] + 1 for pair in pairs], np.uint64)
    for level in tree_levels(document):
        path[level] += path[nodes.parent[level]] * _PATH_FACTOR
    return path


def path_groups(paths, owner):
    """Return the number of each segment's group of equal owner paths; length n_segments."""
    return np.unique(paths[owner], return_inverse=True)[1]


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


def tree_levels(document):
    """Return the nodes of each depth, without the root."""
    depth = document.nodes.depth
    order = np.argsort(depth, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(depth[order])) + 1)[1:]
