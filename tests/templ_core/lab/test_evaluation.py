from functools import cache
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templ_core.dom.document import parse_document
from templ_core.lab.evaluation import curves, report
from templ_core.lab.evaluation.report import group
from templ_core.lab.evaluation.segments import (
    Overlap,
    block_of_each,
    largest_fragments,
    mean_f,
    template_f,
)
from templ_core.lab.evaluation.words import (
    RepeatedText,
    edit_distance,
    is_unspaced,
    letter_counts,
    page_words,
    repeated_text,
    score_template,
    score_text,
    text_distance,
    visible_text,
    word_counts,
)


def test_fragments_are_the_largest_elements_with_one_label():
    document = parse_document(
        "<body><nav><ul><li>a</li><li>b</li></ul></nav>"
        "<div><h1>c</h1><p>d</p><aside>e</aside><p>f</p></div></body>",
        "",
    )
    kind = np.array([0, 0, 1, 1, 0, 1])
    group = largest_fragments(document, kind)
    together = {(i, j) for i, j in combinations(range(6), 2) if group[i] == group[j]}
    assert together == {(0, 1)}
    assert len(set(largest_fragments(document, np.zeros(6, int)).tolist())) == 1


def test_text_beside_blocks_with_another_label_is_a_fragment_of_its_own():
    document = parse_document("<div>a<p>b</p>c</div>", "")
    assert len(set(largest_fragments(document, np.array([1, 0, 1])).tolist())) == 3


def test_each_segment_is_assigned_to_the_block_that_contains_it():
    blocks = ["Home About", "The story begins here.", "Home About"]
    segments = ["Home", "About", "The story", "begins here", "Home About"]
    assert block_of_each(segments, blocks).tolist() == [0, 0, 1, 1, 2]


def test_words_that_one_side_lacks_are_ignored():
    assert block_of_each(["new words", "kept here"], ["kept here too"]).tolist() == [-1, 0]
    assert block_of_each(["some"], []).tolist() == [-1]


def test_intervals_of_many_sites_agree_with_the_normal_approximation():
    values = np.random.default_rng(1).normal(0.8, 0.1, 400)
    means = report.bootstrap(values.tolist(), [f"s{n}" for n in range(400)], 7)
    half = 1.96 * values.std() / 20
    for interval in (means.pages_interval, means.sites_interval):
        assert interval.low == pytest.approx(values.mean() - half, abs=0.002)
        assert interval.high == pytest.approx(values.mean() + half, abs=0.002)


def test_more_pages_of_the_same_sites_do_not_narrow_the_interval():
    values, sites = [0.5, 0.9] * 2, ["a", "b"] * 2
    few = report.bootstrap(values, sites, 0).pages_interval
    many = report.bootstrap(values * 50, sites * 50, 0).pages_interval
    assert (many.low, many.high) == pytest.approx((few.low, few.high))


def test_equal_seeds_give_equal_intervals_and_one_site_has_none():
    values, sites = [n / 20 for n in range(20)], [f"s{n}" for n in range(20)]
    assert report.bootstrap(values, sites, 3) == report.bootstrap(values, sites, 3)
    assert report.bootstrap(values, sites, 3) != report.bootstrap(values, sites, 4)
    assert report.bootstrap(values, ["a"] * 20, 3).pages_interval is None


def test_confidence_and_f1_are_compared_bin_by_bin():
    found = curves.calibrate([0.92, 0.98, 0.31], [0.9, 0.9, 0.41])
    assert [(one.low, one.pages) for one in found.bins] == [(0.3, 1), (0.9, 2)]
    assert found.mean_error == pytest.approx((2 * 0.05 + 0.1) / 3)
    assert found.bias == pytest.approx((0.02 + 0.08 - 0.1) / 3)


def test_the_least_sure_tenth_is_searched_for_bad_pages():
    confidence = [0.2, 0.3, *([0.9] * 18)]
    assert curves.calibrate(confidence, [0.1, 0.9, *([0.9] * 18)]).low_found == 1.0
    assert curves.calibrate(confidence, [0.1, 0.9, *([0.9] * 17), 0.4]).low_found == 0.5
    assert curves.calibrate(confidence, [0.9] * 20).low_found is None


def test_errors_inside_a_bin_cancel_and_both_ends_of_the_scale_have_a_bin():
    calibration = curves.calibrate([0.0, 1.0, 0.95, 0.95], [0.0, 1.0, 0.9, 1.0])
    assert calibration.mean_error == pytest.approx(abs(2.9 - 2.9) / 4)
    assert [one.high for one in calibration.bins] == [0.1, 1.0]


words = st.lists(st.sampled_from("abc"), max_size=8)


def by_definition(one, other):
    @cache
    def distance(left, right):
        if left == 0 or right == 0:
            return left + right
        return min(
            distance(left - 1, right) + 1,
            distance(left, right - 1) + 1,
            distance(left - 1, right - 1) + (one[left - 1] != other[right - 1]),
        )

    return distance(len(one), len(other))


@given(words, words)
def test_edit_distance_equals_its_recursive_definition(one, other):
    assert edit_distance(one, other) == by_definition(one, other)


def test_text_distance_is_relative_to_the_longer_text():
    assert text_distance("One two, three four", "one TWO three") == 0.25
    assert text_distance("a b", "c d") == 1.0
    assert text_distance("", "") == 0.0
    assert text_distance("a", "") == 1.0


def histogram(templateness, words, content):
    return curves.score_histogram(
        np.array(templateness), np.array(words, float), np.array(content, float)
    )


def test_the_curve_has_a_point_for_every_threshold_that_finds_text():
    curve = curves.curve_of_histograms([histogram([0.1, 0.2, 0.9], [6, 2, 2], [1, 0, 1])])
    points = {point.threshold: (point.precision, point.recall) for point in curve}
    assert min(points) == 0.1
    assert points[0.1] == pytest.approx((1, 6 / 8))
    assert points[0.5] == pytest.approx((6 / 8, 6 / 8))
    assert points[1.0] == pytest.approx((8 / 10, 1))
    assert curves.recall_at(curve, 0.9) == pytest.approx(0.75)
    assert curves.recall_at(curve, 0.8) == pytest.approx(1)
    assert curves.recall_at(curve, 1.1) == 0


def test_long_and_short_pages_have_equal_weight():
    good, bad = ([0.0, 1.0], [1, 1], [1, 0]), ([0.0, 1.0], [1000, 1000], [0, 1])
    curve = curves.curve_of_histograms([histogram(*good), histogram(*bad)])
    assert curve[0].precision == pytest.approx(0.5)


def test_pages_without_scored_words_make_no_curve():
    assert histogram([0.5], [0], [1]).sum() == 0
    assert curves.curve_of_histograms([histogram([0.5], [0], [1])]) == []


def test_the_curve_agrees_with_direct_counting():
    rng = np.random.default_rng(0)
    templateness, words = rng.integers(0, 101, 300) / 100, rng.integers(1, 40, 300)
    content = rng.random(300)
    for point in curves.curve_of_histograms([histogram(templateness, words, content)]):
        kept = templateness <= point.threshold + 1e-9
        both = (words * content)[kept].sum()
        assert point.precision == pytest.approx(both / words[kept].sum())
        assert point.recall == pytest.approx(both / (words * content).sum())


def test_the_curve_of_scores_has_a_point_for_each_different_score():
    score, positive = np.array([0.9, 0.8, 0.8, 0.1]), np.array([True, False, True, True])
    curve = curves.curve_of_scores(score, positive, np.ones(4))
    assert [point.threshold for point in curve] == [0.9, 0.8, 0.1]
    assert [point.precision for point in curve] == pytest.approx([1, 2 / 3, 3 / 4])
    assert [point.recall for point in curve] == pytest.approx([1 / 3, 2 / 3, 1])
    assert curves.recall_at(curve, 0.99) == pytest.approx(1 / 3)
    assert curves.recall_at(curve[1:], 0.99) == 0


def test_scores_without_positives_make_no_curve():
    assert curves.curve_of_scores(np.array([0.5]), np.array([False]), np.ones(1)) == []


WORDS = [f"{first}{second}" for first in "bcdfghklmn" for second in "aeiou"]
NOTICE = "Subscribe to the letter that we send to all readers every Monday."


def story(number):
    return " ".join(WORDS[(number * 7 + place * 3) % 50] + str(number) for place in range(40)) + "."


def test_a_sentence_on_four_pages_is_repeated_and_on_three_it_is_not():
    pages = [f"{story(number)}\n{NOTICE}" for number in range(4)]
    assert repeated_text(pages) == RepeatedText(words=4 * 52, repeated_words=4 * 12)
    assert repeated_text([*pages[:3], story(3)]).repeated_words == 0


def test_a_large_site_needs_a_tenth_of_its_pages():
    pages = [story(number) for number in range(50)]
    few = [f"{page} {NOTICE}" if number < 4 else page for number, page in enumerate(pages)]
    assert repeated_text(few).ratio == 0
    enough = [f"{page} {NOTICE}" if number < 5 else page for number, page in enumerate(pages)]
    assert repeated_text(enough).ratio == pytest.approx(60 / (50 * 40 + 60))


def test_short_sentences_and_copies_of_a_page_do_not_count():
    assert (
        repeated_text([f"{story(number)} All rights reserved." for number in range(9)]).ratio == 0
    )
    assert repeated_text([story(1)] * 9) == RepeatedText(words=40, repeated_words=0)


def test_sentences_of_scripts_without_blanks_end_at_their_own_stop():
    pages = [f"我们使用数据来改进网站。{story(number)}" for number in range(4)]
    assert repeated_text(pages).repeated_words == 4 * 11


def test_sites_add_up_and_no_text_is_no_repetition():
    empty = repeated_text([])
    assert empty.ratio == 0
    assert (empty + RepeatedText(words=10, repeated_words=5)).ratio == 0.5


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
    return report.PageScore(**{**values, **fields})


def test_the_summary_has_means_over_pages_and_sites():
    summary = report.summarise([score(1.0), score(0.8, character_f1=0.9), score(0.3, site="b.org")])
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
    means = report.compare(ours, theirs)
    assert means.of_pages == pytest.approx(0.1)
    assert means.pages_interval.low == pytest.approx(0.1)


def test_groups_are_in_ascending_order():
    scores = [score(1.0, page_type="news", seen=30), score(0.5, page_type="forum", seen=2)]
    assert list(group(scores, "page_type")) == ["forum", "news"]
    assert list(report.by_pages_seen(scores)) == ["1-5", "26-50"]


PAGE = """<body><ul><li><a href=/>Home page</a></li><li><a href=/about>About</a> us</li></ul>
<p>Six words of the real article, <a href=/more>more</a></p></body>"""


def scores(kept, content, counts=(True, True, True)):
    document = parse_document(PAGE, "http://example.org/")
    words = np.array([2, 2, 7])
    return template_f(
        document, words, np.array(kept), np.array(content, float), np.array(counts, bool)
    )


def test_a_perfect_decision_scores_one_in_every_amount():
    overlaps = scores([False, False, True], [0, 0, 1])
    for place in overlaps.values():
        assert [one.f for one in place.values()] == [1.0, 1.0, 1.0]


def test_removing_everything_has_the_precision_of_the_share_of_template():
    found = scores([False, False, False], [0, 0, 1])
    assert found["in_templates"]["text"] == Overlap(both=4, found=11, wanted=4)
    assert found["in_templates"]["anchor_text"] == Overlap(both=13, found=17, wanted=13)
    assert found["in_templates"]["links"].precision == pytest.approx(2 / 3)
    assert found["in_templates"]["links"].recall == 1.0
    assert found["in_content"]["text"].f == 0.0


def test_neutral_segments_do_not_count_and_mixed_segments_count_in_part():
    found = scores([True, False, True], [0, 0.5, 1], [False, True, True])
    assert found["in_templates"]["text"] == Overlap(both=1, found=2, wanted=1)
    assert found["in_content"]["text"] == Overlap(both=7, found=7, wanted=8)


def test_a_page_without_template_has_no_f_of_template():
    assert scores([True, True, True], [1, 1, 1])["in_templates"]["links"].f is None


NONE = Overlap(both=0, found=0, wanted=0)


def page(in_templates, in_content):
    return {
        "in_templates": {"text": Overlap(**in_templates), "anchor_text": NONE, "links": NONE},
        "in_content": {"text": Overlap(**in_content), "anchor_text": NONE, "links": NONE},
    }


RIGHT = page({"both": 60, "found": 60, "wanted": 60}, {"both": 40, "found": 40, "wanted": 40})
WRONG = page({"both": 0, "found": 40, "wanted": 60}, {"both": 0, "found": 60, "wanted": 40})


def test_amounts_are_summed_within_sites_and_sites_have_equal_weight():
    places = mean_f([("a", RIGHT)] * 9 + [("b", WRONG)], 0)
    assert places["in_templates"]["text"].f == pytest.approx(0.5)
    assert places["in_content"]["text"].precision == pytest.approx(0.5)
    assert places["in_templates"]["text"].sites == 2
    assert mean_f([("a", RIGHT), ("a", WRONG)], 0)["in_templates"]["text"].f == pytest.approx(
        2 * 60 / (100 + 120)
    )


def test_the_f_of_putting_everything_into_one_class_is_reported():
    places = mean_f([("a", WRONG)], 0)
    assert places["in_templates"]["text"].all_f == pytest.approx(2 * 60 / (100 + 60))
    assert places["in_content"]["text"].all_f == pytest.approx(2 * 40 / (100 + 40))


def test_amounts_that_the_gold_does_not_have_are_left_out():
    assert set(mean_f([("a", RIGHT)], 0)["in_templates"]) == {"text"}


def counts(text):
    return word_counts(text)


def test_repeated_words_count_as_often_as_they_occur():
    score = score_text(counts("a a b"), counts("a b b"), counts(""))
    assert score.precision == pytest.approx(2 / 3)
    assert score.recall == pytest.approx(2 / 3)
    assert score.f1 == pytest.approx(2 / 3)


def test_neutral_words_neither_help_nor_hurt():
    gold, neutral = counts("the body"), counts("title by line")
    with_title = score_text(counts("title the body"), gold, neutral)
    assert with_title.f1 == 1.0
    assert score_text(counts("title the body junk"), gold, neutral).precision == pytest.approx(
        2 / 3
    )


def test_an_empty_output_scores_zero():
    assert score_text(counts(""), counts("gold"), counts("")).f1 == 0.0


def test_pages_with_little_template_have_no_template_score():
    page = counts("gold " + "menu " * 20)
    whole = score_template(counts("gold"), counts("gold"), counts(""), page)
    assert whole is not None
    assert whole.f1 == 1.0
    nothing_removed = score_template(page, counts("gold"), counts(""), page)
    assert nothing_removed is not None
    assert nothing_removed.f1 == 0.0
    assert score_template(counts("gold"), counts("gold"), counts(""), counts("gold menu")) is None


def test_page_words_exclude_scripts_and_find_neutral_elements():
    html = (
        "<head><title>no</title></head><body><h1 class=t>Head <b>line</b></h1>"
        "<p>bo<i>dy</i></p><script>no</script><noscript>no</noscript>end</body>"
    )
    everything, neutral = page_words(html, ".t, .t b")
    assert everything == counts("head line body end")
    assert neutral == counts("head line")


def test_visible_text_separates_blocks_but_not_inline_runs():
    from lxml import etree

    root = etree.fromstring("<div>a<p>b<b>c</b>d</p>e<br/>f</div>")
    assert visible_text(root).split() == ["a", "bcd", "e", "f"]


def test_scripts_without_blanks_are_recognised_and_counted_by_letter():
    assert is_unspaced("日本語の文章です。abc")
    assert is_unspaced("ภาษาไทย")
    assert not is_unspaced("An article on 日本 in English")
    assert not is_unspaced("한국어 문장")
    assert not is_unspaced("...")
    assert letter_counts("Ab, 日日") == {"a": 1, "b": 1, "日": 2}
