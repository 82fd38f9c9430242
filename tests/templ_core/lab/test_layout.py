import numpy as np
import pytest

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


def presented(markup):
    document = parse_document(markup, "https://a.org/")
    return document, read_presentation(document, markup)


def at(document, tag):
    return document.nodes.tags.index(tag)


def test_declared_widths_and_heights_are_read():
    document, found = presented(
        '<body><table width="80%"><tr><td width=200><img src=x width=30 height=40>a'
        "<td style='max-width:9px; width: 50%'>b</table><div style='height:12px'>c</div>"
    )
    assert found.width_share[at(document, "table")] == pytest.approx(0.8)
    cells = [number for number, tag in enumerate(document.nodes.tags) if tag == "td"]
    assert found.width_px[cells[0]] == 200
    assert found.width_share[cells[1]] == 0.5
    assert found.height_px[at(document, "img")] == 40
    assert found.height_px[at(document, "div")] == 12


@pytest.mark.parametrize(
    ("declared", "lightness"),
    [
        ("bgcolor=#000000", 0),
        ("bgcolor=FFFFFF", 1),
        ("style='background: #fff url(x)'", 1),
        ("style='color:red;background-color:rgb(255, 0, 0)'", 0.299),
        ("bgcolor=navy", 0.06),
        ("style='color:#000'", None),
        ("bgcolor=nonsense", None),
        ("bgcolor=' '", None),
        ("style='background: ;width:3px'", None),
    ],
)
def test_the_lightness_of_declared_backgrounds_is_read(declared, lightness):
    document, found = presented(f"<body><div {declared}>text</div>")
    value = found.background[at(document, "div")]
    assert np.isnan(value) if lightness is None else value == pytest.approx(lightness)


def test_lines_and_markup_characters_are_counted():
    document, found = presented("<body>\n<p class=x>a\n<div>b<script>12345</script></div>")
    assert found.line[at(document, "p")] == 2
    assert found.line[at(document, "div")] == 3
    assert found.markup_chars[at(document, "p")] == len("<p></p>") + len(' class="x"')
    assert found.invisible_chars[at(document, "div")] == 5


def test_the_markup_of_another_page_gives_no_presentation():
    document, _ = presented("<body><p>a")
    assert read_presentation(document, "<body><div>a") is None
    assert read_presentation(document, " ") is None
