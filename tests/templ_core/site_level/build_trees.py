"""Trees for tests: `r(a(b) c)` is a root r with the children a, which has the child b, and c."""

import re

import numpy as np
from hypothesis import strategies as st

from templ_core.lab.papers.rtdm import build_tree


def tree(text):
    depth, labels, depths = 0, [], []
    for token in re.findall(r"\w+|[()]", text):
        if token == "(":
            depth += 1
        elif token == ")":
            depth -= 1
        else:
            labels.append(token)
            depths.append(depth)
    return columns(depths, labels)


def columns(depths, labels):
    numbers = [int.from_bytes(str(label).encode(), "little") for label in labels]
    return build_tree(
        label=np.array(numbers, np.uint64),
        depth=np.array(depths, np.int32),
        segment=np.full(len(depths), -1),
    )


def names(labelled, kept=slice(None)):
    numbers = labelled.label[kept].tolist()
    return [number.to_bytes(8, "little").rstrip(b"\0").decode() for number in numbers]


@st.composite
def trees(draw, nodes_max=6, labels="ab"):
    depths = [0]
    for _ in range(draw(st.integers(0, nodes_max - 1))):
        depths.append(draw(st.integers(1, depths[-1] + 1)))
    return columns(depths, [draw(st.sampled_from(labels)) for _ in depths])


def parents(labelled):
    path, result = [], []
    for node, depth in enumerate(labelled.depth.tolist()):
        del path[depth:]
        result.append(path[-1] if path else -1)
        path.append(node)
    return result


def slow_cost(left, right):
    """Return the least cost (Definition 2) and the most common nodes of a cheapest mapping, cell by cell."""

    def children(labelled, node):
        below = node + 1
        while below < labelled.end[node]:
            yield below
            below = int(labelled.end[below])

    def size(labelled, node):
        return int(labelled.end[node]) - node

    def plus(one, cost, common=0):
        return one[0] + cost, one[1] - common

    def pair(one, other):
        if left.label[one] != right.label[other]:
            below = size(left, one) - 1, size(right, other) - 1
            return 1 + sum(below), 0
        ones, others = [*children(left, one)], [*children(right, other)]
        row = [(0, 0)]
        for b in others:
            row.append(plus(row[-1], size(right, b)))
        for a in ones:
            above, row = row, [plus(row[0], size(left, a))]
            for number, b in enumerate(others):
                paired, common = pair(a, b)
                row.append(
                    min(
                        plus(above[number], paired, -common),
                        plus(above[number + 1], size(left, a)),
                        plus(row[-1], size(right, b)),
                    )
                )
        return plus(row[-1], 0, 1)

    cost, common = pair(0, 0)
    return cost, -common


@st.composite
def variants(draw, nodes_max=25):
    """Draw two trees that differ in some labels, often of leaves alone."""
    one = draw(trees(nodes_max, labels="ab"))
    changed = draw(st.lists(st.integers(1, nodes_max), max_size=6))
    labels = names(one)
    for node in changed:
        is_leaf = node < len(labels) and one.end[node] == node + 1
        if is_leaf or (node < len(labels) and not draw(st.integers(0, 4))):
            labels[node] = draw(st.sampled_from("abcdef"))
    return one, columns(one.depth.tolist(), labels)
