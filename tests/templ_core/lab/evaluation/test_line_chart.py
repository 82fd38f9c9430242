from lxml import etree

from templ_core.lab.evaluation.line_chart import line_chart


def test_a_chart_is_well_formed_and_shows_every_point():
    svg = line_chart("A < B", "x", "y", {"one": [(0.1, 0.2), (10, 0.7)], "two": [(1, -0.1)]})
    root = etree.fromstring(svg)
    names = [etree.QName(element).localname for element in root.iter()]
    assert names.count("circle") == 3
    assert names.count("polyline") == 2
    assert "A < B" in "".join(root.itertext())
    heights = [float(element.get("cy")) for element in root.iter("{*}circle")]
    assert heights[1] < heights[0] < heights[2]


def test_a_chart_of_a_single_point():
    assert "<circle" in line_chart("t", "x", "y", {"one": [(1, 0.5)]})
