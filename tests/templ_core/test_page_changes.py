import pytest

from templ_core.page_changes import CHARS_MAX, FetchedText, page_changes

OLD = "The council met on Monday. The bridge stays closed until May. It cost 4 million."


def changes(before, after, shown_before=None, shown_after=None):
    return page_changes(
        FetchedText(kept=before, shown=shown_before or [before]),
        FetchedText(kept=after, shown=shown_after or [after]),
        "2026-03-01T12:00:00Z",
    )


FERRY = OLD.replace("The bridge stays closed", "“The ferry goes” daily")


@pytest.mark.parametrize(
    ("before", "after", "degree"),
    [
        ("Read 1,204 times", "Read 99 times", "minor"),
        ("Updated 4 March 2024.", "Updated 31 April 2025.", "minor"),
        ("Stand: 4. März", "Stand: 5. April", "minor"),
        ("He march go home now.", "He may go home now.", "major"),
        ("Read 5 times", "Read 5 papers", "major"),
        ("Read 5 times", "", "major"),
        ("The road is closed until May.", "“The ferry goes” daily until May.", "major"),
    ],
)
def test_sentences_that_change_are_told_as_they_stand(before, after, degree):
    change = changes(f"{OLD}\n{before}", f"{OLD}\n{after}")
    assert (change.degree, change.removed) == (degree, [before])
    assert change.added == ([after] if after else [])


def test_equal_sentences_are_not_told():
    change = changes(OLD, OLD)
    assert (change.degree, change.added, change.removed, change.moved) == ("none", [], [], [])
    assert (change.new_ratio, change.since) == (0, "2026-03-01T12:00:00Z")
    assert changes(OLD, FERRY).new_ratio == pytest.approx(6 / 15, abs=1e-4)
    ends_with_a_number = changes("It was in 2024. Nobody came.", "It was in 2024. All came.")
    assert ends_with_a_number.added == ["All came."]


def test_words_of_several_sentences_do_not_make_an_old_one():
    change = changes("One two three four. Five, two, six.", "One two three six.")
    assert change.added == ["One two three six."]


def test_the_fewest_sentences_are_moved():
    first, second, third = OLD.split(". ")
    change = changes(f"{first}. {second}. {third}", f"{third} {first}. {second}.")
    assert (change.degree, change.moved, change.added) == ("minor", [third], [])


def test_sentences_that_another_decision_or_layout_hides_are_no_changes():
    change = changes(OLD, "The bridge stays closed until May.", [OLD], ["Home News", OLD])
    assert (change.degree, change.removed, change.new_ratio) == ("none", [], 0)
    lines = OLD.replace(" met on Monday. The", " met\non Monday. The").split("\n")
    assert changes(OLD, "\n".join(lines), [OLD], lines).degree == "none"


def test_pages_beyond_the_bound_are_not_compared():
    assert changes(OLD, "a " * (CHARS_MAX // 2)) is not None
    assert changes(OLD, "a " * (CHARS_MAX // 2) + "b") is None
