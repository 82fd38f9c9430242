from lxml import etree

from workers.inspect.plots import Dot, curves
from workers.lab.plots import line_chart, reliability, svg_file


def elements(svg, name):
    return list(etree.fromstring(svg).iter(f"{{*}}{name}"))


def test_a_file_is_well_formed_and_shows_every_point_and_name():
    lines = {"one": [(0.1, 0.2), (10, 0.7)], "two": [(1, -0.1)]}
    svg = svg_file(line_chart("A < B", "x", "y", lines))
    assert len(elements(svg, "polyline")) == 2
    texts = ["".join(one.itertext()) for one in elements(svg, "text")]
    assert {"A < B", "x", "y", "one", "two", "-0.10"} <= set(texts)
    places = {(float(one.get("cx")), float(one.get("cy"))) for one in elements(svg, "circle")}
    (left, middle, right) = sorted(places)
    assert right[1] < left[1] < middle[1]
    assert middle[0] - left[0] == right[0] - middle[0]  # 0.1, 1 and 10 on a logarithmic axis


def test_a_chart_of_a_single_point():
    assert len(elements(svg_file(line_chart("t", "x", "y", {"one": [(1, 0.5)]})), "circle")) == 1


def test_names_are_escaped_and_a_legend_tells_several_lines():
    one, two = "<script>alert(1)</script>", "two"
    both = curves({one: [(0, 0)], two: [(1, 1)]}, "x", "y").__html__()
    assert "<script" not in both
    assert both.count('class="swatch"') == 2
    assert "swatch" not in curves({one: [(0, 0)]}, "x", "y").__html__()


def test_a_reliability_diagram_has_a_diagonal_and_dots_of_their_sizes():
    dots = [Dot(x=0.5, y=0.6, size_px=4, label="3 pages")]
    svg = svg_file(reliability({"all": dots}, "confidence", "word F1"))
    (guide,) = [one for one in elements(svg, "polyline") if one.get("class") == "guide"]
    assert guide.get("points").split() == ["56.0,312.0", "356.0,12.0"]
    (dot,) = elements(svg, "circle")
    assert (dot.get("r"), "".join(dot.itertext())) == ("4", "3 pages")
