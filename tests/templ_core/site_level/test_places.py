"""Compares counts, constancy and pooling with their definitions, on small pages."""

import hashlib
import re
from collections import Counter
from math import exp, isclose, log
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templ_core.dom.document import parse_document
from templ_core.page_level.features.page_features import read_features
from templ_core.site_level.keyed_sums import count_keys, sum_by_key
from templ_core.site_level.places._element_types import STEM, TAG, element_type_rows
from templ_core.site_level.places._places import where_repeated
from templ_core.site_level.places.places import (
    PagePlaces,
    count_pages,
    node_places,
    page_places,
    read_places,
    tabulate,
)

KEYS = st.lists(st.integers(0, 9), max_size=12)


def of(keys):
    return count_keys(np.array(keys, np.uint64))


def as_dict(counts):
    return dict(zip(counts.keys.tolist(), counts.sums[0].tolist(), strict=True))


@given(KEYS, KEYS)
def test_sums_are_those_of_all_keys_together_and_can_be_subtracted_again(one, other):
    both = of(one).plus(of(other))
    assert as_dict(both) == Counter(one + other)
    assert as_dict(both.minus(of(other))) == Counter(one)


def test_labels_stay_with_their_keys_and_columns_stay_contiguous():
    keys = np.array([7, 3, 7, 5], np.uint64)
    counts = sum_by_key(keys, np.arange(8).reshape(2, 4), np.stack([keys, keys * np.uint64(2)]))
    assert counts.labels.tolist() == [[3, 5, 7], [6, 10, 14]]
    chosen = counts.where(np.array([True, False, True]))
    assert chosen.labels.tolist() == [[3, 7], [6, 14]]
    assert chosen.sums.tolist() == [[1, 2], [5, 10]]
    assert counts.of(counts.labels[0]).tolist() == counts.sums.tolist()
    plain = sum_by_key(keys, np.arange(8).reshape(2, 4))
    for one in (counts, chosen, plain.plus(plain), plain.plus(plain).minus(plain)):
        assert one.sums.flags.c_contiguous


@given(st.lists(st.integers(0, 2**64 - 1)), st.lists(st.integers(0, 2**64 - 1)))
def test_keys_are_found_however_they_are_spread(keys, others):
    asked = np.array([*keys, *others], np.uint64)
    assert of(keys).of(asked)[0].tolist() == [keys.count(one) for one in asked.tolist()]


SEGMENTS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 3), st.sampled_from([-2.0, 0.0, 3.0])), min_size=1
)
PAGES = st.lists(SEGMENTS, min_size=1, max_size=9)


def places_of(segments):
    """Return a page of segments given as (place, text, log-odds); texts have 3 words and more."""
    place = np.array([place for place, _, _ in segments], np.uint64)
    text = np.array([text for _, text, _ in segments], np.uint64)
    return PagePlaces(
        path=place,
        cell=place + np.uint64(100),
        anchor=place // np.uint64(2),
        text=text,
        shape=text,
        words=(text.astype(np.int32) + 3),
        containers=np.zeros(1, np.uint64),
        first=np.zeros(1, np.int32),
        last=np.array([len(segments)], np.int32),
    )


def log_odds_of(segments):
    return np.array([log_odds for _, _, log_odds in segments])


def counts_of(pages):
    return [(places_of(page), log_odds_of(page)) for page in pages]


def columns(counts):
    tables = (counts.runs, counts.paths, counts.texts, counts.shapes, counts.containers)
    return counts.pages, [(one.keys.tolist(), one.sums.tolist()) for one in tables]


@given(PAGES, SEGMENTS)
def test_counts_are_those_of_the_window_whatever_came_and_left(pages, left):
    learned = count_pages(counts_of([left]))
    for page in counts_of(pages):
        learned = learned.learn_one(count_pages([page]))
    learned = learned.forget_one(count_pages(counts_of([left])))
    assert columns(learned) == columns(count_pages(counts_of(pages)))
    assert columns(learned) == columns(count_pages(counts_of(pages[::-1])))


def brute_repeats(pages, place):
    """Return all words at a place over words of different texts; 0 where there are none."""
    words = [text + 3 for page in pages for at, text, _ in page if at == place]
    texts = {text for page in pages for at, text, _ in page if at == place}
    return sum(words) / sum(text + 3 for text in texts) if texts else 0.0


@given(PAGES)
def test_pages_are_counted_and_constant_texts_found_by_how_often_their_path_repeats_them(pages):
    table = tabulate(count_pages(counts_of(pages)))
    asked = [(place, text, 0.0) for place in range(3) for text in range(4)]
    known = read_places(table, places_of(asked), log_odds_of(asked))
    for row, (place, text, _) in enumerate(asked):
        on = sum(any(at == place for at, _, _ in page) for page in pages)
        has = sum(any(one == text for _, one, _ in page) for page in pages)
        assert known.path_pages[row] == on
        assert known.text_pages[row] == known.shape_pages[row] == (has if has > 1 else 0)
        repeats = brute_repeats(pages, place)
        assert known.constant[row] == is_constant(repeats, known.text_pages[row], text + 3)


def is_constant(repeats, has, words):
    """Return whether a text is one of a few that the pages have at its place."""
    return words >= 4 and repeats >= 3 and has >= 3


def brute_pooled(pages, here, is_there, documentation):
    """Return the log-odds of the mean content of a place; constant texts count as content on documentation alone."""
    mass = words = 0.0
    for page in [*pages, here]:
        for at, text, log_odds in page:
            if not is_there(at):
                continue
            has = sum(any(t == text for _, t, _ in one) for one in pages)
            fixed = is_constant(brute_repeats(pages, at), has, text + 3)
            share = documentation if fixed else 1
            content = 1000 * (text + 3) / (1 + np.exp(-log_odds))
            mass += (round(share * content) if page is here else share * round(content)) / 1000
            words += text + 3
    mean = min(max(mass / words, 0.01), 0.99)
    return log(mean / (1 - mean))


@given(PAGES, SEGMENTS, st.sampled_from([0.0, 0.3, 1.0]))
def test_log_odds_are_those_of_cell_and_anchor_pooled_over_the_window_and_the_page(
    pages, here, documentation
):
    table = tabulate(count_pages(counts_of(pages)))
    known = read_places(table, places_of(here), log_odds_of(here), documentation)
    for (place, _, _), log_odds, content in zip(here, known.log_odds, known.content, strict=True):
        of_cell = brute_pooled(pages, here, lambda at, place=place: at == place, documentation)
        of_anchor = brute_pooled(
            pages, here, lambda at, place=place: at // 2 == place // 2, documentation
        )
        assert isclose(log_odds, (of_cell + of_anchor) / 2, abs_tol=1e-9)
        assert isclose(content, 1 / (1 + exp(-log_odds)), abs_tol=1e-12)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5))))
def test_texts_that_stand_more_than_once_at_their_path_are_found(pairs):
    path, text = (np.array([pair[n] for pair in pairs], np.uint64) for n in range(2))
    assert where_repeated(path, text).tolist() == [pairs.count(pair) > 1 for pair in pairs]


def places_in(markup):
    """Return path, cell and anchor of each segment, by its text."""
    document = parse_document(f"<body>{markup}</body>", "https://example.com/")
    page = page_places(document, read_features(document), node_places(document))
    return {
        text: (int(page.path[n]), int(page.cell[n]), int(page.anchor[n]))
        for n, text in enumerate(document.segments.texts)
    }


LONG_NAMES = f"<div class='{'x ' * 100_000}' id='\U0001f600'><p>A</div>"


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (LONG_NAMES, LONG_NAMES, [True] * 3),
        # What changes from page to page names no place.
        ("<div id=post-12><p>A</div>", "<div id=post-7><p>A</div>", [True] * 3),
        ("<div class='entry tag-a'><p>A", "<div class='entry category-b'><p>A", [True] * 3),
        ("<div class='aa bb cc'><p>A</div>", "<div class='aa bb dd'><p>A</div>", [True] * 3),
        ("<ul><li class=odd>A</ul>", "<ul><li class=even>A</ul>", [True] * 3),
        ("<div class=in><p>A</div>", "<div class=by><p>A</div>", [False, False, False]),
        ("<p>A", "<h2>A</h2>", [False, False, False]),
        ("<table><tr><td>x<td>A</table>", "<table><tr><td>A</table>", [True, False, True]),
        ("<section><div class=post><p>A", "<main><div class=post><p>A", [False, False, True]),
    ],
)
def test_path_cell_and_anchor_tell_apart_what_they_should(one, other, expected):
    pairs = zip(places_in(one)["A"], places_in(other)["A"], strict=True)
    assert [first == second for first, second in pairs] == expected


def test_a_container_is_the_deepest_element_of_its_segments():
    document = parse_document("<body><div><div class=in><p>A<p>B</div></div></body>", "u")
    features = read_features(document)
    nodes = node_places(document)
    page = page_places(document, features, nodes)
    ranges = list(zip(page.first.tolist(), page.last.tolist(), strict=True))
    assert ranges == [(0, 2), (0, 1), (1, 2)]
    inner = document.nodes.attributes.index("\nin\n\n\n")
    assert page.containers[0] == nodes.cell[inner]


def test_rows_of_element_types_do_not_depend_on_what_is_in_the_cache():
    def rows(numbers):
        markup = "".join(f"<x-{n} class='a{n % 7} b' id=c{n % 3}>{n}</x-{n}>" for n in numbers)
        return element_type_rows(parse_document(f"<body>{markup}</body>", "https://example.com/"))

    first = rows(range(50))
    for start in range(0, 60_000, 5_000):
        rows(range(start, start + 5_000))
    assert (rows(range(50)) == first).all()
    assert len(set(first[:, TAG].tolist())) == len(first)


_DIGITS = re.compile(r"\d+")
_PASSING = re.compile(
    r"\d|.$|(?:category|tag|author|postid|post-|page-id|term|status-|format-|type-|hentry|has-|js-"
    r"|active|current|odd|even|first|last|wp-image|menu-item-)"
)


def slow_hashes(tag, attributes):
    """Return the columns TAG and STEM, written for reading and not for speed."""
    texts = tag, stem_of(tag, attributes[:512])
    bodies = (text.encode("utf-8", "replace") for text in texts)
    digests = (hashlib.blake2b(body, digest_size=8).digest() for body in bodies)
    return [int.from_bytes(digest, "little") for digest in digests]


def stem_of(tag, attributes):
    name, _, rest = attributes.partition("\n")
    name = _DIGITS.sub("", name)
    classes = [
        _DIGITS.sub("", one)
        for one in rest.partition("\n")[0].split()
        if _PASSING.match(one) is None
    ]
    marked = [f"#{name}"] if 2 <= len(name) < 40 else []
    return "".join([tag, *marked, *(f".{one}" for one in classes[:2])])


NAMES = st.text(st.sampled_from("ab7-_\u0663é日😀\ud800")) | st.sampled_from(
    [
        "post-17", "postal", "tag-a", "menu-item-3", "entry", "x" * 39, "y" * 40, "z" * 300,
        "1st", "a1_b",
    ]
)  # fmt: skip


@given(
    st.sampled_from(["p", "html", "x-é"]),
    NAMES,
    st.lists(NAMES | st.sampled_from([" ", "\t", "\u3000"]), max_size=6),
)
def test_element_types_are_named_as_by_the_slow_reference(tag, name, classes):
    for attributes in ("", name, f"{name}\n{' '.join(classes)}\nmain\n\n"):
        nodes = SimpleNamespace(element_types=[(tag, attributes)])
        rows = element_type_rows(SimpleNamespace(nodes=nodes))
        assert rows[0, : STEM + 1].tolist() == slow_hashes(tag, attributes)
