"""Fitting of the three parts of the page model: hashed tables, tree ensembles, networks."""

from collections.abc import Callable, Sequence
from itertools import pairwise

import msgspec
import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression, SGDClassifier

from templ_core.array_types import Float32s, Floats, Int32s, Int64s
from templ_core.page_level.model.hashed_scores import HashedTable
from templ_core.page_level.model.network import Network
from templ_core.page_level.model.page_model import EXPECTED, Confidence
from templ_core.page_level.model.tree_ensemble import TreeEnsemble

ReportProgress = Callable[[str], None]
"""Called with one line about the step that was just finished."""


def drawn_places(count: int, most: int, seed: int | Sequence[int]) -> Int64s:
    """Return at most `most` of the numbers below `count`, ascending, drawn without replacement.

    >>> drawn_places(3, 5, seed=0).tolist()
    [0, 1, 2]
    >>> len(drawn_places(1000, 5, seed=0))
    5
    """
    if count <= most:
        return np.arange(count)
    return np.sort(np.random.default_rng(seed).choice(count, most, replace=False))


_PENALTY = 1.0
"""Strength of the L2 penalty."""
_DECIMALS = 4
CONFIDENCE_PAGES_MIN = 100
"""With fewer pages the expected F1 is not corrected."""


def fit_confidence(inputs: Sequence[Sequence[float]], f1s: Sequence[float]) -> Confidence:
    """Fit a logistic regression of the word F1 that pages reached.

    A page takes part twice, once as found and once as missed, with its weight divided between the two by its F1.
    All pages weigh the same, whatever they weigh in the rest of a training: their corpora differ in their types.

    Args:
        inputs: The inputs of each page, see `templ_core.page_level.model.page_model`.
        f1s: F1 that each page reached, 0 to 1.

    Returns:
        The regression; one that corrects nothing if there are fewer than CONFIDENCE_PAGES_MIN pages, or if
        all of them reached the same extreme.
    """
    share = np.asarray(f1s, np.float64)
    if len(share) < CONFIDENCE_PAGES_MIN or not 0 < share.mean() < 1:
        return EXPECTED
    rows = np.asarray(inputs, np.float64)
    model = LogisticRegression(C=1 / _PENALTY, max_iter=1000)
    model.fit(
        np.concatenate([rows, rows]),
        np.repeat([True, False], len(rows)),
        sample_weight=np.concatenate([share, 1 - share]),
    )
    weights = model.coef_[0].round(_DECIMALS).tolist()
    return Confidence(tuple(weights), round(float(model.intercept_[0]), _DECIMALS))


ATTRIBUTE_PENALTY, TEXT_PENALTY = 3e-4, 1e-4
"""Strength of the L2 penalty on the weights of attribute and of text tokens."""
_HASHED_EPOCHS = 4
_LARGEST = 127
"""The largest weight that is stored as a signed byte."""
_BINNED_ROWS = 50_000
"""Rows, about, from which the borders of the bins are taken."""
_SOFT = 0.02
"""Labels closer than this to 0 or 1 are treated as certain."""


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """Labels and weights of the rows a model is fitted to; columns of length n_rows."""

    content: Floats
    """Share of the segment that is content, 0 to 1."""
    weight: Floats
    """Weight of each row, not negative; only ratios matter."""


def fit_table(rows: sparse.csr_matrix, sample: Sample, penalty: float) -> HashedTable:
    """Fit a logistic regression over hashed tokens, with weights rounded to bytes."""
    model = SGDClassifier(
        loss="log_loss",
        alpha=penalty,
        max_iter=_HASHED_EPOCHS,
        tol=None,
        average=True,
        random_state=0,
    )
    model.fit(rows, sample.content >= 0.5, sample_weight=sample.weight / sample.weight.mean())
    weights, unit = in_bytes(model.coef_[0])
    return HashedTable(weights=weights, unit=unit, bias=float(model.intercept_[0]))


def in_bytes(weights: Floats) -> tuple[npt.NDArray[np.int8], float]:
    """Return weights rounded to signed bytes, and the weight of 1."""
    unit = float(np.abs(weights).max()) / _LARGEST or 1.0
    return np.rint(weights / unit).astype(np.int8), unit


class TreeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Size and learning parameters of an ensemble of trees."""

    trees: int = 25
    leaves: int = 12
    learning_rate: float = 0.3
    features_share: float = 0.35
    """Share of the features that each split looks at."""
    rows_per_leaf: int = 40
    """Least number of rows in a leaf."""
    penalty: float = 3.0
    """Strength of the L2 penalty on the values of leaves."""
    depth: int = 8
    bins: int = 255
    """Number of different values of a feature that trees can distinguish."""


def fit_trees(rows: Float32s, sample: Sample, settings: TreeSettings, seed: int) -> TreeEnsemble:
    """Fit gradient-boosted trees to soft labels.

    A row with an uncertain label takes part twice, once as content and once as template, with its
    weight divided between the two.
    """
    soft = (sample.content > _SOFT) & (sample.content < 1 - _SOFT)
    share = np.where(soft, np.maximum(sample.content, 1 - sample.content), 1.0)
    weight = sample.weight / sample.weight.mean()
    model = HistGradientBoostingClassifier(
        learning_rate=settings.learning_rate,
        max_iter=settings.trees,
        max_leaf_nodes=settings.leaves,
        max_depth=settings.depth,
        max_features=settings.features_share,
        min_samples_leaf=settings.rows_per_leaf,
        l2_regularization=settings.penalty,
        early_stopping=False,
        max_bins=settings.bins,
        random_state=seed,
    )
    edges = [_bin_edges(column, settings.bins) for column in rows.T]
    codes = np.empty(rows.shape, np.float32)
    for number, edge in enumerate(edges):
        codes[:, number] = np.searchsorted(edge, rows[:, number])
    model.fit(
        np.concatenate([codes, codes[soft]]),
        np.concatenate([sample.content >= 0.5, sample.content[soft] < 0.5]),
        sample_weight=np.concatenate([weight * share, (weight * (1 - share))[soft]]),
    )
    return _exported(model, edges)


def _bin_edges(column: Float32s, bins: int) -> Float32s:
    """Return the upper borders of bins of about equally many rows: at most `bins` - 1, ascending.

    The bins are made here because scikit-learn 1.9 spends four fifths of a fit on the bins of
    weighted rows.
    """
    some = column[:: len(column) // _BINNED_ROWS + 1]
    values = np.unique(some)
    if len(values) > bins:
        return np.unique(np.quantile(some, np.linspace(0, 1, bins + 1)[1:-1], method="lower"))
    middles: Float32s = (values[:-1] + (values[1:] - values[:-1]) / 2).astype(np.float32)
    return middles


def _exported(model: HistGradientBoostingClassifier, edges: Sequence[Float32s]) -> TreeEnsemble:
    """Return the fitted trees as plain columns, with bin numbers turned back into feature values."""
    trees = [stage[0].nodes for stage in model._predictors]  # noqa: SLF001 - no public way to the trees
    sizes = [len(nodes) for nodes in trees]
    roots = np.cumsum([0, *sizes[:-1]])
    nodes = np.concatenate(trees)
    own = np.arange(len(nodes))
    start = np.repeat(roots, sizes)
    leaf = nodes["is_leaf"].astype(bool)
    threshold = [
        0.0 if ends else edges[feature][int(code)]
        for ends, feature, code in zip(
            leaf, nodes["feature_idx"], nodes["num_threshold"], strict=True
        )
    ]
    return TreeEnsemble(
        feature=np.where(leaf, 0, nodes["feature_idx"]).astype(np.int32),
        threshold=np.array(threshold, np.float32),
        left=np.where(leaf, own, start + nodes["left"]).astype(np.int32),
        right=np.where(leaf, own, start + nodes["right"]).astype(np.int32),
        value=np.where(leaf, nodes["value"], 0).astype(np.float32),
        roots=roots.astype(np.int32),
        base=float(model._baseline_prediction[0, 0]),  # noqa: SLF001
        depth=int(nodes["depth"].max()),
    )


def mean_ensemble(parts: Sequence[TreeEnsemble]) -> TreeEnsemble:
    """Return one ensemble whose log-odds are the mean of those of at least one ensemble."""
    starts = np.cumsum([0, *(len(part.feature) for part in parts[:-1])]).astype(np.int32)
    share = np.float32(1 / len(parts))

    def moved(columns: Sequence[Int32s]) -> Int32s:
        return np.concatenate(
            [column + start for column, start in zip(columns, starts, strict=True)]
        ).astype(np.int32)

    return TreeEnsemble(
        feature=np.concatenate([part.feature for part in parts]),
        threshold=np.concatenate([part.threshold for part in parts]),
        left=moved([part.left for part in parts]),
        right=moved([part.right for part in parts]),
        value=np.concatenate([part.value for part in parts]) * share,
        roots=moved([part.roots for part in parts]),
        base=float(np.mean([part.base for part in parts])),
        depth=max(part.depth for part in parts),
    )


class NetworkSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Size of a network and parameters of its optimisation."""

    hidden: tuple[int, ...] = (96, 32)
    """Number of units of each hidden layer."""
    epochs: int = 6
    batch: int = 512
    """Rows of a step."""
    learning_rate: float = 3e-3
    decay: float = 0.1
    """Weight decay: each step subtracts learning rate * decay * weight. With 0.0003 the networks of two trainings
    differ half as much again, and the fusion of site and page is worse on five corpora."""


def fit_network(rows: Float32s, sample: Sample, settings: NetworkSettings, seed: int) -> Network:
    """Fit a network to soft labels by weighted cross-entropy.

    The optimiser is Adam (Kingma, Ba, 2015), with a learning rate that falls linearly to 0.
    """
    rng = np.random.default_rng(seed)
    deviation = rows.std(axis=0, dtype=np.float64)
    scale = np.where(deviation > 1e-6, 1 / np.maximum(deviation, 1e-6), 0)
    sizes = (rows.shape[1], *settings.hidden, 1)
    network = Network(
        mean=rows.mean(axis=0, dtype=np.float64).astype(np.float32),
        scale=scale.astype(np.float32),
        weights=[
            rng.normal(0, np.sqrt(2 / fan_in), (fan_in, fan_out)).astype(np.float32)
            for fan_in, fan_out in pairwise(sizes)
        ],
        biases=[np.zeros(fan_out, np.float32) for fan_out in sizes[1:]],
    )
    inputs = network.standardised(rows)
    content = sample.content.astype(np.float32)
    weight = (sample.weight / sample.weight.mean()).astype(np.float32)
    parameters = [*network.weights, *network.biases]
    adam = _Adam(parameters)
    steps = settings.epochs * (len(rows) // settings.batch + 1)
    for _ in range(settings.epochs):
        order = rng.permutation(len(rows))
        for start in range(0, len(rows), settings.batch):
            chosen = order[start : start + settings.batch]
            gradients = _gradients(network, inputs[chosen], content[chosen], weight[chosen])
            adam.step(gradients, settings.learning_rate * (1 - adam.steps / steps), settings.decay)
    return network


def _gradients(
    network: Network, inputs: Float32s, content: Float32s, weight: Float32s
) -> list[Float32s]:
    """Return the gradients of the loss: those of all weight matrices, then those of all biases."""
    values = [inputs]
    for weights, biases in zip(network.weights[:-1], network.biases[:-1], strict=True):
        values.append(np.maximum(values[-1] @ weights + biases, 0))
    log_odds = (values[-1] @ network.weights[-1] + network.biases[-1])[:, 0]
    error = ((1 / (1 + np.exp(-log_odds)) - content) * weight / len(weight))[:, None]
    of_weights: list[Float32s] = []
    of_biases: list[Float32s] = []
    for layer in reversed(range(len(network.weights))):
        of_weights.insert(0, values[layer].T @ error)
        of_biases.insert(0, error.sum(axis=0))
        error = (error @ network.weights[layer].T) * (values[layer] > 0)
    return [*of_weights, *of_biases]


class _Adam:
    """The Adam optimiser; it changes the parameters in place."""

    def __init__(self, parameters: list[Float32s]) -> None:
        self._parameters = parameters
        self._first = [np.zeros_like(one) for one in parameters]
        self._second = [np.zeros_like(one) for one in parameters]
        self.steps = 0

    def step(self, gradients: list[Float32s], rate: float, decay: float) -> None:
        self.steps += 1
        correction = np.sqrt(1 - 0.999**self.steps) / (1 - 0.9**self.steps)
        for number, gradient in enumerate(gradients):
            self._first[number] += 0.1 * (gradient - self._first[number])
            self._second[number] += 0.001 * (gradient * gradient - self._second[number])
            step = correction * self._first[number] / (np.sqrt(self._second[number]) + 1e-8)
            if gradient.ndim == 2:
                step = step + decay * self._parameters[number]
            self._parameters[number] -= rate * step
