from hypothesis import given
from hypothesis import strategies as st

from templ_core.lab.training.labels import alignment
from templ_core.lab.training.labels.alignment import matched_words

WORDS = st.lists(st.sampled_from("abcde"), max_size=12)


def matched(page, gold):
    return "".join("x" if hit else "." for hit in matched_words(page.split(), gold.split()))


def test_a_run_is_preferred_to_scattered_matches():
    assert matched("the cat menu the of the cat sat", "the cat sat") == ".....xxx"


def test_text_inside_the_gold_text_is_not_matched():
    assert matched("home news a b c advert d e footer", "a b c d e") == "..xxx.xx."


def test_texts_without_common_words():
    assert matched("a b", "c") == ".."
    assert matched("", "c") == ""


def test_words_that_only_one_side_has_end_a_run():
    found = matched_words(["a", "x", "b"], ["a", "b"])
    assert found.tolist() == [True, False, True]


@given(WORDS, WORDS)
def test_the_matched_words_have_the_score_of_the_best_alignment(page, gold):
    marked = matched_words(page, gold)
    chosen = [word if hit else "-" for word, hit in zip(page, marked, strict=True)]
    assert _best_score(chosen, gold) == _best_score(page, gold)


def test_very_long_pages_are_matched_by_3_grams(monkeypatch):
    monkeypatch.setattr(alignment, "_CELLS_MAX", 1)
    assert matched("menu a b c footer", "a b c") == ".xxx."


def _best_score(page, gold):
    best = [[0] * (len(page) + 1) for _ in range(len(gold) + 1)]
    run = [[None] * (len(page) + 1) for _ in range(len(gold) + 1)]
    for i, one in enumerate(gold, 1):
        for j, other in enumerate(page, 1):
            if one == other:
                run[i][j] = best[i - 1][j - 1] + 2
                if run[i - 1][j - 1] is not None:
                    run[i][j] = max(run[i][j], run[i - 1][j - 1] + 5)
            best[i][j] = max(best[i - 1][j], best[i][j - 1], run[i][j] or 0)
    return best[-1][-1]
