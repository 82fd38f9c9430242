"""Near-duplicates of an article count once; pages that merely look alike all count."""

from templ_core.dom.document import read_document
from templ_core.page_level.model.model_file import shipped_model
from templ_core.site_level.window.page_summary import summarise_page
from templ_core.site_level.window.window_dedup import distinct_pages

MENU = "<ul><li><a href=/>Home</a><li><a href=/about>About us</a><li><a href=/shop>Shop</a></ul>"


def summary(*paragraphs):
    body = MENU + "<article>" + "".join(f"<p>{one}" for one in paragraphs) + "</article>"
    html = f"<html><body>{body}</body></html>".encode()
    return summarise_page(read_document(html, "https://a.com/1"), shipped_model())


def article(topic, count=6):
    return [
        f"In its paragraph {n} the text about {topic} goes on to say a number of things, and it "
        f"takes a good many words of plain prose for the {topic} to be described as it should be."
        for n in range(count)
    ]


def test_copies_and_reprints_of_an_article_count_once():
    pages = [
        summary(*article("rivers")),
        summary(*article("rivers"), "Printed on another day."),
        summary(*article("mountains")),
        summary(*article("rivers")),
    ]
    assert distinct_pages(pages) == [0, 2]


def test_articles_that_share_less_are_distinct():
    pages = [
        summary(*article("rivers", 3), *article("lakes", 3)),
        summary(*article("rivers", 3), *article("seas", 3)),
    ]
    assert distinct_pages(pages) == [0, 1]


def test_short_pages_are_all_distinct():
    assert distinct_pages([summary("Nothing here."), summary("Nothing here.")]) == [0, 1]
    assert distinct_pages([]) == []
