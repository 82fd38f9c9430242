import numpy as np
import pytest

from templ_core.lab.evaluation.report import bootstrap


def test_means_over_pages_and_over_sites():
    means = bootstrap([1.0, 1.0, 1.0, 0.0], ["a", "a", "a", "b"], 0)
    assert means.of_pages == pytest.approx(0.75)
    assert means.of_sites == pytest.approx(0.5)


def test_intervals_of_many_sites_agree_with_the_normal_approximation():
    values = np.random.default_rng(1).normal(0.8, 0.1, 400)
    means = bootstrap(values.tolist(), [f"s{n}" for n in range(400)], 7)
    half = 1.96 * values.std() / 20
    for interval in (means.pages_interval, means.sites_interval):
        assert interval.low == pytest.approx(values.mean() - half, abs=0.002)
        assert interval.high == pytest.approx(values.mean() + half, abs=0.002)


def test_more_pages_of_the_same_sites_do_not_narrow_the_interval():
    values, sites = [0.5, 0.9] * 2, ["a", "b"] * 2
    few = bootstrap(values, sites, 0).pages_interval
    many = bootstrap(values * 50, sites * 50, 0).pages_interval
    assert (many.low, many.high) == pytest.approx((few.low, few.high))


def test_equal_seeds_give_equal_intervals_and_one_site_has_none():
    values, sites = [n / 20 for n in range(20)], [f"s{n}" for n in range(20)]
    assert bootstrap(values, sites, 3) == bootstrap(values, sites, 3)
    assert bootstrap(values, sites, 3) != bootstrap(values, sites, 4)
    assert bootstrap(values, ["a"] * 20, 3).pages_interval is None
