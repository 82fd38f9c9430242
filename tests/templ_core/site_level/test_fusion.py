from types import SimpleNamespace

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templ_core.dom.document import read_document
from templ_core.errors import CodecError
from templ_core.page_level.model.model_file import shipped_model
from templ_core.page_level.model.page_type import PageType
from templ_core.page_level.page_evidence import read_page_evidence
from templ_core.site_level.config import LIKELY
from templ_core.site_level.fusion._fusion import (
    combine,
    cover_columns,
    fused_log_odds,
    pages_with_places,
    unlikely_content,
    weighed,
)
from templ_core.site_level.fusion.fusion import (
    FUSION_FORMAT,
    UNFITTED,
    FusionModel,
    Term,
    fusion_for,
    shipped_fusion,
)
from templ_core.site_level.fusion.site_columns import FUSION_INPUTS, REASON_TREE, REASONS
from templ_core.site_level.places._places import links_again
from templ_core.site_level.places.places import PlaceReading, document_places
from templ_core.site_level.site_evidence import SegmentEvidence, site_inputs
from templ_core.site_level.strings.string_evidence import Cover, StringEvidence
from templ_core.site_level.trees.tree_model import TreeEvidence
from tests.templ_core.site_level.builders import site_model

NUMBERS = st.floats(-9, 9).map(lambda number: round(number, 2))
TERMS = st.tuples(NUMBERS, NUMBERS, NUMBERS).map(
    lambda three: Term(weight=three[0], low=min(three[1:]), high=max(three[1:]))
)


def model_of(terms, bias):
    return FusionModel(
        format=FUSION_FORMAT, terms=terms, bias=bias, confidence=None, page_model="", corpora={},
        quality={},
    )  # fmt: skip


@given(
    terms=st.dictionaries(st.sampled_from(sorted(FUSION_INPUTS)), TERMS, min_size=1),
    bias=NUMBERS,
    size=st.integers(1, 5),
    data=st.data(),
)
def test_log_odds_and_reasons_are_those_of_single_segments(terms, bias, size, data):
    columns = {
        name: np.array(data.draw(st.lists(NUMBERS, min_size=size, max_size=size)))
        for name in FUSION_INPUTS
    }
    columns["by tree"] = np.array(
        data.draw(st.lists(st.sampled_from([0.0, 1.0]), min_size=size, max_size=size))
    )
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=size, max_size=size)))
    model = model_of(terms, bias)
    log_odds, reasons = (
        fused_log_odds(columns, model.terms, model.bias),
        model.reasons(columns, kept),
    )
    for segment in range(size):
        at = {name: float(column[segment]) for name, column in columns.items()}
        inputs = {n: min(max(at[n], term.low), term.high) for n, term in terms.items()}
        expected = bias + sum(terms[name].weight * inputs[name] for name in terms)
        assert log_odds[segment] == pytest.approx(expected)
        side = 1 if kept[segment] else -1
        strength = dict.fromkeys(REASONS, 0.0)
        for name, term in terms.items():
            fusion_input = FUSION_INPUTS[name]
            reason = REASON_TREE if name == "place" and at["by tree"] else fusion_input.reason
            strength[reason] += side * term.weight * (at[name] - fusion_input.neutral)
        assert strength[reasons[segment]] == pytest.approx(max(strength.values()))


@pytest.mark.parametrize("seed", range(9))
def test_log_odds_fade_to_the_page_and_a_paragraph_is_surer_than_a_label(seed):
    rng = np.random.default_rng(seed)
    own, fused, repeated = rng.normal(0, 3, (3, 8))
    trust, words = rng.random(8), rng.integers(1, 51, 8)
    site = SimpleNamespace(
        columns={"trust": trust, "length": np.log(words)},
        log_odds=fused,
        repeated_log_odds=repeated,
    )
    factor = 0.5 + 1.5 * np.log(words) / np.log(50)
    both = weighed(own, site, 0.8, 2.0, 50, 1000)
    for found, log_odds in zip(both, (fused, fused - repeated), strict=True):
        wanted = own + 0.8 * trust * (factor * log_odds - own)
        np.testing.assert_allclose(found, wanted, atol=0.0005001)
        assert (np.round(found, 3) == found).all()


def test_pages_with_places_are_weighed_by_their_content():
    page = SimpleNamespace(words=np.array([5.0, 7.0, 11.0]), log_odds=np.array([9.0, -9.0, 9.0]))
    assert pages_with_places({"pages with the place": np.array([10.0, 90.0, 2.0])}, page) == 5


def test_the_shipped_weights_were_fitted_for_the_shipped_page_model():
    assert shipped_fusion().page_model == shipped_model().version
    assert fusion_for(shipped_model().version) is shipped_fusion()
    assert set(shipped_fusion().terms) <= set(FUSION_INPUTS)
    for name, term in UNFITTED.terms.items():
        assert term.weight * FUSION_INPUTS[name].sign > 0


@pytest.mark.parametrize("body", [b"{}", b"no JSON"])
def test_other_files_are_refused(body):
    with pytest.raises(CodecError, match="not a fusion model"):
        FusionModel.from_json(body)


ARTICLE = PageType(article=0.7, other=0.3)
DOCUMENTATION = PageType(documentation=0.7, other=0.3)


def is_left_out(log_odds, page_type, *, inside=False, usual=-0.5, recurs=False):
    columns = {"in the best box": 0.5 if inside else -0.5, "usual best box": usual}
    columns["recurs"] = float(recurs)
    segment = {name: np.array([value]) for name, value in columns.items()}
    return unlikely_content(np.array([log_odds]), segment, page_type, LIKELY).item()


@pytest.mark.parametrize(
    ("page_type", "log_odds", "given", "left_out"),
    [
        (ARTICLE, 0.1, {}, False),
        (ARTICLE, -0.1, {}, True),  # it is template rather than content
        (ARTICLE, -0.1, {"inside": True}, True),
        (DOCUMENTATION, 0.1, {"recurs": True}, False),
        (DOCUMENTATION, -0.1, {"recurs": True}, True),
        (DOCUMENTATION, -3.0, {"recurs": True, "inside": True}, False),  # it is left to the cut
        (
            DOCUMENTATION,
            -3.0,
            {"recurs": True, "usual": 0.0},
            False,
        ),  # a usual container is as good
        (DOCUMENTATION, -3.0, {"recurs": False}, False),
        (PageType(), -3.0, {"recurs": True}, False),
        (PageType(article=0.45), -3.0, {}, False),  # it is rather of another type
        (PageType(article=0.6, forum=0.6), -3.0, {}, False),  # posts beside each other
    ],
)
def test_what_is_left_out_whatever_the_cut(page_type, log_odds, given, left_out):
    assert is_left_out(log_odds, page_type, **given) == left_out


def slow_cover(cover, alike, listed, named, records):
    apart = np.maximum(1 - 2 * np.maximum(alike, listed), 0) * (1 - named)
    sure = cover.share * apart * np.log(np.clip(cover.run_words, 8, 50) / 8)
    return (1 - records) * sure, records * sure


def slow_combine(evidence):
    """Return what `combine` returns, computed from the definitions column by column."""
    page, trees, strings = evidence.content_log_odds, evidence.trees, evidence.strings
    near, best = evidence.surroundings, evidence.best_share
    labels, words = evidence.repeated, evidence.words
    first, last = evidence.best
    inside = (np.arange(len(words)) >= first) & (np.arange(len(words)) < last)
    constant, path_pages = evidence.places.constant, evidence.places.path_pages
    text_pages, shape_pages = evidence.places.text_pages, evidence.places.shape_pages
    place, tree_pages = evidence.places.log_odds, np.zeros(len(words))
    if trees is not None:
        place, tree_pages = np.where(path_pages, place, trees.log_odds), trees.place_pages
    pages = evidence.pages
    sure = np.log(0.98 / 0.02)
    content = (page > 0) & inside
    meant = 0.7 * (labels | content & (best == best.max()))
    around = np.clip(near, 0.02, 0.98)
    long = np.log(np.minimum(words, 50))
    recurs = (1 - meant) * shape_pages / max(pages, 1)
    mass = words / (1 + np.exp(-page))
    known_share = mass[(path_pages > 0) | (tree_pages > 0)].sum() / mass.sum()
    is_trusted = (text_pages > 1) | (shape_pages > 1)
    few, some = (
        slow_cover(cover, strings.alike, strings.listed, evidence.named, 0.7)
        for cover in (strings.few, strings.some)
    )
    return {
        "page": np.clip(page, -sure, sure),
        "surroundings": np.log(around / (1 - around)),
        "usual best box": best - best.max(),
        "in the best box": np.where(inside, 0.5, -0.5),
        "headline": evidence.headline,
        "place": place,
        "same shape": recurs,
        "string of most pages": 0.3 * np.log1p(strings.usual_words),
        "repeated on few pages": few[0],
        "repeated on few pages of records": few[1],
        "repeated on some pages": some[0],
        "repeated on some pages of records": some[1],
        "trust": np.maximum(np.where(is_trusted, 1, known_share), strings.some.share),
        "length": long,
        "recurs": text_pages > 1,
        "by tree": (path_pages == 0) & (tree_pages > 0),
        "pages with the place": np.maximum(path_pages, tree_pages),
        "constant": constant,
    }


@pytest.mark.parametrize("seed", range(20))
def test_columns_equal_those_by_definition(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 40))

    def shares():
        return rng.random(size)

    def counts(most):
        return rng.integers(0, most, size)

    def log_odds():
        return rng.normal(0, 3, size)

    few, some = (Cover(shares(), counts(90) * 1.0) for _ in range(2))
    places = PlaceReading(
        are_known=False, path_pages=counts(3), constant=shares() < 0.5, text_pages=counts(5),
        shape_pages=counts(5), recurrence=shares(), mass=counts(9), log_odds=log_odds(), content=shares(),
    )  # fmt: skip
    strings = StringEvidence(
        usual_words=counts(90).astype(np.int32), few=few, some=some, alike=shares(), listed=shares() / 2,
        is_covered=np.zeros(0, np.bool_),
    )  # fmt: skip
    evidence = SegmentEvidence(
        content_log_odds=log_odds(), page_type=PageType(documentation=0.7, forum=0.2), places=places,
        trees=TreeEvidence(9, counts(3), counts(3), log_odds()) if seed % 3 else None, strings=strings,
        surroundings=shares(), best_share=shares(), best=(int(rng.integers(0, size)), size),
        headline=shares() < 0.2, named=shares(), repeated=shares() < 0.3,
        words=rng.integers(1, 200, size).astype(np.int32), pages=int(rng.integers(0, 9)),
    )  # fmt: skip
    covers, wanted = combine(evidence, 50, 0.02, 8), slow_combine(evidence)
    assert set(covers) == set(wanted)
    for name, column in wanted.items():
        np.testing.assert_allclose(covers[name], column, rtol=1e-12, atol=1e-12, err_msg=name)
    covers = cover_columns(
        few, strings.alike, strings.listed, evidence.named, evidence.page_type, 8, 50
    )
    wanted = slow_cover(few, strings.alike, strings.listed, evidence.named, 0.7)
    np.testing.assert_allclose(covers, wanted, rtol=1e-12)


def read(html):
    return read_document(html.encode(), "http://s.example/")


def columns_of(html, window, page_type, log_odds_of=lambda _: 0.0):
    document = read(html)
    texts = document.segments.texts
    page = msgspec.structs.replace(
        read_page_evidence(document, shipped_model()),
        log_odds=np.array([log_odds_of(text) for text in texts]),
        page_type=page_type,
    )
    places = document_places(document, page.features)
    columns, _ = site_inputs(document, page, site_model(list(map(read, window))), places)
    return texts, columns


def test_a_page_of_a_new_design_is_trusted_to_the_page_alone_but_for_texts_that_were_seen():
    seen = "Write to us at the old harbour if you find a mistake in these pages."
    window = [f"<div id=old><p>Story {n} of the boats.</div><p>{seen}" for n in range(8)]
    texts, columns = columns_of(
        f"<main><section><h2>New things</h2></section><aside><b>{seen}</b></aside></main>",
        window,
        PageType(),
    )
    assert columns["trust"].tolist() == [float(text == seen) for text in texts]


def test_where_a_site_renames_its_classes_the_trees_tell_the_places():
    def page(number, names):
        body, foot = names
        story = f"Story {number} tells of boats and of harbour {number}, of men and of tides."
        return f"<div class={body}><p>{story}</div><div class={foot}><p>Terms of number {number} apply</div>"

    window = [page(number, ("qwe", "rty")) for number in range(9)]
    _, columns = columns_of(page(99, ("qwe", "rty")), window, PageType())
    assert columns["by tree"].tolist() == [0, 0]
    _, columns = columns_of(page(99, ("asd", "fgh")), window, PageType())
    assert columns["by tree"].tolist() == columns["trust"].tolist() == [1, 1]


def test_labels_of_records_say_nothing_on_documentation_and_are_template_elsewhere():
    def page(number):
        records = "".join(f"<dt>Value {number} {n}<dd>Returns" for n in range(4))
        return f"<dl>{records}</dl><p>Made by the builders of harbours"

    window = [page(number) for number in range(9)]
    documentation = PageType(documentation=1.0, other=0.0)
    texts, columns = columns_of(page(99), window, documentation)
    assert columns["same shape"][texts.index("Returns")] == 0
    assert columns["same shape"][texts.index("Made by the builders of harbours")] > 0.5
    texts, columns = columns_of(page(99), window, PageType())
    assert columns["same shape"][texts.index("Returns")] > 0.5


def test_on_documentation_the_page_has_the_word_on_text_of_all_pages_in_its_usual_container():
    def page(number):
        text = f"<p>Opens harbour {number} for the boats that wait until {number}, and for others."
        content = f"{text}<h2>Method Summary</h2>{text} It asks no toll."
        return f"<nav><b>Contents of the manual</b></nav><main>{content}</main>"

    window = [page(number) for number in range(9)]
    documentation = PageType(documentation=1.0, other=0.0)
    texts, columns = columns_of(
        page(99), window, documentation, lambda text: -2.0 if text.startswith("Contents") else 2.0
    )
    assert columns["same shape"][texts.index("Method Summary")] == 0
    assert columns["same shape"][texts.index("Contents of the manual")] > 0.5


@pytest.mark.parametrize("seed", range(20))
def test_each_line_of_links_counts_with_those_at_its_path(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 90))
    path = rng.integers(0, 3, size).astype(np.uint64)
    recurrence, density = rng.random(size), rng.random(size)
    words = rng.integers(1, 9, size).astype(np.int32)
    is_link = density >= 0.5
    mass = np.array([(words * recurrence)[is_link & (path == one)].sum() for one in path])
    wanted = is_link * recurrence * np.log(np.clip(mass / 25, 1, 50 / 25))
    is_again = links_again(path, words, recurrence, density, 0.5, 25, 50)
    np.testing.assert_allclose(is_again, wanted, rtol=1e-12, atol=1e-12)


def test_links_count_where_other_pages_have_the_same_at_their_place_though_not_these():
    def page(number, links):
        lines = "".join(f"<li><a href=/{one}>{one}</a>" for one in links)
        own = " ".join(f"{word}{number}" for word in "abcdefghijklmnopqrstuvwxyz")
        return f"<div class=text><p>{own}</div><div class=box><ul>{lines}</ul></div>"

    def names(section):
        return [f"member {section} {line}" for line in range(20)]

    by_section = [page(number, names("xyz"[number % 3])) for number in range(12)]
    of_each_page = [page(number, names("abcdefghijkl"[number])) for number in range(12)]
    new = page(99, names("new"))
    manual = PageType(documentation=1.0)
    for window, counts in ((by_section, True), (of_each_page, False)):
        texts, columns = columns_of(new, window, manual)
        links = np.array([one.startswith("member") for one in texts])
        assert not columns["links of other pages"][~links].any()
        assert ((columns["links of other pages"][links] > 0) == counts).all()
