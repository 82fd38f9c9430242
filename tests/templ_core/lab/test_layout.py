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
    tags, layout = boxes(f"<body><div>short</div><div>{LONG}</div><div>end</div>")
    first, second, third = numbers(tags, "div")
    assert layout.width[first] == layout.width[second] == VIEWPORT_PX - 16
    assert layout.height[second] > 5 * layout.height[first]
    assert layout.top[second] == layout.top[first] + layout.height[first]
    assert layout.top[third] == layout.top[second] + layout.height[second]
    assert layout.page_height >= layout.top[third] + layout.height[third]


def test_cells_are_side_by_side_and_share_the_width_by_their_text():
    tags, layout = boxes(f"<body><table width=100%><tr><td>menu<td>{LONG}</table>")
    menu, main = numbers(tags, "td")
    assert layout.top[menu] == layout.top[main]
    assert layout.left[main] == layout.left[menu] + layout.width[menu]
    assert layout.width[main] > 5 * layout.width[menu]
    row = numbers(tags, "tr")[0]
    assert layout.height[row] == max(layout.height[menu], layout.height[main])


def test_declared_widths_of_cells_are_used():
    tags, layout = boxes(f"<body><table width=1000><tr><td width=20%>{LONG}<td width=80%>b</table>")
    left, right = numbers(tags, "td")
    assert np.isclose(layout.width[left], 200)
    assert np.isclose(layout.width[right], 800)


def test_hidden_elements_take_no_space():
    tags, layout = boxes(f"<body><div hidden>{LONG}</div><p>seen</p>")
    assert layout.area[numbers(tags, "div")[0]] == 0
    assert layout.top[numbers(tags, "p")[0]] < 30


def test_line_breaks_and_wide_characters_take_space():
    tags, layout = boxes(f"<body><div>a</div><div>a<br>b</div><div>{'中' * 100}</div>")
    one, two, han = (layout.height[number] for number in numbers(tags, "div"))
    assert two == 2 * one
    assert han == 2 * one


def test_all_boxes_are_inside_the_page():
    _, layout = boxes(
        f"<table><tr><td><ul><li>{LONG}<li>x</ul><td><blockquote>{LONG}</table>{LONG}"
    )
    assert (layout.left >= 0).all()
    assert (layout.top >= 0).all()
    assert np.isfinite(layout.area).all()
    assert layout.page_width >= VIEWPORT_PX


def presented(markup):
    document = parse_document(markup, "https://a.org/")
    return document, read_presentation(document, markup)


def at(document, tag):
    return document.nodes.tags.index(tag)


def test_declared_widths_and_heights_are_read():
    document, presentation = presented(
        '<body><table width="80%"><tr><td width=200><img src=x width=30 height=40>a'
        "<td style='max-width:9px; width: 50%'>b</table><div style='height:12px'>c</div>"
    )
    assert presentation.width_share[at(document, "table")] == pytest.approx(0.8)
    cells = [number for number, tag in enumerate(document.nodes.tags) if tag == "td"]
    assert presentation.width_px[cells[0]] == 200
    assert presentation.width_share[cells[1]] == 0.5
    assert presentation.height_px[at(document, "img")] == 40
    assert presentation.height_px[at(document, "div")] == 12


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
    document, presentation = presented(f"<body><div {declared}>text</div>")
    value = presentation.background[at(document, "div")]
    assert np.isnan(value) if lightness is None else value == pytest.approx(lightness)


def test_lines_and_markup_characters_are_counted():
    document, presentation = presented("<body>\n<p class=x>a\n<div>b<script>12345</script></div>")
    assert presentation.line[at(document, "p")] == 2
    assert presentation.line[at(document, "div")] == 3
    assert presentation.markup_chars[at(document, "p")] == len("<p></p>") + len(' class="x"')
    assert presentation.invisible_chars[at(document, "div")] == 5


def test_the_markup_of_another_page_gives_no_presentation():
    document, _ = presented("<body><p>a")
    assert read_presentation(document, "<body><div>a") is None
    assert read_presentation(document, " ") is None
