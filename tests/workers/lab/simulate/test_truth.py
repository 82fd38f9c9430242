"""The truth that comes with a page agrees with what a parser finds in the page."""

from datetime import timedelta
from itertools import pairwise

import lxml.html

from workers.lab.simulate.design import make_design
from workers.lab.simulate.feed import FeedSettings
from workers.lab.simulate.fragment import sections
from workers.lab.simulate.parts import BodyWriter
from workers.lab.simulate.site import Rhythm, archive_entry, make_site


def test_gold_text_is_what_the_selector_finds(pages, words_of, visible_words):
    checked = 0
    for page in pages:
        if page.gold_selector is None:
            continue
        tree = lxml.html.document_fromstring(page.html)
        excluded = tree.cssselect(page.gold_exclude)
        found = visible_words(tree.cssselect(page.gold_selector), excluded)
        assert found == words_of(page.gold_text), page.url
        checked += 1
    assert checked > 500


def test_sections_hold_the_visible_text_and_nothing_else(pages, words_of, visible_words):
    for page in pages:
        tree = lxml.html.document_fromstring(page.html)
        told = sum((words_of(text) for _, text in page.sections), words_of(""))
        assert told == visible_words([tree]), page.url


def test_sections_come_in_document_order(pages):
    for page in pages:
        section_types = [section_type for section_type, _ in page.sections]
        assert "content" not in section_types or section_types.index(
            "header"
        ) < section_types.index("content")
        assert all(one != other for one, other in pairwise(section_types))
        assert section_types[-1] in {"footer", "consent"}


def test_neutral_sections_are_what_the_neutral_selector_finds(pages, words_of, visible_words):
    for page in pages:
        if page.gold_neutral is None:
            continue
        tree = lxml.html.document_fromstring(page.html)
        found = visible_words(tree.cssselect(page.gold_neutral))
        told = sum(
            (
                words_of(text)
                for section_type, text in page.sections
                if section_type in {"neutral", "comments"}
            ),
            words_of(""),
        )
        assert (told - found) == words_of(""), page.url
        if page.gold_text is not None:
            assert found == told, page.url


def test_content_differs_from_page_to_page(pages):
    golds = {(page.url, page.gold_text) for page in pages if page.page_role == "article"}
    assert len({text for _, text in golds}) == len({url for url, _ in golds})


def test_an_entry_keeps_its_words_through_a_redesign():
    rhythm = Rhythm(FeedSettings().start, archive=50, gap=timedelta(hours=3))
    for number in range(8):
        site = make_site(number, "0", "news", "en", rhythm)
        texts = set()
        for look in (0, 1):
            design = make_design(site.seed, "0", number, look)
            writer = BodyWriter(site, archive_entry(site, 20), design.markup)
            texts.add(
                tuple(sections(part)[0].text for part in writer.paragraphs(300) if sections(part))
            )
        assert len(texts) == 1


def test_teasers_are_content_on_listings_but_not_on_home_pages(pages):
    roles = {page.page_role: page for page in pages}
    assert {"article", "listing", "home", "about"} == set(roles)
    assert roles["listing"].gold_text
    assert roles["home"].gold_text is None
    assert "neutral" in {section_type for section_type, _ in roles["home"].sections}
