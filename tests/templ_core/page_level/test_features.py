"""Tests of the compiled automaton against a plain search."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from templ_core.clean_document import clean
from templ_core.config import CoreConfig
from templ_core.decide import REASON_COMMENTS, REASON_CONSENT
from templ_core.dom.document import parse_document
from templ_core.letters import COMMA, DIGIT, KNOWN, letter_tables
from templ_core.page_level.config import SELECTION_CONFIG
from templ_core.page_level.features._contexts import context_columns, with_contexts
from templ_core.page_level.features._stems import Stems
from templ_core.page_level.features.characters import (
    read_characters,
    read_words,
    shape_hashes,
    text_hashes,
)
from templ_core.page_level.features.page_features import FEATURES, read_features
from templ_core.page_level.features.text_roles import (
    COMMENTS,
    CONSENT,
    REVIEWS,
    name_stems,
    named_roles,
    read_text_roles,
)
from templ_core.page_level.model.page_type import PageType
from templ_core.page_level.page_tree import read_tree
from templ_core.page_level.selection import with_policy
from templ_core.tokens import tokenise
from tests.templ_core.page_level import slow_features
from workers.lab.simulate.feed import FeedSettings, simulate_feed

TEXTS_WITH_WORDS = st.lists(
    st.text(min_size=1).filter(lambda text: len(tokenise(text)) > 0), min_size=1, max_size=5
)


@given(TEXTS_WITH_WORDS)
def test_words_are_those_of_the_tokeniser(texts):
    assume_known = [text for text in texts if all(ord(letter) < 0x20000 for letter in text)]
    if assume_known:
        words = read_words(read_characters(assume_known))
        assert words.per_segment.tolist() == [len(tokenise(text)) for text in assume_known]


def test_signs_of_unspaced_scripts_are_words_as_they_are_tokens():
    signs = "".join(map(chr, range(0xE00, 0xE80))) + "\u0ee0\u102d\u17b6\u30fb"
    words = read_words(read_characters([signs, "ก็ 7"]))
    assert words.per_segment.tolist() == [len(tokenise(signs)), 3]


def test_letters_have_the_lower_case_that_python_gives_them():
    _, lower = letter_tables()
    letters = [chr(point) for point in range(KNOWN) if chr(point).isalnum()]
    changed = {one: one.lower() for one in letters if len(one.lower()) == 1 and one.lower() != one}
    assert {
        chr(point): chr(lower[point]) for point in np.flatnonzero(lower != np.arange(KNOWN + 1))
    } == changed


def test_marks_are_counted_by_segment():
    characters = read_characters(["a, b, c", "7", "1,5"])
    assert characters.count(characters.has(COMMA)).tolist() == [2, 0, 1]
    assert characters.count(characters.has(DIGIT)).tolist() == [0, 1, 2]


def test_equal_words_have_equal_hashes_whatever_their_case_and_place():
    hashes = text_hashes(read_words(read_characters(["Ab  cd!", "x ab CD", "ab, cd", "cd ab"])))
    assert hashes[0] == hashes[2]
    assert len(np.unique(hashes)) == 3


@pytest.mark.parametrize("text", ["\ud800 lone", "a" * 5000, "\U0001f600 smile", "w " * 3000])
def test_unusual_text_has_words_too(text):
    words = read_words(read_characters([text]))
    assert words.per_segment[0] >= 1


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
    contexts = slow_features.context_columns(found.tree, group, attribute, text)
    assert list(contexts) == context_columns()
    rows = with_contexts(found.rows, found.tree, found.group, attribute, text)
    assert np.array_equal(rows[:, : len(FEATURES)], found.rows)
    for number, name in enumerate(context_columns(), len(FEATURES)):
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
    characters, slow = read_characters(texts), slow_features.read_characters(texts)
    for name in characters.__struct_fields__:
        assert np.array_equal(getattr(characters, name), getattr(slow, name)), name
    words, slow_words = read_words(characters), slow_features.read_words(slow)
    for name in words.__struct_fields__:
        assert np.array_equal(getattr(words, name), getattr(slow_words, name)), name
    assert np.array_equal(text_hashes(words), slow_features.text_hashes(words))
    assert np.array_equal(shape_hashes(words), slow_features.shape_hashes(words))


def test_trees_are_those_of_the_slow_twin(documents):
    for document in documents:
        words = np.arange(len(document.segments.texts)) % 9 + 1.0
        found, slow = read_tree(document, words), slow_features.read_tree(document, words)
        for name in found.__struct_fields__:
            assert np.array_equal(getattr(found, name), getattr(slow, name)), name


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("sentence_ends", [0, 0, 0, 2, 1, 1]), ("commas", [0, 0, 0, 1, 0, 0]),
        ("date_or_year", [0, 0, 1, 0, 0, 0]), ("ends_a_sentence", [0, 0, 0, 1, 1, 1]),
        ("link_density", [1, 1, 0, 0, 0, 0]), ("links_on_the_page", [0, 1, 0, 0, 0, 0]),
        ("hidden", [0, 0, 0, 0, 1, 0]), ("in h1", [0, 0, 1, 0, 0, 0]),
        ("up to nav", [2, 2, 14, 14, 14, 14]), ("inside main", [0, 0, 1, 1, 1, 1]),
        ("inside article", [-1] * 6), ("path: number", np.log1p([2, 2, 1, 2, 2, 1])),
        ("copies", [1, 1, 1, 1, 2, 2]), ("later_copy", [0, 0, 0, 0, 0, 1]),
        ("main 0.8: inside", [0, 0, 1, 1, 1, 1]), ("main 0.8: side", [-1, -1, 0, 0, 0, 0]),
    ],
)  # fmt: skip
def test_features_equal_those_counted_by_hand(name, values):
    assert features().rows[:, FEATURES.index(name)] == pytest.approx(values)


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
    context = dict(zip(context_columns(), rows[:, len(FEATURES) :].T, strict=True))
    assert np.isclose(context["attribute_path_mean"][0], -2)
    assert context["best_subtree_inside"].tolist() == [False, False, True, True, True, True]
    assert np.isclose(context["one_before"][1], context["first_guess"][0])
    assert context["mass_before"][0] == 0


LETTERS = "abAB -_\né中"
STEMS = st.lists(
    st.text("ab -é中", min_size=1, max_size=4).filter(
        lambda stem: stem.strip() and len(stem.encode()) >= 3
    ),
    max_size=12,
)
FOLDED = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ_\t\n\v\f\r", "abcdefghijklmnopqrstuvwxyz-     ")
PARTS = st.sampled_from(
    [
        "comment", "comments", "Comments", "list", "post", "kommentare", "comentarios", "respond",
        "disqus", "dsq", "livefyre", "fyre", "hyvor", "talk", "isso", "thread", "reviews", "spr",
        "bv", "content", "x", "cookie", "Cookies", "gdpr", "ccpa", "banner", "ot", "sdk", "cc",
        "window", "qc", "cmp", "cli", "bar", "modal", "cky", "sp", "message", "truste", "Law",
        "trustarc", "fc", "consent", "klaro", "evidon", "cybot", "Cookiebot", "customer",
        "widget", "jdgm", "review", "giscus", "utterances", "onetrust", "cmplz", "didomi",
        "borlabs", "usercentrics", "iubenda", "cs", "eupopup", "osano", "tarteaucitron", "rgpd",
        "notice",
    ]
)  # fmt: skip
NAMES = st.lists(
    st.tuples(PARTS, st.sampled_from(["", "-", "_", " ", "\n", "-17", "4"])), max_size=5
)


@given(STEMS, st.lists(st.text(LETTERS, max_size=12), max_size=5))
def test_the_automaton_finds_the_texts_that_hold_a_stem(stems, texts):
    expected = [
        number
        for number, text in enumerate(texts)
        if any(stem in " " + text.translate(FOLDED) for stem in stems)
    ]
    assert Stems(stems).found_in(texts) == expected


@given(NAMES)
def test_every_name_that_tells_a_text_role_holds_a_stem(parts):
    attributes = "".join(part + border for part, border in parts)
    if named_roles(attributes):
        assert name_stems().found_in([attributes]) == [0]


@given(NAMES)
def test_no_text_role_depends_on_a_number(parts):
    attributes = "".join(part + border for part, border in parts)
    assert named_roles(attributes.replace("17", "0").replace("4", "0")) == named_roles(attributes)


STORY = (
    "<p>"
    + "The council met on Monday and spoke about the new bridge for a long time. " * 4
    + "</p>"
)
REMARK = "I was there, and it was not at all as your reporter says it was."
COMMENTED = f"<main>{STORY}<div class=comment-list><p>{REMARK}</p></div></main>"


def roles_of(markup):
    document = parse_document(markup, "https://example.com/")
    features = read_features(document)
    return read_text_roles(document, features.tree, features.surroundings)


@pytest.mark.parametrize(
    ("attributes", "roles"),
    [
        ("comments\n", COMMENTS),
        ("comment-17\ncomment even thread-even depth-1\n", COMMENTS),
        ("postComments\n", COMMENTS),
        ("disqus_thread\n", COMMENTS),
        ("kommentare\n", COMMENTS),
        ("customer_reviews\n", REVIEWS),
        ("cookie-notice\n", CONSENT),
        ("CybotCookiebotDialog\n", CONSENT),
        ("onetrust-banner-sdk\n", CONSENT),
        ("site-gdpr-popup\n", CONSENT),
        ("no-comments single-post\n", 0),
        ("commentary\n", 0),
        ("trusted-people\n", 0),
        ("cookies-recipe\n", 0),
        ("preview\n", 0),
        ("", 0),
    ],
)
def test_names_tell_text_roles(attributes, roles):
    assert named_roles(attributes) == roles


def test_text_inside_a_named_element_has_its_role():
    found = roles_of(COMMENTED)
    assert found.comments.tolist() == [False, True]
    assert not found.consent.any()


def test_names_of_elements_around_the_whole_page_tell_no_role():
    assert not roles_of(f"<body class=comments>{STORY}").comments.any()


@pytest.mark.parametrize(
    "notice",
    [
        "<p>We use cookies to improve this site.</p><button>Accept</button>",
        "<p>Diese Seite verwendet Cookies.</p><a href=#>Einverstanden</a>",
        "<p>Ce site utilise des cookies.</p><p>Accepter</p>",
        "<p>Мы используем куки. Продолжая, вы соглашаетесь.</p>",
    ],
)
def test_a_small_element_that_asks_to_accept_cookies_is_a_consent_text(notice):
    found = roles_of(f"{STORY}<div>{notice}</div>")
    assert found.consent[1]
    assert not found.consent[0]


def test_an_article_about_cookies_is_no_consent_text():
    story = "Sites use cookies and ask readers to accept them. " * 20
    assert not roles_of(f"<div><p>{story}</p><p>{story}</p></div>").consent.any()


def test_a_page_that_is_all_consent_keeps_its_text():
    assert not roles_of(
        "<div class=cookie-notice><p>We use cookies. Accept?</p></div>"
    ).consent.any()


def test_consent_texts_never_stay_and_their_reason_is_consent():
    markup = f"<main>{STORY}</main><div class=cookie-banner><p>{REMARK}</p></div>"
    for comments in ("auto", "keep", "drop"):
        decision = clean(
            parse_document(markup, "https://example.com/"), None, CoreConfig(comments=comments)
        ).decision
        assert decision.kept.tolist() == [True, False]
        assert decision.reasons[1] == REASON_CONSENT


def test_the_setting_decides_what_becomes_of_comments():
    document = parse_document(COMMENTED, "https://example.com/")
    assert clean(document, None, CoreConfig(comments="keep")).decision.kept.tolist() == [True, True]
    dropped = clean(document, None, CoreConfig(comments="drop")).decision
    assert dropped.kept.tolist() == [True, False]
    assert dropped.reasons[1] == REASON_COMMENTS


def test_comments_lose_log_odds_on_articles_and_are_judged_like_other_text_elsewhere():
    found = roles_of(COMMENTED)
    log_odds, words = np.array([5.0, 1.0]), np.array([60.0, 14.0])
    on_article = with_policy(log_odds, words, found, PageType(article=0.9, other=0.1), "auto")
    assert on_article.tolist() == [5.0, 1.0 + SELECTION_CONFIG.comments_log_odds]
    assert with_policy(log_odds, words, found, PageType(forum=1.0, other=0.0), "auto").tolist() == [
        5,
        1,
    ]
    assert with_policy(log_odds, words, found, PageType(), "keep").tolist() == [
        5,
        SELECTION_CONFIG.always_log_odds,
    ]
    assert with_policy(log_odds, words, found, PageType(), "drop").tolist() == [
        5,
        SELECTION_CONFIG.never_log_odds,
    ]
