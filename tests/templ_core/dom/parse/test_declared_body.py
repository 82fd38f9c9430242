import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templ_core.dom.decode._bytes import may_stand_in
from templ_core.dom.document import parse_document
from templ_core.dom.parse.declared_body import INSIDE_BODY, NO_BODY, OUTSIDE_BODY

STORY = [
    f"Paragraph number {name} says that the council met on Monday, and that it will meet again in {name} weeks."
    for name in ("one", "two", "three", "four")
]
PAGE = "<nav>Home News Sport</nav>" + "".join(f"<p>{text}" for text in STORY) + "<p>Read more"


def declared(body, page=PAGE, key="articleBody"):
    data = json.dumps({"@type": "NewsArticle", key: body})
    script = f'<script type="application/ld+json">{data}</script>'
    return parse_document(script + page, "https://a.com/").segments.declared.tolist()


def test_paragraphs_of_the_declared_body_are_inside_it():
    assert declared("\n".join(STORY)) == [OUTSIDE_BODY, *[INSIDE_BODY] * 4, OUTSIDE_BODY]


def test_html_and_character_references_of_a_body_are_read():
    body = "".join(f"&lt;p&gt;{text}&lt;/p&gt;" for text in STORY[:2])
    body += "".join(f"<p>{text}</p>" for text in STORY[2:])
    assert declared(body) == [OUTSIDE_BODY, *[INSIDE_BODY] * 4, OUTSIDE_BODY]


def test_a_paragraph_with_a_note_inside_is_found_by_its_edges():
    page = PAGE.replace("on Monday,", "on Monday (opens in a new window),")
    assert declared(" ".join(STORY), page)[1:5] == [INSIDE_BODY] * 4


@pytest.mark.parametrize(
    "body", ["", STORY[0][:30], " ".join(f"{text} elsewhere" * 9 for text in STORY), 7, None, ["x"]]
)
def test_a_body_that_is_short_or_stands_elsewhere_does_not_count(body):
    assert set(declared(body)) == {NO_BODY}


def test_the_longest_body_counts():
    twice = declared(STORY[0] * 3, declared_script("\n".join(STORY)) + PAGE)
    assert twice == [OUTSIDE_BODY, *[INSIDE_BODY] * 4, OUTSIDE_BODY]


def test_a_page_without_the_key_declares_nothing():
    assert set(declared("\n".join(STORY), key="description")) == {NO_BODY}


@pytest.mark.parametrize("literal", ['"\\ud8', '"never ends', '"\\x"', "{}", '"a\nb"'])
def test_broken_json_declares_nothing(literal):
    page = f'<script type="application/ld+json">{{"articleBody": {literal}}}</script>{PAGE}'
    assert set(parse_document(page, "").segments.declared.tolist()) == {NO_BODY}


def declared_script(body):
    data = json.dumps({"articleBody": body})
    return f'<script type="application/ld+json">{data}</script>'


@given(st.text("aB7é. _—", min_size=8, max_size=60), st.integers(0, 50), st.integers(1, 60))
def test_no_text_of_the_body_is_refused(body, start, size):
    letters = re.sub(r"[\W_]+", "", body).lower()
    text = body[start : start + size]
    assert may_stand_in(letters, [text, f"- {text.upper()} -"]) == [True, True]


def test_a_text_is_refused_if_neither_end_is_in_the_body():
    texts = ["Read more", "It rains a lot", "Oh no, it rains", "Öl", "x"]
    assert may_stand_in("itrains", texts) == [False, True, True, True, True]
