import pytest

from templ_core.lab.evaluation.report import PageScore, by_pages_seen, compare, group, summarise


def score(f1, **fields):
    values = {
        "site": "a.org",
        "seen": 1,
        "f1": f1,
        "precision": f1,
        "recall": f1,
        "template_f": None,
        "full_text_f1": 0.5,
    }
    return PageScore(**{**values, **fields})


def test_the_summary_has_means_over_pages_and_sites():
    summary = summarise([score(1.0), score(0.8, character_f1=0.9), score(0.3, site="b.org")])
    assert (summary.pages, summary.sites) == (3, 2)
    assert summary.f1 == pytest.approx(0.7)
    assert summary.site_f1 == pytest.approx(0.6)
    assert summary.below_half == pytest.approx(1 / 3)
    assert summary.character_f1 == pytest.approx(0.9)
    assert summary.template_f is None
    assert summary.f1_interval.low < 0.7 < summary.f1_interval.high


def test_two_systems_are_compared_page_by_page():
    ours = [score(0.9), score(0.7, site="b.org")]
    theirs = [score(0.8), score(0.6, site="b.org")]
    means = compare(ours, theirs)
    assert means.of_pages == pytest.approx(0.1)
    assert means.pages_interval.low == pytest.approx(0.1)


def test_groups_are_in_ascending_order():
    scores = [score(1.0, page_type="news", seen=30), score(0.5, page_type="forum", seen=2)]
    assert list(group(scores, "page_type")) == ["forum", "news"]
    assert list(by_pages_seen(scores)) == ["1-5", "26-50"]
