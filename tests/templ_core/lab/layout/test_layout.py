import numpy as np

from templ_core.dom.document import parse_document
from templ_core.lab.layout import VIEWPORT_PX, estimate_layout, read_presentation

LONG = "word " * 400


def boxes(markup):
    document = parse_document(markup, "https://a.org/")
    return document.nodes.tags, estimate_layout(document, read_presentation(document, markup))


def numbers(tags, tag):
    return [number for number, one in enumerate(tags) if one == tag]


def test_blocks_are_stacked_in_the_width_of_their_parent():
    tags, found = boxes(f"<body><div>short</div><div>{LONG}</div><div>end</div>")
    first, second, third = numbers(tags, "div")
    assert found.width[first] == found.width[second] == VIEWPORT_PX - 16
    assert found.height[second] > 5 * found.height[first]
    assert found.top[second] == found.top[first] + found.height[first]
    assert found.top[third] == found.top[second] + found.height[second]
    assert found.page_height >= found.top[third] + found.height[third]


def test_cells_are_side_by_side_and_share_the_width_by_their_text():
    tags, found = boxes(f"<body><table width=100%><tr><td>menu<td>{LONG}</table>")
    menu, main = numbers(tags, "td")
    assert found.top[menu] == found.top[main]
    assert found.left[main] == found.left[menu] + found.width[menu]
    assert found.width[main] > 5 * found.width[menu]
    row = numbers(tags, "tr")[0]
    assert found.height[row] == max(found.height[menu], found.height[main])


def test_declared_widths_of_cells_are_used():
    tags, found = boxes(f"<body><table width=1000><tr><td width=20%>{LONG}<td width=80%>b</table>")
    left, right = numbers(tags, "td")
    assert np.isclose(found.width[left], 200)
    assert np.isclose(found.width[right], 800)


def test_hidden_elements_take_no_space():
    tags, found = boxes(f"<body><div hidden>{LONG}</div><p>seen</p>")
    assert found.area[numbers(tags, "div")[0]] == 0
    assert found.top[numbers(tags, "p")[0]] < 30


def test_line_breaks_and_wide_characters_take_space():
    tags, found = boxes(f"<body><div>a</div><div>a<br>b</div><div>{'中' * 100}</div>")
    one, two, han = (found.height[number] for number in numbers(tags, "div"))
    assert two == 2 * one
    assert han == 2 * one


def test_all_boxes_are_inside_the_page():
    _, found = boxes(f"<table><tr><td><ul><li>{LONG}<li>x</ul><td><blockquote>{LONG}</table>{LONG}")
    assert (found.left >= 0).all()
    assert (found.top >= 0).all()
    assert np.isfinite(found.area).all()
    assert found.page_width >= VIEWPORT_PX
