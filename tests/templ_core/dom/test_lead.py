"""The lead: where it is found, and that it stays."""

import numpy as np
import pytest

from templ_core.clean_document import clean
from templ_core.config import CoreConfig
from templ_core.dom.codec import compress_columns, decode_document, document_columns
from templ_core.dom.document import parse_document
from templ_core.dom.parse.declared_body import LEAD

LEAD_TEXT = (
    "The bridge's roadway stays closed until May, the council says, and the ferry runs twice."
)
STORY = "The council met on Monday and agreed that the old bridge stays closed until May. " * 4


def page(head, body):
    return f"<title>The Daily: news of the harbour and the bridge</title>{head}<body>{body}"


def described(text, name="name=description"):
    return f'<meta {name} content="{text}">'


def leads(head, body):
    segments = parse_document(page(head, body), "").segments
    return [segments.texts[at] for at in np.flatnonzero(segments.declared == LEAD)]


BODY = f"<h1>Bridge closed</h1><p>By Ann Lee<p>{LEAD_TEXT}<p>{STORY}"


@pytest.mark.parametrize(
    "head",
    [
        described(LEAD_TEXT),
        described(LEAD_TEXT[:60] + " ..."),
        described(LEAD_TEXT.replace("'", "&#39;"), "property=og:description"),
        described("News of the day") + described(LEAD_TEXT, "property=og:description"),
        described(LEAD_TEXT + " More in our paper."),
        f'<meta content="{LEAD_TEXT}" name=Description>',
    ],
)
def test_the_text_below_the_headline_that_a_page_declares_is_its_lead(head):
    assert leads(head, BODY) == [LEAD_TEXT]


@pytest.mark.parametrize(
    ("head", "body"),
    [
        ("", BODY),
        (described("Bridge"), "<h1>Bridge closed</h1><p>Bridge"),  # it is too short
        (described(LEAD_TEXT), f"<p>{LEAD_TEXT}<h1>Bridge closed</h1><p>{STORY}"),
        (described(LEAD_TEXT), f"<h1>One</h1><h1>Two</h1><p>{LEAD_TEXT}"),
        (described(LEAD_TEXT), f"<h2>Bridge closed</h2><p>{LEAD_TEXT}"),
        (described(LEAD_TEXT), "<h1>Bridge closed</h1>" + "<p>Note" * 9 + f"<p>{LEAD_TEXT}"),
    ],
)
def test_other_text_is_no_lead(head, body):
    assert leads(head, body) == []


def test_a_lead_in_a_box_of_its_own_stays():
    body = (
        "<nav><a href=/>Home</a><a href=/news>News</a></nav><div class=teaser-box><h1>Bridge closed</h1>"
        f"<aside>{LEAD_TEXT}</aside></div><article><p>{STORY}</article>"
    )
    found = [
        clean(parse_document(page(head, body), ""), None, CoreConfig()).text
        for head in (described(LEAD_TEXT), "")
    ]
    assert [LEAD_TEXT in text for text in found] == [True, False]


def test_a_stored_document_knows_its_lead():
    document = parse_document(page(described(LEAD_TEXT), BODY), "")
    stored = decode_document(compress_columns(document_columns(document)))
    assert (stored.segments.declared == document.segments.declared).all()


@pytest.mark.parametrize(
    ("title", "headline", "is_told"),
    [
        ("Bridge closed until May | The Daily", "Bridge closed until May", True),
        ("The Daily - Bridge closed until May", "Bridge closed until May", True),
        ("Bridge closed", "Bridge closed: the ferry runs twice", True),
        ("Bridge closed until May | The Daily", "The Daily", False),
        ("Bridge closed until May", "Ferry runs twice", False),
        ("", "Bridge closed until May", False),
    ],
)
def test_the_only_h1_is_the_headline_if_the_title_says_so(title, headline, is_told):
    markup = f"<title>{title}</title><p>News<h1>{headline}</h1><p>{STORY}"
    segments = parse_document(markup, "").segments
    assert (segments.declared == LEAD).tolist() == [False, is_told, False]


def test_text_beside_the_elements_of_a_page_is_no_part_of_its_headline():
    markup = f"<title>Bridge closed</title>News<h1>Bridge closed</h1>today<p>{STORY}</p>and more"
    segments = parse_document(markup, "").segments
    assert [segments.texts[at] for at in np.flatnonzero(segments.declared == LEAD)] == [
        "Bridge closed"
    ]


def test_the_headline_of_an_article_stays_in_whatever_box_it_is():
    body = f"<header><div class=banner><h1>Bridge closed</h1></div></header><article><p>{STORY}</article>"
    for title in ("Bridge closed - The Daily", "The Daily"):
        text = clean(parse_document(f"<title>{title}</title>{body}", ""), None, CoreConfig()).text
        assert ("Bridge closed" in text) == title.startswith("Bridge")
