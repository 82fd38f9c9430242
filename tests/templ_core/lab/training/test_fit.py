import numpy as np

from templ_core.dom.document import parse_document
from templ_core.lab.training import fit
from templ_core.lab.training.pages import attribute_rows, stack, text_rows
from templ_core.page_level.features.page_features import read_features
from templ_core.page_level.features.surroundings import last_headings
from templ_core.page_level.model._hashed_scores import read_attributes, text_scores
from templ_core.page_level.model.hashed_scores import TABLE_SIZE, HashedTable
from templ_core.page_level.model.page_model import EXPECTED, confidence_inputs
from templ_core.page_level.model.page_type import PageType

RNG = np.random.default_rng(5)
ROWS = RNG.normal(size=(2000, 4)).astype(np.float32)
TRUTH = 1 / (1 + np.exp(-3 * ROWS[:, 0] + 2 * (ROWS[:, 1] > 0)))
SAMPLE = fit.Sample(content=TRUTH, weight=np.ones(len(ROWS)))
NETWORK = fit.NetworkSettings(hidden=(8,), epochs=30, batch=64)


def error(log_odds):
    return np.abs(1 / (1 + np.exp(-log_odds)) - TRUTH).mean()


def test_trees_learn_soft_labels():
    trees = fit.fit_trees(ROWS, SAMPLE, fit.TreeSettings(features_share=1.0), 0)
    assert error(trees.log_odds(ROWS)) < 0.1
    assert len(trees.roots) == fit.TreeSettings().trees


def test_trees_have_at_most_as_many_thresholds_as_bins():
    trees = fit.fit_trees(ROWS, SAMPLE, fit.TreeSettings(bins=8), 0)
    inner = trees.left != np.arange(len(trees.left))
    for feature in range(ROWS.shape[1]):
        thresholds = np.unique(trees.threshold[inner & (trees.feature == feature)])
        assert len(thresholds) <= 7
        assert np.isin(thresholds, ROWS[:, feature]).all()


def test_thresholds_of_few_values_lie_between_them():
    rows = RNG.choice(np.array([-1, 2, 5], np.float32), size=(2000, 1))
    sample = fit.Sample(content=(rows[:, 0] > 2) * 1.0, weight=RNG.uniform(0.5, 2, len(rows)))
    trees = fit.fit_trees(rows, sample, fit.TreeSettings(features_share=1.0), 0)
    assert set(trees.threshold.tolist()) <= {0.0, 0.5, 3.5}
    assert ((trees.log_odds(rows) > 0) == (rows[:, 0] > 2)).all()


def test_a_network_learns_soft_labels():
    assert error(fit.fit_network(ROWS, SAMPLE, NETWORK, 0).log_odds(ROWS)) < 0.1


def test_equal_seeds_give_equal_models():
    one, other = (fit.fit_network(ROWS, SAMPLE, NETWORK, 7).log_odds(ROWS) for _ in range(2))
    assert one.tolist() == other.tolist()


def test_rows_with_weight_zero_do_not_change_the_model():
    wrong = np.concatenate([TRUTH, 1 - TRUTH])
    weight = np.concatenate([np.ones(len(ROWS)), np.zeros(len(ROWS))])
    sample = fit.Sample(content=wrong, weight=weight)
    network = fit.fit_network(np.concatenate([ROWS, ROWS]), sample, NETWORK, 0)
    assert error(network.log_odds(ROWS)) < 0.1


ARTICLE, PRODUCT = PageType(article=1.0, other=0.0), PageType(product=1.0, other=0.0)


def inputs(expected, page_type):
    kept, words = np.array([True, False]), np.array([100.0, 100.0])
    return confidence_inputs(expected, kept, words, page_type)


def test_expectations_that_are_too_high_for_a_page_type_are_lowered():
    rng = np.random.default_rng(1)
    expected = rng.uniform(0.5, 0.99, 4000)
    lost = np.where(np.arange(4000) % 2, 0.3, 0.02)
    f1s = np.clip(expected - lost + rng.normal(0, 0.02, 4000), 0, 1)
    pages = [
        inputs(float(one), PRODUCT if number % 2 else ARTICLE)
        for number, one in enumerate(expected)
    ]
    fitted = fit.fit_confidence(pages, f1s.tolist())
    for value in (0.6, 0.75, 0.9):
        assert abs(fitted.of(inputs(value, ARTICLE)) - (value - 0.02)) < 0.05
        assert abs(fitted.of(inputs(value, PRODUCT)) - (value - 0.3)) < 0.05
    assert fitted.of(inputs(0.9, ARTICLE)) > fitted.of(inputs(0.8, ARTICLE))


def test_few_pages_give_no_correction():
    few = [inputs(0.5, ARTICLE)] * (fit.CONFIDENCE_PAGES_MIN - 1)
    assert fit.fit_confidence(few, [0.9] * len(few)) == EXPECTED
    assert abs(EXPECTED.of(inputs(0.5, PRODUCT)) - 0.5) < 1e-12


MARKUP = (
    "<html><body class=home><div id=wrap class='outer leftSide'><div class=outer><section><ul>"
    "<li class=item>one <b class=x>two</b> <i>three</i></li><li>four</li></ul></section>"
    "<h2>A heading of words</h2><p itemprop=text>some more text, and more of it</p>tail</div></div>"
)


def random_table():
    rng = np.random.default_rng(1)
    weights = rng.integers(-127, 128, TABLE_SIZE).astype(np.int8)
    return HashedTable(weights=weights, unit=1e-3, bias=0.25)


def test_rows_times_weights_equal_the_compiled_scores():
    document = parse_document(MARKUP, "https://example.com/")
    features = read_features(document)
    words, heading = features.words, last_headings(features.surroundings)
    table = random_table()
    weights = table.weights * table.unit
    rows = stack([attribute_rows(document)])
    assert np.allclose(rows @ weights + table.bias, read_attributes(document, table)[0], atol=1e-6)
    rows = stack([text_rows(words, heading)])
    assert np.allclose(rows @ weights + table.bias, text_scores(words, heading, table), atol=1e-6)


def test_the_last_heading_is_the_one_before_the_segment():
    document = parse_document("<p>a<h1>b</h1><p>c<h2>d</h2>e", "https://example.com/")
    assert last_headings(read_features(document).surroundings).tolist() == [-1, -1, 1, 1, 3]
