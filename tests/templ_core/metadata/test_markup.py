import pytest

from templ_core.dom.document import parse_document
from templ_core.metadata.markup import PageMarkup
from templ_core.page_level.model.page_type import PageType
from templ_core.site_cleaner.cleaned_page import page_kind


def stated(markup):
    page = parse_document(markup + "<p>Some text.", "")
    return PageMarkup(page).kind


def ld(text):
    return f'<script type="application/ld+json">{text}</script>'


@pytest.mark.parametrize(
    ("markup", "kind"),
    [
        (ld('{"@type":"NewsArticle"}'), "article"),
        (ld('{"@type":"QAPage"}'), "forum"),
        (ld('{"@type":"DiscussionForumPosting"}'), "forum"),
        (ld('{"@type":"Product"}'), "product"),
        (ld('{"@type":"CollectionPage"}'), "listing"),
        (ld('[{"@type":"Product"},{"@type":"BlogPosting"}]'), "article"),
        (ld('{"@type":"Product"}') + '<meta property="og:type" content="article">', None),
        ('<meta property="og:type" content="product.item">', "product"),
        ('<meta property="og:type" content="product">', "product"),
        ('<meta property="og:type" content="article">', None),
        ("", None),
    ],
)
def test_the_markup_states_the_type(markup, kind):
    assert stated(markup) == kind


def test_a_record_believes_the_markup_but_for_threads_and_manuals():
    product, article = (stated(ld(f'{{"@type":"{name}"}}')) for name in ("Product", "Article"))
    assert page_kind(PageType(article=0.8, other=0.2), product) == "product"
    assert page_kind(PageType(forum=0.8, other=0.2), product) == "forum"
    assert page_kind(PageType(product=0.8, other=0.2), article) == "article"
    assert page_kind(PageType(documentation=0.8, other=0.2), article) == "documentation"


def test_an_article_that_is_part_of_a_subscription_is_no_product():
    part = '"isPartOf": {"@type": ["CreativeWork", "Product"]}'
    assert stated(ld(f'{{"@type": "NewsArticle", "headline": "Rain", {part}}}')) == "article"
    assert stated(ld(f'{{"@type": "Product", "headline": "Rain", {part}}}')) == "product"
