import numpy as np
import pytest

from templ_core.dom.document import parse_document
from templ_core.lab.layout import read_presentation


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
