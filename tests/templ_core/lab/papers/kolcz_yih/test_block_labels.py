from templ_core.dom.document import parse_document
from templ_core.lab.layout import read_presentation
from templ_core.lab.papers.kolcz_yih.blocks import block_labels, read_blocks

MENU = "The menu of the site with all of its many sections"
TWICE = "A text that stands on two pages of the site and no more"


def read(markup):
    document = parse_document(markup, "https://a.org/")
    return document, read_blocks(document, read_presentation(document, markup))


def site(bodies):
    pages = [read(f"<body>{body}") for body in bodies]
    labels = block_labels([blocks for _, blocks in pages])
    return [
        {
            (document.nodes.tags[blocks.node[place]], blocks.texts[place]): bool(template)
            for place, template in zip(found.place, found.template, strict=True)
        }
        for (document, blocks), found in zip(pages, labels, strict=True)
    ]


def own(number, part="x"):
    return f"The text of article number {number}, part {part}, is unlike others"


def test_frequent_blocks_are_template_and_unique_blocks_are_not():
    found = site(f"<div>{MENU}</div><blockquote>{own(n)}</blockquote>" for n in range(20))
    assert found[3] == {("div", MENU): True, ("blockquote", own(3)): False}


def test_blocks_on_a_few_pages_have_no_label_nor_have_the_blocks_around_them():
    bodies = [f"<div>{MENU}</div><table><tr><td>{own(n)}</table>" for n in range(40)]
    for number in (0, 1):
        bodies[number] = f"<ul><li>{TWICE}</li><li>{own(number)}</li></ul>"
    assert site(bodies)[0] == {("li", own(0)): False}


def test_only_the_topmost_unique_block_has_a_label():
    found = site(
        f"<div>{MENU}</div><table><tr><td>{own(n, 'a')}<td>{own(n, 'b')}</table>" for n in range(20)
    )
    tags = [tag for (tag, _), template in found[5].items() if not template]
    assert tags == ["table"]


def test_unique_blocks_around_template_have_no_label():
    found = site(f"<div><div>{MENU}</div>{own(n)} {own(n, 'b')}</div>" for n in range(20))
    assert found[0] == {("div", MENU): True}


def test_a_text_that_a_page_has_twice_has_one_label():
    found = site(f"<div>{MENU}</div><div>{MENU}</div><h1>{own(n)}</h1>" for n in range(20))
    assert [text for _, text in found[0]] == [MENU, own(0)]


def test_blocks_on_a_tenth_of_the_pages_are_template():
    bodies = [f"<h1>{own(n)}</h1>" + f"<div>{MENU}</div>" * (n < 4) for n in range(40)]
    assert site(bodies)[0]["div", MENU]
    bodies = [f"<h1>{own(n)}</h1>" + f"<div>{MENU}</div>" * (n < 3) for n in range(40)]
    assert ("div", MENU) not in site(bodies)[0]
