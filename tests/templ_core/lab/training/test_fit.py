import numpy as np

from templ_core.lab.training.fit import (
    NetworkSettings,
    Sample,
    TreeSettings,
    fit_network,
    fit_trees,
)

RNG = np.random.default_rng(5)
ROWS = RNG.normal(size=(2000, 4)).astype(np.float32)
TRUTH = 1 / (1 + np.exp(-3 * ROWS[:, 0] + 2 * (ROWS[:, 1] > 0)))
SAMPLE = Sample(content=TRUTH, weight=np.ones(len(ROWS)))
NETWORK = NetworkSettings(hidden=(8,), epochs=30, batch=64)


def error(log_odds):
    return np.abs(1 / (1 + np.exp(-log_odds)) - TRUTH).mean()


def test_trees_learn_soft_labels():
    trees = fit_trees(ROWS, SAMPLE, TreeSettings(features_share=1.0), 0)
    assert error(trees.log_odds(ROWS)) < 0.1
    assert len(trees.roots) == TreeSettings().trees


def test_trees_have_at_most_as_many_thresholds_as_bins():
    trees = fit_trees(ROWS, SAMPLE, TreeSettings(bins=8), 0)
    inner = trees.left != np.arange(len(trees.left))
    for feature in range(ROWS.shape[1]):
        thresholds = np.unique(trees.threshold[inner & (trees.feature == feature)])
        assert len(thresholds) <= 7
        assert np.isin(thresholds, ROWS[:, feature]).all()


def test_thresholds_of_few_values_lie_between_them():
    rows = RNG.choice(np.array([-1, 2, 5], np.float32), size=(2000, 1))
    sample = Sample(content=(rows[:, 0] > 2) * 1.0, weight=RNG.uniform(0.5, 2, len(rows)))
    trees = fit_trees(rows, sample, TreeSettings(features_share=1.0), 0)
    assert set(trees.threshold.tolist()) <= {0.0, 0.5, 3.5}
    assert ((trees.log_odds(rows) > 0) == (rows[:, 0] > 2)).all()


def test_a_network_learns_soft_labels():
    assert error(fit_network(ROWS, SAMPLE, NETWORK, 0).log_odds(ROWS)) < 0.1


def test_equal_seeds_give_equal_models():
    one, other = (fit_network(ROWS, SAMPLE, NETWORK, 7).log_odds(ROWS) for _ in range(2))
    assert one.tolist() == other.tolist()


def test_rows_with_weight_zero_do_not_change_the_model():
    wrong = np.concatenate([TRUTH, 1 - TRUTH])
    weight = np.concatenate([np.ones(len(ROWS)), np.zeros(len(ROWS))])
    sample = Sample(content=wrong, weight=weight)
    network = fit_network(np.concatenate([ROWS, ROWS]), sample, NETWORK, 0)
    assert error(network.log_odds(ROWS)) < 0.1
