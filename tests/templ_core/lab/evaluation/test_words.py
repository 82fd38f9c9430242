import pytest

from templ_core.lab.evaluation.words import (
    is_unspaced,
    letter_counts,
    page_words,
    score_template,
    score_text,
    visible_text,
    word_counts,
)


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
