import numpy as np
from lxml import html

from templ_core.dom.document import parse_document
from templ_core.explain.site_rules import RuledPage, site_rules
from templ_core.metadata.fields import Metadata

PAGE = """<html><body><div id=nav><a href=/>Home of all the news</a></div>
<div id='post-{0}' class='wide post'><h1>The story number {0}</h1><div class="
 by
">By Ann Lee on {0} May 2020</div>
<p>{1}</p><p>Share this article with others</p><div class=share>Tell your friends about it</div><p>{1} again</p></div>
<div class=post-foot><p>Other stories of the paper</p></div></body></html>"""
TEMPLATE = ("Home of", "By Ann", "Share this", "Tell your", "Other stories")


def words(number):
    return " ".join(f"word{number}{one}" for one in range(30))


def ruled(number):
    document = parse_document(PAGE.format(number, words(number)), "")
    kept = np.array([not text.startswith(TEMPLATE) for text in document.segments.texts])
    metadata = Metadata(
        title=f"The story number {number}",
        authors=["Ann Lee"],
        published_at=f"2020-05-{number:02}T10:00:00Z",
    )
    return RuledPage(document, kept, metadata)


RULES = site_rules([ruled(number) for number in range(1, 13)])


def test_rules_select_what_was_kept_on_a_page_that_they_do_not_know():
    root = html.document_fromstring(PAGE.format(20, words(20)))
    for rule in RULES.strip:
        for element in root.xpath(rule):
            element.drop_tree()
    body = root.xpath(RULES.body[0])
    text = " ".join(" ".join(" ".join(one.itertext()) for one in body).split())
    assert text == f"The story number 20 {words(20)} {words(20)} again"
    assert RULES.agreement == 1.0
    assert RULES.suffices


def test_rules_name_what_is_on_each_page_in_place_of_what_is_on_one():
    assert not [one for one in [*RULES.body, *RULES.strip] if "post-1" in one]


def test_title_date_and_author_are_found_where_the_window_shows_them():
    root = html.document_fromstring(PAGE.format(20, words(20)))
    fields = RULES.title, RULES.date, RULES.author
    assert [root.xpath(some[0])[0].text_content() for some in fields] == [
        "The story number 20",
        *["By Ann Lee on 20 May 2020"] * 2,
    ]
    assert RULES.date[-1] == "//meta[@property='article:published_time']/@content"


def test_text_without_a_place_is_said_to_need_the_worker():
    rng = np.random.default_rng(0)
    pages = [ruled(number) for number in range(1, 13)]
    pages = [page._replace(kept=rng.random(len(page.kept)) < 0.5) for page in pages]
    rules = site_rules(pages)
    assert not rules.suffices
    assert "needs the worker" in rules.verdict
