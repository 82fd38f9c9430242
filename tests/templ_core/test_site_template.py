"""The template of a site once: what nearly all pages show and lose, by the part of the page that it stands in."""

import numpy as np

from templ_core.dom.document import parse_document
from templ_core.explain.page_kinds import KeptPage
from templ_core.explain.site_template import site_template, template_markdown

KEPT = {"Rain", "Own words"}


def read(number, name="x"):
    markup = (
        f"<html><body><div class=cookie-bar>We use cookies.</div><div class={name}1>The Courier</div>"
        f"<nav><a href=/>Home</a></nav><div class={name}2><div class={name}3><h1>Rain {number}</h1><p>Own words {number}.</p></div>"
        f"<div class={name}4><p>Most read</p></div></div><div class={name}5>All rights reserved.</div></body></html>"
    )
    document = parse_document(markup, f"https://a.example/{number}")
    kept = [text.startswith(tuple(KEPT)) for text in document.segments.texts]
    return KeptPage(f"https://a.example/{number}", document, np.array(kept))


def test_each_text_stands_once_in_its_part():
    template = site_template("a.example", [read(number) for number in range(9)])
    assert template.pages == 9
    assert {one.part: [line.text for line in one.lines] for one in template.parts} == {
        "notices": ["We use cookies."],
        "header": ["The Courier"],
        "menu": ["Home"],
        "beside": ["Most read"],
        "footer": ["All rights reserved."],
    }
    assert {line.pages for one in template.parts for line in one.lines} == {9}
    assert template_markdown(template).startswith(
        "# a.example\n\n## Notices\n\n- We use cookies.\n\n## Header\n\n- The Courier\n"
    )


def test_a_text_of_one_page_is_no_template():
    assert site_template("a.example", [read(1)]).parts == []
    assert site_template("a.example", []).parts == []
