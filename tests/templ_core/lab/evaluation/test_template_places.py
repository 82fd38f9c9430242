import pytest

from templ_core.lab.evaluation.template_f import Overlap, PlaceF, TemplateF
from templ_core.lab.evaluation.template_places import mean_f

NONE = Overlap(both=0, found=0, wanted=0)


def page(in_templates, in_content):
    return TemplateF(
        in_templates=PlaceF(text=Overlap(**in_templates), anchor_text=NONE, links=NONE),
        in_content=PlaceF(text=Overlap(**in_content), anchor_text=NONE, links=NONE),
    )


RIGHT = page({"both": 60, "found": 60, "wanted": 60}, {"both": 40, "found": 40, "wanted": 40})
WRONG = page({"both": 0, "found": 40, "wanted": 60}, {"both": 0, "found": 60, "wanted": 40})


def test_amounts_are_summed_within_a_site_and_sites_count_alike():
    places = mean_f([("a", RIGHT)] * 9 + [("b", WRONG)], 0)
    assert places.in_templates["text"].f == pytest.approx(0.5)
    assert places.in_content["text"].precision == pytest.approx(0.5)
    assert places.in_templates["text"].sites == 2
    assert mean_f([("a", RIGHT), ("a", WRONG)], 0).in_templates["text"].f == pytest.approx(
        2 * 60 / (100 + 120)
    )


def test_calling_everything_template_is_told_beside():
    places = mean_f([("a", WRONG)], 0)
    assert places.in_templates["text"].all_f == pytest.approx(2 * 60 / (100 + 60))
    assert places.in_content["text"].all_f == pytest.approx(2 * 40 / (100 + 40))


def test_what_the_gold_has_nothing_of_is_left_out():
    assert set(mean_f([("a", RIGHT)], 0).in_templates) == {"text"}
