import pytest

from templ_core.lab.evaluation.calibration import calibrate


def test_confidence_and_f1_are_compared_bin_by_bin():
    found = calibrate([0.92, 0.98, 0.31], [0.9, 0.9, 0.41])
    assert [(one.low, one.pages) for one in found.bins] == [(0.3, 1), (0.9, 2)]
    assert found.mean_error == pytest.approx((2 * 0.05 + 0.1) / 3)
    assert found.bias == pytest.approx((0.02 + 0.08 - 0.1) / 3)


def test_errors_inside_a_bin_cancel_and_both_ends_of_the_scale_have_a_bin():
    found = calibrate([0.0, 1.0, 0.95, 0.95], [0.0, 1.0, 0.9, 1.0])
    assert found.mean_error == pytest.approx(abs(2.9 - 2.9) / 4)
    assert [one.high for one in found.bins] == [0.1, 1.0]
