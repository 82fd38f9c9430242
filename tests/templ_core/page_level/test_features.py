"""Features, text roles and their searches against slow twins, and some that are counted by hand."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from templ_core.clean_document import clean
from templ_core.config import CoreConfig
from templ_core.decide import REASON_COMMENTS, REASON_CONSENT
from templ_core.dom.document import parse_document
from templ_core.letters import KNOWN, letter_tables
from templ_core.page_level.features._contexts import context_columns, with_contexts
from templ_core.page_level.features._stems import Stems
from templ_core.page_level.features.characters import (
    read_characters,
    read_words,
    shape_hashes,
    text_hashes,
)
from templ_core.page_level.features.page_features import FEATURES, read_features
from templ_core.page_level.features.surroundings import (
    COMMENTS,
    CONSENT,
    REVIEWS,
    name_stems,
    named_roles,
    read_text_roles,
)
from templ_core.page_level.model.page_type import PageType
from templ_core.page_level.page_tree import read_tree
from templ_core.tokens import tokenise
from tests.templ_core.any_markup import TAGS, any_markup
from tests.templ_core.page_level import slow_features
from workers.lab.simulate.feed import FeedSettings, simulate_feed

UNSPACED = "".join(map(chr, range(0xE00, 0xE80))) + "\u0ee0\u102d\u17b6\u30fb"
KNOWN_TEXT = st.text(st.characters(max_codepoint=0x1FFFF), min_size=1)


@given(st.lists(KNOWN_TEXT.filter(tokenise), min_size=1, max_size=5))
@example([UNSPACED, "ก็ 7"])
def test_words_are_those_of_the_tokeniser(texts):
    words = read_words(read_characters(texts))
    assert words.per_segment.tolist() == [len(tokenise(text)) for text in texts]


def test_letters_have_the_lower_case_that_python_gives_them():
    _, lower = letter_tables()
    for point in range(KNOWN):
        letter = chr(point)
        is_changed = letter.isalnum() and len(letter.lower()) == 1
        assert chr(lower[point]) == (letter.lower() if is_changed else letter)


def test_equal_words_have_equal_hashes_whatever_their_case_and_place():
    hashes = text_hashes(read_words(read_characters(["Ab  cd!", "x ab CD", "ab, cd", "cd ab"])))
    assert hashes[0] == hashes[2]
    assert len(np.unique(hashes)) == 3


MARKUP = (
    "<body><nav><ul><li><a href=/>Home</a><li><a href='#top'>Top</a></ul></nav><main>"
    "<h1>Title: of 2024</h1><p>One sentence, short. Another one.</p>"
    "<p hidden id=again>The same <b>words</b> stand here twice and that is why one of them goes away.</p>"
    "<div>The same words stand here twice and that is why one of them goes away.</div>"
    "</main></body>"
)
TEXTS = (
    "<title>Wait so on</title>", "<h1>Wait so on",
    "Read", "more.", "On 3.10 or", "in 1999", "© 2031", "Wait...", "so…", "中文。是", "“Oh!”", "a, b | c:",
    "word word WORD", "٣.٤", "one two three four five six seven eight nine ten eleven.", "\U0002f800x",
)  # fmt: skip
ANY_TEXTS = st.sampled_from(TEXTS) | st.text(min_size=1, max_size=9)
PAGES = st.one_of(any_markup(ANY_TEXTS, tags=tags, pieces_max=60) for tags in (TAGS, TAGS[:3]))


@pytest.fixture(scope="module")
def documents():
    """Return generated pages of several designs."""
    pages = simulate_feed(FeedSettings(sites=12, pages=40))
    read = (parse_document(page.html, page.url) for page in pages)
    return [document for document in read if document.segments.texts]


def features(markup=MARKUP):
    return read_features(parse_document(markup, "https://example.com/"))


def assert_like_twins(document):
    features = read_features(document)
    columns, group = slow_features.feature_columns(document)
    assert tuple(columns) == FEATURES
    for number, name in enumerate(FEATURES):
        expected = columns[name].astype(np.float64)
        assert np.allclose(features.rows[:, number], expected, rtol=1e-6, atol=1e-6), name
    words = np.arange(len(group)) % 9 + 1.0
    tree, slow_tree = read_tree(document, words), slow_features.read_tree(document, words)
    for name in tree.__struct_fields__:
        assert np.array_equal(getattr(tree, name), getattr(slow_tree, name)), name
    pairs = set(zip(features.group.tolist(), group.tolist(), strict=True))
    assert len(pairs) == features.group.max() + 1 == group.max() + 1
    attribute, text = np.random.default_rng(0).normal(0, 3, (2, len(group)))
    contexts = slow_features.context_columns(features.tree, group, attribute, text)
    assert list(contexts) == context_columns()
    kind = PageType(article=0.25, forum=0.5, other=0.25)
    rows = with_contexts(features.rows, features.tree, features.group, attribute, text, kind)
    assert np.array_equal(rows[:, : len(FEATURES)], features.rows)
    assert (rows[:, len(FEATURES) + len(contexts) :] == (0.25, 0, 0.5, 0, 0, 0.25)).all()
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
@example(["\ud800 lone", "a" * 5000, "\U0001f600 smile", "w " * 3000])
def test_characters_and_words_are_those_of_the_slow_twins(texts):
    characters, slow = read_characters(texts), slow_features.read_characters(texts)
    for name in characters.__struct_fields__:
        assert np.array_equal(getattr(characters, name), getattr(slow, name)), name
    words, slow_words = read_words(characters), slow_features.read_words(slow)
    for name in words.__struct_fields__:
        assert np.array_equal(getattr(words, name), getattr(slow_words, name)), name
    assert np.array_equal(text_hashes(words), slow_features.text_hashes(words))
    assert np.array_equal(shape_hashes(words), slow_features.shape_hashes(words))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("sentence_ends", [0, 0, 0, 2, 1, 1]), ("commas", [0, 0, 0, 1, 0, 0]),
        ("date_or_year", [0, 0, 1, 0, 0, 0]), ("ends_a_sentence", [0, 0, 0, 1, 1, 1]),
        ("link_density", [1, 1, 0, 0, 0, 0]), ("links_on_the_page", [0, 1, 0, 0, 0, 0]),
        ("hidden", [0, 0, 0, 0, 1, 0]), ("in h1", [0, 0, 1, 0, 0, 0]),
        ("up to nav", [2, 2, 14, 14, 14, 14]), ("inside main", [0, 0, 1, 1, 1, 1]),
        ("inside article", [-1] * 6), ("path: number", np.log1p([2, 2, 1, 1, 1, 1])),
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
    column = features(page).rows[:, FEATURES.index("declared: from_headline")]
    assert np.allclose(column, [-np.log1p(4), -np.log1p(1), 0, np.log1p(3)])


LETTERS = "abAB -_\né中"
STEM = st.text("ab -é中", min_size=1, max_size=4)
STEMS = st.lists(STEM.filter(lambda one: one.strip() and len(one.encode()) >= 3), max_size=12)
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
BORDERS = st.sampled_from(["", "-", "_", " ", "\n", "-17", "4"])
NAMES = st.lists(st.tuples(PARTS, BORDERS), max_size=5)


@given(STEMS, st.lists(st.text(LETTERS, max_size=12), max_size=5))
def test_the_automaton_finds_the_texts_that_hold_a_stem(stems, texts):
    expected = [
        number
        for number, text in enumerate(texts)
        if any(stem in " " + text.translate(FOLDED) for stem in stems)
    ]
    assert Stems(stems).found_in(texts) == expected


@given(NAMES)
def test_names_that_tell_a_text_role_hold_a_stem_and_need_no_number(parts):
    attributes = "".join(part + border for part, border in parts)
    if named_roles(attributes):
        assert name_stems().found_in([attributes]) == [0]
    assert named_roles(attributes.replace("17", "0").replace("4", "0")) == named_roles(attributes)


STORY = f"<p>{'The council met on Monday and spoke about the bridge for a long time. ' * 4}</p>"
REMARK = "I was there, and it was not at all as your reporter says it was."
COMMENTED = f"<main>{STORY}<div class=comment-list><p>{REMARK}</p></div></main>"


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


ASKS = (
    "<p>We use cookies to improve this site.</p><button>Accept</button>",
    "<p>Diese Seite verwendet Cookies.</p><a href=#>Einverstanden</a>",
    "<p>Ce site utilise des cookies.</p><p>Accepter</p>",
    "<p>Мы используем куки. Продолжая, вы соглашаетесь.</p>",
)
ABOUT_COOKIES = f"<p>{'Sites use cookies and ask readers to accept them. ' * 20}</p>"


@pytest.mark.parametrize(
    ("markup", "role"),
    [
        (COMMENTED, "comments"),
        (f"<body class=comments>{STORY}{STORY}", ""),
        *((f"{STORY}<div>{asks}</div>", "consent") for asks in ASKS),
        (f"<div>{ABOUT_COOKIES}{ABOUT_COOKIES}</div>", ""),
        ("<div class=cookie-notice><p>We use cookies.<p>Accept?</div>", ""),
    ],
)
def test_elements_give_a_role_to_what_they_hold_unless_that_is_the_page(markup, role):
    document = parse_document(markup, "https://example.com/")
    features = read_features(document)
    roles = read_text_roles(document, features.tree, features.surroundings)
    for name in roles.__struct_fields__:
        assert getattr(roles, name)[:2].tolist() == [False, name == role]


@pytest.mark.parametrize(
    ("name", "comments", "kept", "reason"),
    [
        *(
            ("cookie-banner", one, [True, False], REASON_CONSENT)
            for one in ("auto", "keep", "drop")
        ),
        ("comment-list", "keep", [True, True], "page-level"),
        ("comment-list", "drop", [True, False], REASON_COMMENTS),
    ],
)
def test_consent_always_goes_and_a_setting_decides_on_comments(name, comments, kept, reason):
    markup = f"<main>{STORY}<div class={name}><p>{REMARK}</p></div></main>"
    config = CoreConfig(comments=comments)
    decision = clean(parse_document(markup, "https://example.com/"), None, config).decision
    assert (decision.kept.tolist(), decision.reasons[1]) == (kept, reason)
