"""Tests of the compiled automaton against a plain search."""

from hypothesis import given
from hypothesis import strategies as st

from templ_core.page_level.features._stems import Stems
from templ_core.page_level.features.text_roles import name_stems, named_roles

LETTERS = "abAB -_\né中"
STEMS = st.lists(
    st.text("ab -é中", min_size=1, max_size=4).filter(
        lambda stem: stem.strip() and len(stem.encode()) >= 3
    ),
    max_size=12,
)
FOLDED = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ_\t\n\v\f\r", "abcdefghijklmnopqrstuvwxyz-     ")
PARTS = st.sampled_from(
    [
        *(
            "comment",
            "comments",
            "Comments",
            "list",
            "post",
            "kommentare",
            "comentarios",
            "respond",
        ),
        *("disqus", "dsq", "livefyre", "fyre", "hyvor", "talk", "isso", "thread", "reviews", "spr"),
        *("bv", "content", "x", "cookie", "Cookies", "gdpr", "ccpa", "banner", "ot", "sdk", "cc"),
        *("window", "qc", "cmp", "cli", "bar", "modal", "cky", "sp", "message", "truste", "Law"),
        *(
            "trustarc",
            "fc",
            "consent",
            "klaro",
            "evidon",
            "cybot",
            "Cookiebot",
            "customer",
            "widget",
        ),
        *("jdgm", "review", "giscus", "utterances", "onetrust", "cmplz", "didomi", "borlabs"),
        *("usercentrics", "iubenda", "cs", "eupopup", "osano", "tarteaucitron", "rgpd", "notice"),
    ]
)
NAMES = st.lists(st.tuples(PARTS, st.sampled_from(["", "-", "_", " ", "\n"])), max_size=5)


@given(STEMS, st.lists(st.text(LETTERS, max_size=12), max_size=5))
def test_the_automaton_finds_the_texts_that_hold_a_stem(stems, texts):
    expected = [
        number
        for number, text in enumerate(texts)
        if any(stem in " " + text.translate(FOLDED) for stem in stems)
    ]
    assert Stems(stems).found_in(texts) == expected


@given(NAMES)
def test_every_name_that_tells_a_text_role_holds_a_stem(parts):
    attributes = "".join(part + border for part, border in parts)
    if named_roles(attributes):
        assert name_stems().found_in([attributes]) == [0]
