import numpy as np
import pytest

from templ_core.dom.document import parse_document
from templ_core.errors import CodecError
from templ_core.lab.layout import read_presentation
from templ_core.lab.papers.pagelevel import variants
from templ_core.lab.papers.pagelevel.node_features import read_node_features
from templ_core.page_level.smoothing import smooth
from tests.templ_core.lab.synthetic_pages import corpus_pages
from workers.lab.simulate.feed import FeedSettings, simulate_feed

MARKUP = (
    "<html lang=en><title>Sea birds of Norway</title><body bgcolor=white>"
    "<ul bgcolor=#333333><li><a href='/'>Home</a><li><a href='https://x.org/'>Elsewhere</a></ul>"
    "<div><p>The birds of the sea are many, and they have been here for long. It is so.</p></div>"
)


@pytest.fixture(scope="module")
def found():
    document = parse_document(MARKUP, "https://a.org/")
    return document, read_node_features(document, read_presentation(document, MARKUP))


def value(found, name, tag):
    document, features = found
    tags = [document.nodes.tags[node] for node in features.node]
    return features.columns[name][tags.index(tag)]


def test_blocks_with_text_form_a_tree(found):
    document, features = found
    assert [document.nodes.tags[node] for node in features.node] == [
        "html", "body", "ul", "li", "li", "div", "p",
    ]  # fmt: skip
    assert features.parent.tolist() == [-1, 0, 1, 2, 2, 1, 5]
    assert features.rows.shape == (7, len(features.columns))


def test_link_features(found):
    assert value(found, "links per word", "ul") == 1
    assert value(found, "text in anchors", "ul") == 1
    assert value(found, "links inside the site", "ul") == 0.5
    assert value(found, "anchor size", "ul") == (len("Home") + len("Elsewhere")) / 2
    assert value(found, "links per word", "p") == 0


def test_text_features(found):
    assert value(found, "words per sentence", "p") == 17 / 2
    assert value(found, "stop words", "p") > 0.6
    assert value(found, "stop words", "ul") == 0
    assert value(found, "title words", "p") == pytest.approx(2 / 3)
    assert value(found, "of the title", "p") == pytest.approx(2 / 17)


def test_background_and_markup_features(found):
    assert value(found, "background", "ul") == pytest.approx(0.2)
    assert value(found, "background beside the page's", "li") == pytest.approx(0.8)
    assert value(found, "background beside the page's", "p") == 0
    assert value(found, "visible characters", "p") > value(found, "visible characters", "ul")


def test_position_features(found):
    assert value(found, "top margin", "ul") < value(found, "top margin", "p")
    assert value(found, "area share", "html") == 1


def test_stop_words_are_found_if_no_language_is_declared():
    markup = "<body><p>Der Hund und die Katze sind nicht im Haus, weil es regnet."
    document = parse_document(markup, "https://a.org/")
    features = read_node_features(document, read_presentation(document, markup))
    assert features.columns["stop words"][-1] > 0.5


def test_all_features_are_finite_on_unusual_pages():
    for markup in ("word", "<p hidden>word", "<table><tr><td>_", "<body>1<p><div><br><br>2"):
        document = parse_document(markup, "file:")
        features = read_node_features(document, read_presentation(document, markup))
        assert np.isfinite(features.rows).all()


def test_a_block_inside_a_link_belongs_to_the_block_around_the_link():
    markup = "<body><div>text<a href=/><p>inside the link</p></a></div><p>after it</p>"
    document = parse_document(markup, "")
    features = read_node_features(document, read_presentation(document, markup))
    tags = [document.nodes.tags[node] for node in features.node]
    assert tags == ["html", "body", "div", "p", "p"]
    assert features.parent.tolist() == [-1, 0, 1, 2, 1]


PARENT = np.array([-1, 0, 1, 1, 0, 4], np.int32)
AREA = np.array([9e4, 4e4, 1e3, 3e4, 5e4, 0])


def test_the_papers_three_penalties():
    assert variants.penalties("area", 0.01, PARENT, AREA)[:5] == pytest.approx(
        [0.01, 0.0225, 0.9, 0.03, 0.018]
    )
    assert variants.penalties("nodes", 0.5, PARENT, AREA) == pytest.approx([0.5, 1, 3, 3, 1.5, 3])
    by_parent = variants.penalties("parent-area", 1, PARENT, AREA)
    assert by_parent[:5] == pytest.approx([1, 2.25, 40, 4 / 3, 1.8])
    assert by_parent[5] == np.inf


def test_hidden_nodes_weigh_in_their_parent_and_share_its_score(monkeypatch):
    seen = {}

    def smoother(parent, score, weight, penalty):
        seen.update(score=score.tolist(), weight=weight.tolist())
        return smooth(parent, score, weight, penalty)

    score = np.array([0.1, 0.9, 0.2, np.nan, 0.3, 0.8])
    monkeypatch.setattr(variants, "smooth", smoother)
    smoothed = variants.smooth_nodes(PARENT, score, AREA.clip(1), np.zeros(6))
    assert seen == {"score": [0.1, 0.9, 0.3], "weight": [1, 2, 2]}
    assert smoothed.section.tolist() == [0, 1, 1, 1, 2, 2]
    assert smoothed.score == pytest.approx([0.1, 0.9, 0.9, 0.9, 0.3, 0.3], abs=0.01)


def test_a_node_without_area_keeps_its_score_and_weighs_nothing():
    score = np.array([0.1, 0.9, 0.2, np.nan, 0.3, 0.8])
    smoothed = variants.smooth_nodes(PARENT, score, AREA, np.zeros(6))
    assert smoothed.score == pytest.approx([0.1, 0.9, 0.9, 0.9, 0.3, 0.8], abs=0.01)
    one_more = np.array([0.1, 0.9, 0.2, 0.5, 0.3, 0.8])
    shown = AREA * [1, 1, 1, 0, 1, 1]
    smoothed = variants.smooth_nodes(PARENT, one_more, shown, np.zeros(6))
    assert smoothed.score[3] == 0.5


def test_a_page_without_scores_is_one_section():
    smoothed = variants.smooth_nodes(PARENT, np.full(6, np.nan), AREA, np.ones(6))
    assert set(smoothed.section.tolist()) == {0}


def test_basic_puts_each_segment_into_a_group_of_its_own():
    variant = variants.basic_variant(np.array([0.5, 0.51, 0.1]))
    assert variant.group.tolist() == [0, 1, 2]
    assert variant.kept.tolist() == [True, False, True]


def test_basic_merge_groups_neighbours_with_similar_scores():
    scores, words = np.array([0.1, 0.3, 0.9, 0.8, 0.1]), np.array([3.0, 1, 1, 1, 1])
    variant = variants.basic_merge_variant(scores, words, 0.25)
    assert variant.group.tolist() == [0, 0, 1, 1, 2]
    assert variant.templateness == pytest.approx([0.15, 0.15, 0.85, 0.85, 0.1])
    assert variants.basic_merge_variant(scores, words, 0.2 - 1e-9).group.tolist() == [0, 1, 2, 2, 3]
    assert set(variants.basic_merge_variant(scores, words, 1.1).group) == {0}


@pytest.fixture(scope="module")
def pages():
    return list(simulate_feed(FeedSettings(sites=12, pages=300, seed=5, languages=("en",))))


@pytest.fixture(scope="module")
def classifier(pages):
    return variants.train_smoothed_classifier(corpus_pages(pages), lambda _: None)


def read(page):
    document = parse_document(page.html, page.url)
    return document, read_node_features(document, read_presentation(document, page.html))


def test_each_band_of_areas_has_a_model(classifier):
    assert len(classifier.models) == variants.BANDS
    assert classifier.area_from[0] == 0
    assert classifier.area_from == sorted(classifier.area_from)
    assert variants.bands(np.array([0, 1e9]), classifier.area_from).tolist() == [
        0,
        variants.BANDS - 1,
    ]


def test_article_text_scores_lower_than_template(pages, classifier):
    inside, outside = [], []
    for page in [page for page in pages if page.gold_text][:40]:
        document, features = read(page)
        scores = variants.segment_scores(
            features, document.segments.owner, classifier.templateness(features)
        )
        for text, score in zip(document.segments.texts, scores, strict=True):
            (inside if text in page.gold_text else outside).append(score)
    assert np.mean(inside) < 0.35
    assert np.mean(outside) > 0.65


def test_the_variant_smooth_gives_segments_of_a_section_one_score(pages, classifier):
    for page in pages[:5]:
        document, features = read(page)
        owner = document.segments.owner
        variant = variants.smooth_variant(features, owner, classifier.templateness(features))
        for group in np.unique(variant.group):
            assert len(np.unique(variant.templateness[variant.group == group])) == 1


def test_logistic_regression_finds_a_known_decision_boundary():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(4000, 2))
    positive = rng.random(4000) < 1 / (1 + np.exp(-(2 * rows[:, 0] - 1)))
    model = variants.fit_logistic(rows, positive)
    log_odds = model.log_odds(np.array([[0.5, 0], [0.5, 3], [1.5, 0]]))
    assert log_odds[0] == pytest.approx(0, abs=0.2)
    assert log_odds[1] == pytest.approx(log_odds[0], abs=0.4)
    assert log_odds[2] == pytest.approx(2, abs=0.4)


def test_training_rows_of_one_class_give_constant_log_odds():
    model = variants.fit_logistic(np.ones((3, 2)), np.ones(3, bool))
    assert model.log_odds(np.zeros((1, 2)))[0] > 0


def small_classifier():
    model = variants.LogisticRegression(
        mean=np.array([0.1, 2]), scale=np.array([1, 1 / 3]), weights=np.array([-1, 0.5]), bias=0.25
    )
    return variants.SmoothedClassifier(
        features=["a", "b"], area_from=[0.0, 5.0], models=[model, model]
    )


def test_a_classifier_is_unchanged_by_encoding_and_decoding():
    again = variants.decode_classifier(variants.encode_classifier(small_classifier()))
    rows = np.array([[1.0, 2.0], [0.0, -3.0]])
    assert again.area_from == [0.0, 5.0]
    assert again.models[1].log_odds(rows) == pytest.approx(
        small_classifier().models[1].log_odds(rows)
    )
    assert variants.encode_classifier(again) == variants.encode_classifier(small_classifier())


@pytest.mark.parametrize("body", [b"", b"{}", b"[1]", b"\x00", b'{"format": 3}'])
def test_other_files_raise_an_error_that_says_so(body):
    with pytest.raises(CodecError, match="not a PAGELEVEL classifier"):
        variants.decode_classifier(body)


def test_another_format_version_raises_an_error_that_names_it():
    body = variants.encode_classifier(small_classifier()).replace(b"classifier-1", b"classifier-9")
    with pytest.raises(CodecError, match="classifier-9"):
        variants.decode_classifier(body)
