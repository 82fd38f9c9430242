import numpy as np
import pytest

from templ_core.dom.document import parse_document
from templ_core.lab.evaluation.template_f import Overlap, template_f

PAGE = """<body><ul><li><a href=/>Home page</a></li><li><a href=/about>About</a> us</li></ul>
<p>Six words of the real article, <a href=/more>more</a></p></body>"""


def scores(kept, content, counts=(True, True, True)):
    document = parse_document(PAGE, "http://example.org/")
    words = np.array([2, 2, 7])
    return template_f(
        document, words, np.array(kept), np.array(content, float), np.array(counts, bool)
    )


def test_a_perfect_decision_scores_one_in_every_amount():
    found = scores([False, False, True], [0, 0, 1])
    for place in (found.in_templates, found.in_content):
        assert (place.text.f, place.anchor_text.f, place.links.f) == (1.0, 1.0, 1.0)


def test_removing_everything_has_the_precision_of_the_share_of_template():
    found = scores([False, False, False], [0, 0, 1])
    assert found.in_templates.text == Overlap(both=4, found=11, wanted=4)
    assert found.in_templates.anchor_text == Overlap(both=13, found=17, wanted=13)
    assert found.in_templates.links.precision == pytest.approx(2 / 3)
    assert found.in_templates.links.recall == 1.0
    assert found.in_content.text.f == 0.0


def test_neutral_segments_do_not_count_and_mixed_segments_count_in_part():
    found = scores([True, False, True], [0, 0.5, 1], [False, True, True])
    assert found.in_templates.text == Overlap(both=1, found=2, wanted=1)
    assert found.in_content.text == Overlap(both=7, found=7, wanted=8)


def test_a_page_without_template_has_no_f_of_template():
    assert scores([True, True, True], [1, 1, 1]).in_templates.links.f is None
