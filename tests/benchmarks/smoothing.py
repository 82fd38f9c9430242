"""Speed of isotonic smoothing, and its excess cost over the exact solution.

    python -m tests.benchmarks.smoothing CORPUS... [--pages N]

The trees are those of real pages: all elements with text, each with the mean templateness that the
page model gives its segments, weighted by words, and with the paper's penalty c * A / A_i, with words
as area. First the time for trees of 300, 3 000 and 30 000 nodes is printed (several pages put
together), then the cost of the fast smoothing above that of the exact one, page by page.
"""

import statistics
import time

import numpy as np

from templ_core.dom.document import read_document
from templ_core.errors import PageError
from templ_core.lab.papers.pagelevel.node_features import leave_out
from templ_core.lab.papers.pagelevel.variants import PENALTY_FACTOR
from templ_core.lab.tree_sums import subtree_sums
from templ_core.page_level.model.model_file import shipped_model
from templ_core.page_level.page_evidence import read_page_evidence
from templ_core.page_level.smoothing import smooth
from tests.benchmarks.measuring import read_options, read_pages
from tests.templ_core.page_level.slow_smoothing import SCORE_GRID, smooth_exactly, total_cost

SIZES = (300, 3_000, 30_000)
ROUNDS = 15
FACTORS = (0.1 * PENALTY_FACTOR, PENALTY_FACTOR, 10 * PENALTY_FACTOR)


def main():
    options = read_options(__doc__, "corpora...", pages=300)
    trees = [tree for tree in map(tree_of, evenly(options.corpora, options.pages)) if tree]
    print(f"{len(trees)} pages, median {statistics.median(len(t[0]) for t in trees):.0f} nodes")
    for size in SIZES:
        elapsed = [timed_ms(put_together(trees, size, start)) for start in range(3)]
        print(f"{size} nodes: {statistics.median(elapsed):.3f} ms with {len(SCORE_GRID)} values")
    for factor in FACTORS:
        report_excess(trees, factor)


def evenly(corpora, count):
    """Return pages spread evenly over all corpora."""
    pages = read_pages(corpora)
    return pages[:: max(1, len(pages) // count)]


def tree_of(page):
    """Return parent, score, weight and share of the page's words of all elements with text."""
    try:
        document = read_document(page.body, page.url)
    except PageError:
        return None
    if not document.segments.texts:
        return None
    scores = read_page_evidence(document, shipped_model())
    templateness = 1 / (1 + np.exp(scores.log_odds))
    words = subtree_sums(document, scores.words)
    mean = subtree_sums(document, scores.words * templateness) / np.maximum(words, 1)
    tree = leave_out(document.nodes.parent, words == 0)
    ones = np.ones(len(tree.kept))
    return tree.parent, mean[tree.kept], ones, words[tree.kept] / words[0]


def put_together(trees, size, start):
    """Return the trees of several pages under one root, cut to `size` nodes."""
    parts, count = [[np.array([-1], np.int32), *(np.ones(1) for _ in range(3))]], 1
    while count < size:
        parent, *columns = trees[start % len(trees)]
        parts.append([np.where(parent < 0, 0, parent + count).astype(np.int32), *columns])
        count += len(parent)
        start += 1
    columns = (np.concatenate(some)[:size] for some in zip(*parts, strict=True))
    parent, score, weight, share = columns
    return parent, score, weight, PENALTY_FACTOR / share


def timed_ms(tree):
    best = float("inf")
    for _ in range(ROUNDS):
        started = time.perf_counter()
        smooth(*tree)
        best = min(best, time.perf_counter() - started)
    return 1000 * best


def report_excess(trees, factor):
    """Print the excess cost with a penalty factor."""
    excess, fast_sum, exact_sum, other_side, nodes = [], 0.0, 0.0, 0, 0
    for parent, score, weight, share in trees:
        tree = parent, score, weight, factor / share
        fast, exact = smooth(*tree), smooth_exactly(*tree)
        fast_cost, exact_cost = total_cost(*tree, fast), total_cost(*tree, exact)
        fast_sum, exact_sum = fast_sum + fast_cost, exact_sum + exact_cost
        if exact_cost:
            excess.append(fast_cost / exact_cost - 1)
        other_side += int(np.sum((fast.score > 0.5) != (exact.score > 0.5)))
        nodes += len(parent)
    print(
        f"c = {factor:g}: excess cost {fast_sum / exact_sum - 1:.4%} of the sum, "
        f"page median {np.median(excess):.4%}, 95 % of pages below {np.quantile(excess, 0.95):.4%}, "
        f"worst {max(excess):.4%}; {other_side / nodes:.4%} of the nodes on another side of 0.5"
    )


if __name__ == "__main__":
    main()
