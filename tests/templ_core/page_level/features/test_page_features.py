import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from templ_core.dom.document import parse_document
from templ_core.page_level.features.characters import (
    read_characters,
    read_words,
    shape_hashes,
    text_hashes,
)
from templ_core.page_level.features.contexts import CONTEXTS, with_contexts
from templ_core.page_level.features.page_features import FEATURES, read_features
from templ_core.page_level.page_tree import read_tree
from tests.templ_core.page_level.features import slow_characters, slow_contexts, slow_features
from workers.lab.simulate.feed import FeedSettings, simulate_feed

MARKUP = (
    "<body><nav><ul><li><a href=/>Home</a><li><a href='#top'>Top</a></ul></nav><main>"
    "<h1>Title: of 2024</h1><p>One sentence, short. Another one.</p>"
    "<p hidden>The same <b>words</b> stand here twice and that is why one of them goes away.</p>"
    "<div>The same words stand here twice and that is why one of them goes away.</div>"
    "</main></body>"
)
TAGS = ("div", "p", "ul", "li", "article", "main", "table", "td", "h2", "a href=/x", "b", "button")
TEXTS = (
    "<title>Wait so on</title>", "<h1>Wait so on",
    "Read", "more.", "On 3.10 or", "in 1999", "© 2031", "Wait...", "so…", "中文。是", "“Oh!”", "a, b | c:",
    "word word WORD", "٣.٤", "one two three four five six seven eight nine ten eleven.", "\U0002f800x",
)  # fmt: skip
PIECES = st.one_of(
    st.sampled_from(TEXTS),
    st.text(min_size=1, max_size=9),
    st.sampled_from(TAGS).map(lambda tag: f"<{tag}>"),
    st.sampled_from(TAGS).map(lambda tag: f"<{tag} class=x hidden>"),
    st.sampled_from(TAGS).map(lambda tag: f"</{tag.split()[0]}>"),
)
PAGES = st.lists(PIECES, min_size=1, max_size=60).map("".join)


@pytest.fixture(scope="module")
def documents():
    """Return generated pages of several designs."""
    pages = simulate_feed(FeedSettings(sites=12, pages=40))
    read = (parse_document(page.html, page.url) for page in pages)
    return [document for document in read if document.segments.texts]


def features(markup=MARKUP):
    return read_features(parse_document(markup, "https://example.com/"))


def column(name):
    return features().rows[:, FEATURES.index(name)].tolist()


def assert_like_twins(document):
    found = read_features(document)
    columns, group = slow_features.feature_columns(document)
    assert tuple(columns) == FEATURES
    for number, name in enumerate(FEATURES):
        expected = columns[name].astype(np.float64)
        assert np.allclose(found.rows[:, number], expected, rtol=1e-6, atol=1e-6), name
    pairs = set(zip(found.group.tolist(), group.tolist(), strict=True))
    assert len(pairs) == found.group.max() + 1 == group.max() + 1
    attribute, text = np.random.default_rng(0).normal(0, 3, (2, len(group)))
    contexts = slow_contexts.context_columns(found.tree, group, attribute, text)
    assert tuple(contexts) == CONTEXTS
    rows = with_contexts(found.rows, found.tree, found.group, attribute, text)
    assert np.array_equal(rows[:, : len(FEATURES)], found.rows)
    for number, name in enumerate(CONTEXTS, len(FEATURES)):
        assert np.allclose(rows[:, number], contexts[name], rtol=1e-6, atol=1e-6), name


def test_simulated_pages_have_the_features_of_the_slow_twins(documents):
    for document in documents:
        assert_like_twins(document)


@settings(max_examples=150, deadline=None)
@given(PAGES)
def test_any_page_has_the_features_of_the_slow_twins(markup):
    document = parse_document(markup, "https://example.com/")
    if document.segments.texts:
        assert_like_twins(document)


@given(st.lists(st.text(min_size=1), min_size=1, max_size=6))
def test_characters_and_words_are_those_of_the_slow_twins(texts):
    characters, slow = read_characters(texts), slow_characters.read_characters(texts)
    for name in characters.__struct_fields__:
        assert np.array_equal(getattr(characters, name), getattr(slow, name)), name
    words, slow_words = read_words(characters), slow_characters.read_words(slow)
    for name in words.__struct_fields__:
        assert np.array_equal(getattr(words, name), getattr(slow_words, name)), name
    assert np.array_equal(text_hashes(words), slow_characters.text_hashes(words))
    assert np.array_equal(shape_hashes(words), slow_characters.shape_hashes(words))


def test_trees_are_those_of_the_slow_twin(documents):
    for document in documents:
        words = np.arange(len(document.segments.texts)) % 9 + 1.0
        found, slow = read_tree(document, words), slow_features.read_tree(document, words)
        for name in found.__struct_fields__:
            assert np.array_equal(getattr(found, name), getattr(slow, name)), name


def test_features_of_a_segments_own_text():
    assert column("sentence_ends") == [0, 0, 0, 2, 1, 1]
    assert column("commas") == [0, 0, 0, 1, 0, 0]
    assert column("date_or_year") == [False, False, True, False, False, False]
    assert column("ends_a_sentence") == [False, False, False, True, True, True]


def test_features_of_links():
    assert column("link_density") == [1, 1, 0, 0, 0, 0]
    assert column("links_on_the_page") == [0, 1, 0, 0, 0, 0]


def test_features_of_owners():
    assert column("hidden") == [False, False, False, False, True, False]
    assert column("in h1") == [False, False, True, False, False, False]


def test_features_of_the_nearest_tags():
    assert column("up to nav") == [2, 2, 14, 14, 14, 14]
    assert column("inside main") == [0, 0, 1, 1, 1, 1]
    assert column("inside article") == [-1] * 6


def test_features_of_path_groups_and_copies():
    numbers = np.expm1(column("path: number")).round().tolist()
    assert numbers == [2, 2, 1, 2, 2, 1]
    assert column("copies") == [1, 1, 1, 1, 2, 2]
    assert column("later_copy") == [False, False, False, False, False, True]


def test_the_main_node_holds_the_good_text():
    assert column("main 0.8: inside") == [False, False, True, True, True, True]
    assert column("main 0.8: side") == [-1, -1, 0, 0, 0, 0]


def test_the_headline_is_the_heading_that_is_like_the_title():
    page = (
        "<title>Rain over Leeds | News</title><li>Rain over Leeds<li>Sport"
        "<h1>Rain over Leeds</h1><p>It rains a lot."
    )
    found = features(page).rows[:, FEATURES.index("declared: from_headline")]
    assert np.allclose(found, [-np.log1p(4), -np.log1p(1), 0, np.log1p(3)])


def test_contexts_are_means_around_a_segment():
    found = features()
    score = np.array([-2.0, -2, 1, 3, 3, 3])
    rows = with_contexts(found.rows, found.tree, found.group, score, score)
    context = dict(zip(CONTEXTS, rows[:, len(FEATURES) :].T, strict=True))
    assert np.isclose(context["attribute_path_mean"][0], -2)
    assert context["best_subtree_inside"].tolist() == [False, False, True, True, True, True]
    assert np.isclose(context["one_before"][1], context["first_guess"][0])
    assert context["mass_before"][0] == 0


def test_every_number_is_finite_on_a_page_of_one_segment():
    found = features("<p>word")
    score = np.zeros(1)
    rows = with_contexts(found.rows, found.tree, found.group, score, score)
    assert rows.shape[0] == 1
    assert np.isfinite(rows).all()
