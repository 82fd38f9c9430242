import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from templ_core.dom.document import parse_document
from templ_core.page_level._selection import surest_copies
from templ_core.page_level.features.page_features import read_features
from templ_core.page_level.selection import (
    Copies,
    may_repeat,
    select_segments,
)

LONG = "these twenty words and a few stand on the page more than once today, as they are told on phones too, and on desks"


def copies(markup):
    document = parse_document(markup, "https://example.com/")
    found = read_features(document)
    once = may_repeat(found.surroundings, found.tree.words)
    return found.tree.words, Copies(text=found.text, path=found.group, once=once)


def kept(markup, log_odds):
    words, found = copies(markup)
    return select_segments(np.array(log_odds), found, words, 0.95).kept.tolist()


def test_the_surer_copy_is_kept():
    markup = f"<p>{LONG}</p><div>{LONG}</div><p>And a little more text.</p>"
    assert kept(markup, [2.0, 4.0, 4.0]) == [False, True, True]


def test_records_of_one_list_may_be_equal():
    assert kept(f"<li>{LONG}<li>{LONG}", [3.0, 4.0]) == [True, True]


def test_code_and_tables_may_repeat_text():
    assert kept(f"<div>{LONG}</div><pre>{LONG}</pre>", [4.0, 3.0]) == [True, True]


def test_short_text_may_repeat():
    assert kept("<p>Read more</p><div>Read more</div>", [4.0, 4.0]) == [True, True]


def test_segments_left_out_stay_out_unless_there_are_no_others():
    words, found = copies("<p>One text of a page.</p><div>And another text.</div>")
    for left_out, kept_then in (([False, True], [True, False]), ([True, True], [True, True])):
        selection = select_segments(np.array([3.0, 3.0]), found, words, 0.95, np.array(left_out))
        assert selection.kept.tolist() == kept_then


@given(st.lists(st.tuples(st.integers(0, 2**64 - 1) | st.integers(0, 9), st.integers(-3, 3))))
def test_of_equally_sure_copies_the_first_is_the_surest(segments):
    text = np.array([text for text, _ in segments], np.uint64)
    log_odds = np.array([log_odds for _, log_odds in segments], np.float64)
    expected = [
        min(
            (-other_log_odds, place)
            for place, (other, other_log_odds) in enumerate(segments)
            if other == own
        )[1]
        for own, _ in segments
    ]
    assert surest_copies(text, log_odds).tolist() == expected
