from itertools import pairwise
from math import log2

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from templ_core.dom.document import parse_document
from templ_core.lab.evaluation.curves import CurvePoint
from templ_core.lab.layout import read_presentation
from templ_core.lab.papers.kolcz_yih import block_detector
from templ_core.lab.papers.kolcz_yih.blocks import (
    block_labels,
    divergence,
    read_block_features,
    read_blocks,
)
from templ_core.lab.papers.kolcz_yih.keywords import (
    KeywordPage,
    Passage,
    document_frequency,
    normal_phrase,
    read_candidates,
    top_n,
)
from templ_core.lab.training.labels.site_labels import read_sites
from templ_core.page_level.features.characters import read_characters, read_words
from tests.templ_core.lab.synthetic_pages import corpus_pages
from workers.lab.simulate.feed import FeedSettings, simulate_feed

LONG = "This sentence has more than forty characters in it."
SHORT = "Too short a text."


def presented_blocks(markup):
    document = parse_document(markup, "https://a.org/")
    presentation = read_presentation(document, markup)
    return document, presentation, read_blocks(document, presentation)


def tags(document, blocks):
    return [document.nodes.tags[node] for node in blocks.node]


def test_blocks_need_a_block_tag_and_enough_text():
    document, _, blocks = presented_blocks(
        f"<body><section><div><p>{LONG}</p></div></section><div>{SHORT}</div>"
        f"<ul><li>{LONG}<li>{SHORT}</ul><div>{'same ' * 30}</div>"
    )
    assert tags(document, blocks) == ["div", "ul", "li"]
    assert blocks.parent.tolist() == [-1, -1, 1]
    assert blocks.texts[0] == LONG


def test_small_elements_are_blocks_with_their_own_text():
    document, _, blocks = presented_blocks(
        f"<body><p>before <small>{LONG} <b>bold</b><i></i>end</small></p>"
    )
    assert tags(document, blocks) == ["small"]
    assert blocks.texts == [f"{LONG} boldend"]


def test_digests_depend_on_the_text_only():
    _, _, blocks = presented_blocks(f"<body><div><b>{LONG}</b></div><ul><li>{LONG}</ul>")
    assert len(set(blocks.digests)) == 1
    assert len(blocks.digests) == 3


def test_each_block_has_the_nearest_block_around_it_as_parent():
    document, _, blocks = presented_blocks(
        f"<body>{SHORT}<div>{LONG}<ul><li>{LONG}<li>{SHORT}</ul></div>"
    )
    assert tags(document, blocks) == ["div", "ul", "li"]
    assert blocks.parent.tolist() == [-1, 0, 1]


def test_features_equal_those_counted_by_hand():
    document, presentation, blocks = presented_blocks(
        f"<body>\n<div>x</div>\n<ul><li><a href=/>{LONG}</a><li><img src=a>{LONG}</ul>"
    )
    columns = read_block_features(document, presentation, blocks).columns
    assert tags(document, blocks) == ["ul", "li", "li"]
    assert columns["a inside"].tolist() == [1, 1, 0]
    assert columns["img inside"].tolist() == [1, 0, 1]
    assert columns["words"].tolist() == [18, 9, 9]
    assert columns["stops"].tolist() == [2, 1, 1]
    assert columns["line"].tolist() == [3, 3, 3]
    assert columns["distance from the leftmost sibling"].tolist() == [1, 0, 1]
    assert columns["is ul"].tolist() == [1, 0, 0]
    assert columns["in ul"].tolist() == [0, 1, 1]
    assert np.allclose(columns["share of words"], [18 / 19, 9 / 19, 9 / 19])


def test_divergence_equals_its_definition():
    blocks = read_words(read_characters(["a a b"]))
    page = read_words(read_characters(["a a b c c c"]))
    share = {"a": 2 / 3, "b": 1 / 3}
    others = {"a": 1 / (3 + 3), "b": 1 / (3 + 3)}
    expected = sum(share[word] * np.log(share[word] / others[word]) for word in share)
    assert np.isclose(divergence(blocks, page)[0], expected)


MENU = "The menu of the site with all of its many sections"
TWICE = "A text that stands on two pages of the site and no more"


def read(markup):
    document = parse_document(markup, "https://a.org/")
    return document, read_blocks(document, read_presentation(document, markup))


def site(bodies):
    pages = [read(f"<body>{body}") for body in bodies]
    labels = block_labels([blocks for _, blocks in pages])
    return [
        {
            (document.nodes.tags[blocks.node[place]], blocks.texts[place]): bool(template)
            for place, template in zip(*found, strict=True)
        }
        for (document, blocks), found in zip(pages, labels, strict=True)
    ]


def own(number, part="x"):
    return f"The text of article number {number}, part {part}, is unlike others"


def test_frequent_blocks_are_template_and_unique_blocks_are_not():
    labels = site(f"<div>{MENU}</div><blockquote>{own(n)}</blockquote>" for n in range(20))
    assert labels[3] == {("div", MENU): True, ("blockquote", own(3)): False}


def test_blocks_on_a_few_pages_have_no_label_nor_have_the_blocks_around_them():
    bodies = [f"<div>{MENU}</div><table><tr><td>{own(n)}</table>" for n in range(40)]
    for number in (0, 1):
        bodies[number] = f"<ul><li>{TWICE}</li><li>{own(number)}</li></ul>"
    assert site(bodies)[0] == {("li", own(0)): False}


def test_only_the_topmost_unique_block_has_a_label():
    labels = site(
        f"<div>{MENU}</div><table><tr><td>{own(n, 'a')}<td>{own(n, 'b')}</table>" for n in range(20)
    )
    tags = [tag for (tag, _), template in labels[5].items() if not template]
    assert tags == ["table"]


def test_unique_blocks_around_template_have_no_label():
    labels = site(f"<div><div>{MENU}</div>{own(n)} {own(n, 'b')}</div>" for n in range(20))
    assert labels[0] == {("div", MENU): True}


def test_a_text_that_a_page_has_twice_has_one_label():
    labels = site(f"<div>{MENU}</div><div>{MENU}</div><h1>{own(n)}</h1>" for n in range(20))
    assert [text for _, text in labels[0]] == [MENU, own(0)]


def test_blocks_on_a_tenth_of_the_pages_are_template():
    bodies = [f"<h1>{own(n)}</h1>" + f"<div>{MENU}</div>" * (n < 4) for n in range(40)]
    assert site(bodies)[0]["div", MENU]
    bodies = [f"<h1>{own(n)}</h1>" + f"<div>{MENU}</div>" * (n < 3) for n in range(40)]
    assert ("div", MENU) not in site(bodies)[0]


PAIRS = st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=1, max_size=40)


def bits(labels):
    share = sum(labels) / len(labels)
    return sum(-part * log2(part) for part in (share, 1 - share) if part > 0)


def slowly(pairs):
    """The paper's algorithm as it is written: on lists, by recursion."""
    values = sorted({value for value, _ in pairs})
    best = None
    for low, high in pairwise(values):
        left = [label for value, label in pairs if value <= low]
        right = [label for value, label in pairs if value > low]
        mixed = (len(left) * bits(left) + len(right) * bits(right)) / len(pairs)
        if best is None or mixed < best[0] - 1e-12:
            best = mixed, (low + high) / 2, left, right
    if best is None:
        return []
    mixed, cut, left, right = best
    whole = [label for _, label in pairs]
    kinds = [len(set(some)) for some in (whole, left, right)]
    cost = log2(3 ** kinds[0] - 2) - (
        kinds[0] * bits(whole) - kinds[1] * bits(left) - kinds[2] * bits(right)
    )
    if bits(whole) - mixed <= (log2(len(pairs) - 1) + cost) / len(pairs) + 1e-12:
        return []
    return [
        *slowly([pair for pair in pairs if pair[0] < cut]),
        cut,
        *slowly([pair for pair in pairs if pair[0] > cut]),
    ]


@given(PAIRS)
def test_cut_points_equal_those_of_the_recursive_algorithm(pairs):
    values, labels = zip(*pairs, strict=True)
    assert block_detector.cut_points(np.array(values, float), np.array(labels)).tolist() == slowly(
        pairs
    )


def test_noise_has_no_borders():
    rng = np.random.default_rng(2)
    assert not len(block_detector.cut_points(rng.random(2000), rng.random(2000) > 0.5))


def test_two_borders_between_the_classes_are_found():
    values = np.linspace(0, 1, 3000)
    cuts = block_detector.cut_points(values, (values > 0.2) & (values < 0.6))
    assert cuts == pytest.approx([0.2, 0.6], abs=0.01)


TREES = 10


@pytest.fixture(scope="module")
def sites():
    feed = simulate_feed(FeedSettings(sites=12, pages=300, seed=5, languages=("en",)))
    return list(read_sites(corpus_pages(feed)))


@pytest.fixture(scope="module")
def sample(sites):
    return block_detector.BlockSample.joined(
        block_detector.sample_blocks(site, number) for number, site in enumerate(sites)
    )


@pytest.fixture(scope="module")
def detector(sample):
    return block_detector.fit_block_detector(sample.take(np.flatnonzero(sample.site < 9)), 0, TREES)


def test_detectors_classify_blocks_of_unseen_sites(sites, detector):
    right = {"text": [], "maxent": [], "forest": []}
    for site in sites[9:]:
        blocks = [read_blocks(page.document, page.presentation) for page in site.pages]
        labels = block_labels(blocks)
        for page, some, (place, wanted) in zip(site.pages, blocks, labels, strict=True):
            if not len(place):
                continue
            features = read_block_features(page.document, page.presentation, some)
            scores = detector.scores(features.rows, block_detector.word_rows(features.words))
            for name, score in scores.items():
                template = score > (0.5 if name == "forest" else 0)
                right[name].extend((template[place] == wanted).tolist())
    assert np.mean(right["maxent"]) > 0.9
    assert np.mean(right["forest"]) > 0.9
    assert np.mean(right["text"]) > 0.7


def test_equal_seeds_give_equal_forests_whose_answers_are_probabilities(sample):
    one, again = (block_detector.fit_block_detector(sample, 3, TREES) for _ in range(2))
    share, other = (some.scores(sample.rows, sample.words)["forest"] for some in (one, again))
    assert np.array_equal(share, other)
    assert ((share >= 0) & (share <= 1)).all()


def test_text_scores_for_fitting_are_out_of_fold(sample):
    flipped = np.where(sample.site == 0, ~sample.template, sample.template)
    other = msgspec.structs.replace(sample, template=flipped)
    inside = sample.site == 0
    assert np.array_equal(
        block_detector.out_of_fold_text_log_odds(sample)[inside],
        block_detector.out_of_fold_text_log_odds(other)[inside],
    )


def test_duplicate_blocks_are_removed(sample):
    twice = block_detector.BlockSample.joined([sample, sample])
    once = block_detector.without_duplicates(sample)
    assert len(block_detector.without_duplicates(twice).template) == len(once.template)


def test_balanced_weights_give_both_classes_the_same_total():
    template = np.array([True] * 9 + [False])
    weight = block_detector.balanced(template)
    assert weight[template].sum() == pytest.approx(weight[~template].sum())


def test_a_thinned_curve_keeps_its_last_point():
    points = [
        CurvePoint(threshold=0.0, precision=1 - recall / 2, recall=recall)
        for recall in np.linspace(0.001, 1, 1000).tolist()
    ]
    curve = block_detector.thinned_curve(points, 11)
    assert len(curve) == 11
    assert curve[-1] == (1.0, 0.5)


def test_detectors_are_not_trained_on_the_site_they_score():
    """A word that predicts the class on one site only must not help on this site."""
    rng = np.random.default_rng(0)
    site = np.repeat(np.arange(20), 20)
    template = rng.random(400) < 0.5
    sample = block_detector.BlockSample(
        rows=rng.random((400, 1)).astype(np.float32),
        template=template,
        site=site,
        words=csr_matrix(
            (np.ones(400), (np.arange(400), site * 2 + template)),
            (400, block_detector.WORD_TABLE_SIZE),
        ),
    )
    scores = block_detector.cross_site_scores(sample, 0, lambda _: None, 5)
    for score in scores.values():
        right = (score > np.median(score)) == template
        assert right.mean() < 0.65


def keyword_page(*texts, title=""):
    return KeywordPage(
        title=title, passages=[Passage(text=text, link_share=0.0, heading=False) for text in texts]
    )


NONE = document_frequency([])


def test_phrases_do_not_cross_clauses_or_segments():
    phrases = read_candidates(keyword_page("Red cars, blue", "cars are 12 34"), NONE)[0]
    assert phrases == ["red", "red cars", "cars", "blue", "cars are", "cars are 12", "are", "are 12",
                     "are 12 34"]  # fmt: skip


def test_document_frequency_counts_pages():
    frequency = document_frequency([keyword_page("a b a"), keyword_page("a"), keyword_page("b, a")])
    assert frequency.pages == 3
    assert frequency.pages_with == {"a": 3, "b": 2, "a b": 1, "b a": 1, "a b a": 1}


def test_rare_phrases_that_the_page_repeats_have_a_high_tf_idf():
    frequency = document_frequency(
        [keyword_page("the"), keyword_page("the tiger"), keyword_page("the lion")]
    )
    candidates = read_candidates(keyword_page("tiger the tiger the", title="Of a Tiger"), frequency)
    rows = dict(zip(candidates[0], candidates[1].tolist(), strict=True))
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
