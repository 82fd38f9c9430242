import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from templ_core.page_level.model.tree_ensemble import TreeEnsemble

FEATURES = 6


def ensemble(rng, sizes):
    """Return random trees with the given numbers of inner nodes."""
    feature, threshold, left, right, value = [], [], [], [], []

    def grow(inner):
        node = len(feature)
        for column in (feature, threshold, left, right, value):
            column.append(0)
        if not inner:
            left[node] = right[node] = node
            value[node] = rng.normal()
            return node
        feature[node], threshold[node] = rng.integers(FEATURES), rng.integers(-2, 3)
        on_the_left = int(rng.integers(inner))
        left[node] = grow(on_the_left)
        right[node] = grow(inner - 1 - on_the_left)
        return node

    roots = [grow(inner) for inner in sizes]
    return TreeEnsemble(
        feature=np.array(feature, np.int32),
        threshold=np.array(threshold, np.float32),
        left=np.array(left, np.int32),
        right=np.array(right, np.int32),
        value=np.array(value, np.float32),
        roots=np.array(roots, np.int32),
        base=0.5,
        depth=max(sizes),
    )


def obvious_log_odds(trees, row):
    total = 0.0
    for root in trees.roots:
        node = root
        while trees.left[node] != node:
            goes_left = row[trees.feature[node]] <= trees.threshold[node]
            node = trees.left[node] if goes_left else trees.right[node]
        total += trees.value[node].astype(np.float64)
    return trees.base + total


@given(
    seed=st.integers(0, 1 << 30),
    sizes=st.one_of(
        st.lists(st.integers(0, 31), min_size=1, max_size=6),
        st.lists(st.integers(20, 60), min_size=1, max_size=3),
    ),
    count=st.integers(1, 40),
)
def test_every_row_reaches_the_leaves_of_the_slow_twin(seed, sizes, count):
    rng = np.random.default_rng(seed)
    trees = ensemble(rng, sizes)
    assert (trees.leaf_masks is None) == (max(sizes) > 31)
    rows = rng.integers(-3, 4, (count, FEATURES)).astype(np.float32)
    assert trees.log_odds(rows).tolist() == [obvious_log_odds(trees, row) for row in rows]
