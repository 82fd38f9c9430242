import pytest

from templ_core.lab.training.quality import PageResult
from templ_core.lab.training.stability import SITE_PAGES_MIN, stability


def results(large, small):
    pages = [PageResult(corpus="c", site="large", page_type="", f1=large)] * SITE_PAGES_MIN
    return [*pages, PageResult(corpus="c", site="small", page_type="", f1=small)]


def test_spreads_are_reported_for_corpora_and_large_sites():
    found = stability([results(0.8, 1.0), results(0.9, 0.2)])
    assert found.sites["c"]["large"].widest == pytest.approx(0.1)
    assert found.sites["c"].keys() == {"large"}
    assert found.corpora["c"].f1 == pytest.approx([(16 + 1) / 21, (18 + 0.2) / 21])
