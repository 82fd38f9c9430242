import pytest

from templ_core.page_changes import CHARS_MAX, FetchedText, page_changes

OLD = "The council met on Monday. The bridge stays closed until May. It cost 4 million."


def changes(before, after, shown_before=None, shown_after=None):
    return page_changes(
        FetchedText(kept=before, shown=shown_before or [before]),
        FetchedText(kept=after, shown=shown_after or [after]),
        "2026-03-01T12:00:00Z",
    )


def test_equal_texts_have_no_changes():
    found = changes(OLD, OLD)
    assert (found.degree, found.added, found.removed, found.moved) == ("none", [], [], [])
    assert (found.new_ratio, found.since) == (0, "2026-03-01T12:00:00Z")


def test_added_and_removed_sentences_are_told_as_they_stand():
    found = changes(OLD, OLD.replace("The bridge stays closed", "“The ferry goes” daily"))
    assert found.degree == "major"
    assert found.added == ["“The ferry goes” daily until May."]
    assert found.removed == ["The bridge stays closed until May."]
    assert found.new_ratio == pytest.approx(6 / 15, abs=1e-4)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Read 1,204 times", "Read 99 times"),
        ("Updated 4 March 2024.", "Updated 31 April 2025."),
        ("Stand: 4. März", "Stand: 5. April"),
    ],
)
def test_a_counter_or_a_date_alone_is_minor(before, after):
    found = changes(f"{OLD}\n{before}", f"{OLD}\n{after}")
    assert (found.degree, found.added, found.removed) == ("minor", [after], [before])


@pytest.mark.parametrize("after", ["He may go home now.", "Read 5 papers", ""])
def test_other_words_are_no_minor_change(after):
    assert (
        changes(f"{OLD}\nHe march go home now.\nRead 5 times", f"{OLD}\n{after}").degree == "major"
    )


def test_the_fewest_sentences_are_moved():
    first, second, third = OLD.split(". ")
    found = changes(f"{first}. {second}. {third}", f"{third} {first}. {second}.")
    assert (found.degree, found.moved, found.added) == ("minor", [third], [])


def test_sentences_that_another_decision_hides_are_no_changes():
    found = changes(OLD, "The bridge stays closed until May.", [OLD], ["Home News", OLD])
    assert (found.degree, found.removed, found.new_ratio) == ("none", [], 0)


def test_a_sentence_may_end_with_a_number():
    assert changes("It was in 2024. Nobody came.", "It was in 2024. All came.").added == [
        "All came."
    ]


def test_a_page_that_divides_its_text_in_another_way_has_not_changed():
    lines = OLD.replace(" met on Monday. The", " met\non Monday. The").split("\n")
    assert changes(OLD, "\n".join(lines), [OLD], lines).degree == "none"


def test_words_of_several_sentences_do_not_make_an_old_one():
    found = changes("One two three four. Five, two, six.", "One two three six.")
    assert found.added == ["One two three six."]


def test_pages_beyond_the_bound_are_not_compared():
    assert changes(OLD, "a " * (CHARS_MAX // 2)) is not None
    assert changes(OLD, "a " * (CHARS_MAX // 2) + "b") is None
