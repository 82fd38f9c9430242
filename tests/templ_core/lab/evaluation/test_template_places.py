import pytest

from templ_core.lab.evaluation.template_f import Overlap, PlaceF, TemplateF, mean_f

NONE = Overlap(both=0, found=0, wanted=0)


def page(in_templates, in_content):
    return TemplateF(
        in_templates=PlaceF(text=Overlap(**in_templates), anchor_text=NONE, links=NONE),
        in_content=PlaceF(text=Overlap(**in_content), anchor_text=NONE, links=NONE),
    )


RIGHT = page({"both": 60, "found": 60, "wanted": 60}, {"both": 40, "found": 40, "wanted": 40})
WRONG = page({"both": 0, "found": 40, "wanted": 60}, {"both": 0, "found": 60, "wanted": 40})


def test_amounts_are_summed_within_sites_and_sites_have_equal_weight():
    places = mean_f([("a", RIGHT)] * 9 + [("b", WRONG)], 0)
    assert places.in_templates["text"].f == pytest.approx(0.5)
    assert places.in_content["text"].precision == pytest.approx(0.5)
    assert places.in_templates["text"].sites == 2
    assert mean_f([("a", RIGHT), ("a", WRONG)], 0).in_templates["text"].f == pytest.approx(
        2 * 60 / (100 + 120)
    )


def test_the_f_of_putting_everything_into_one_class_is_reported():
    places = mean_f([("a", WRONG)], 0)
    assert places.in_templates["text"].all_f == pytest.approx(2 * 60 / (100 + 60))
    assert places.in_content["text"].all_f == pytest.approx(2 * 40 / (100 + 40))


def test_amounts_that_the_gold_does_not_have_are_left_out():
    assert set(mean_f([("a", RIGHT)], 0).in_templates) == {"text"}
