import pytest
from hypothesis import given
from hypothesis import strategies as st

from templ_core.lab.papers.kolcz_yih.keywords import (
    KeywordPage,
    Passage,
    document_frequency,
    normal_phrase,
    read_candidates,
    top_n,
)


def page(*texts, title=""):
    return KeywordPage(
        title=title,
        passages=[Passage(text=text, link_share=0.0, heading=False) for text in texts],
    )


NONE = document_frequency([])


def test_phrases_do_not_cross_clauses_or_segments():
    found = read_candidates(page("Red cars, blue", "cars are 12 34"), NONE).phrases
    assert found == ["red", "red cars", "cars", "blue", "cars are", "cars are 12", "are", "are 12",
                     "are 12 34"]  # fmt: skip


def test_document_frequency_counts_pages():
    frequency = document_frequency([page("a b a"), page("a"), page("b, a")])
    assert frequency.pages == 3
    assert frequency.pages_with == {"a": 3, "b": 2, "a b": 1, "b a": 1, "a b a": 1}


def test_rare_phrases_that_the_page_repeats_have_a_high_tf_idf():
    frequency = document_frequency([page("the"), page("the tiger"), page("the lion")])
    found = read_candidates(page("tiger the tiger the", title="Of a Tiger"), frequency)
    rows = dict(zip(found.phrases, found.rows.tolist(), strict=True))
    number, _, rarity, product, in_title = rows["tiger"][:5]
    assert product == pytest.approx(number * rarity)
    assert in_title == 1
    assert rows["the"][4] == 0
    assert rarity > rows["the"][2]


def test_keywords_are_normalised_like_candidates():
    assert normal_phrase(" Climate-Change ") == "climate change"
    assert normal_phrase("...") == ""


@given(
    st.lists(st.sampled_from("abcdef"), unique=True),
    st.sets(st.sampled_from("abcdef"), min_size=1),
    st.integers(1, 6),
)
def test_top_n_agrees_with_its_definition(ranked, wanted, n):
    right = sum(one in wanted for one in ranked[:n])
    assert top_n(ranked, frozenset(wanted), n) == right / min(len(wanted), n)
