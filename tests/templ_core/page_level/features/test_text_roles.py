import numpy as np
import pytest

from templ_core.clean_document import clean
from templ_core.config import CoreConfig
from templ_core.decide import REASON_COMMENTS, REASON_CONSENT
from templ_core.dom.document import parse_document
from templ_core.page_level.config import SELECTION_CONFIG
from templ_core.page_level.features.page_features import read_features
from templ_core.page_level.features.text_roles import (
    COMMENTS,
    CONSENT,
    REVIEWS,
    named_roles,
    read_text_roles,
)
from templ_core.page_level.model.page_type import PageType
from templ_core.page_level.selection import with_policy

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
