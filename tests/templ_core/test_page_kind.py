import pytest

from templ_core.clean_document import clean
from templ_core.config import CoreConfig
from templ_core.dom.document import parse_document
from templ_core.page_kind import page_kind, stated_kind
from templ_core.page_level.model.page_type import PAGE_TYPES, PageType

PROSE = (
    "<p>The council met on Monday, and it said that the bridge stays closed until May, because the workers found cracks "
    "in two of the four pillars and have to wait for steel.<p>“Nobody had thought that it would take so long,” said Ann Lee, "
    "the mayor, after the meeting. People who live on the other side of the river are angry with her.<p>Last year she had "
    "promised them that they would not have to take the long way round for more than a few weeks, but the company that "
    "repairs the pillars went bankrupt in winter.<p>A boat brings children to school in the morning, and it is free."
)
MENU = "<nav><a href=/a>Home</a> <a href=/b>About</a> <a href=/c>Contact</a></nav>"


def kind(body, url, stated=None):
    page = parse_document(f"<html><title>Otterford</title><body>{MENU}{body}", url)
    return page_kind(page, url, clean(page, None, CoreConfig()).decision, stated)


def teasers(path, price=""):
    return "".join(
        f"<div class=card><h3><a href=/{path}/{number}>Boat number {number} with a new mast</a></h3>{price}"
        "<p>It came back from the island.</p></div>"
        for number in range(12)
    )


@pytest.mark.parametrize(
    ("body", "url", "wanted"),
    [
        (f"<h1>Bridge stays closed</h1>{PROSE}", "https://a.example/2026/03/04/bridge-stays-closed-until-may", "article"),
        (f"<h1>Boats</h1>{teasers('boats')}", "https://a.example/category/boats/", "listing"),
        (f"<h1>Boats</h1>{teasers('p', '<span>$ 19.00</span>')}", "https://a.example/collections/boats", "listing"),
        (
            "<h1>Brass kettle</h1><p class=price>€ 49,00</p><button class=add-to-cart>Add to cart</button>"
            "<p>A kettle of brass that holds two litres.<table><tr><td>Weight<td>1 kg<tr><td>Colour<td>brass</table>"
            + teasers("products"),
            "https://a.example/products/brass-kettle", "product",
        ),
    ],
)  # fmt: skip
def test_pages_without_statements_are_typed_by_address_lists_and_prices(body, url, wanted):
    assert kind(body, url) == wanted


def test_a_page_without_text_is_nothing():
    page = parse_document("<p>", "")
    assert page_kind(page, "", clean(page, None, CoreConfig()).decision, "article") is None


@pytest.mark.parametrize("url", ["", "https://[broken/", "x" * 20_000])
def test_a_page_without_an_address_is_typed_by_the_rest(url):
    page = parse_document(f"<html><body>{MENU}<h1>Bridge stays closed</h1>{PROSE}", url)
    decision = clean(page, None, CoreConfig()).decision
    likely = max(PAGE_TYPES, key=lambda name: getattr(decision.page_type, name))
    assert page_kind(page, url, decision, None) == likely


def test_any_address_is_read():
    assert kind(PROSE, "https://a.example/%ff%00?q=%&page=" + "9" * 10_000) in PAGE_TYPES


def test_what_the_markup_states_counts_but_for_threads_and_manuals():
    assert stated_kind(PageType(article=0.8, other=0.2), "product") == "product"
    assert stated_kind(PageType(forum=0.8, other=0.2), "product") == "forum"
    assert stated_kind(PageType(product=0.8, other=0.2), "article") == "article"
    assert stated_kind(PageType(documentation=0.8, other=0.2), "article") == "documentation"
    assert (
        kind(f"<h1>Boats</h1>{teasers('boats')}", "https://a.example/category/boats/", "product")
        == "product"
    )
