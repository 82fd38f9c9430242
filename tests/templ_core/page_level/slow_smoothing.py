"""The smoothing of least cost, and the cost of any smoothing, read off their definitions."""

import numpy as np

from templ_core.page_level.smoothing import Smoothed

SCORE_GRID = np.linspace(0.0, 1.0, 64)
"""The values that the compiled smoothing tries."""


def smooth_exactly(parent, score, weight, penalty):
    """Return smoothed scores and sections of the least cost, for any y among the scores (lemma 3)."""
    values = np.unique(score[weight > 0])
    values = values if len(values) else np.zeros(1)
    below = np.zeros((len(parent), len(values)))
    choice = np.tile(np.arange(len(values)), (len(parent), 1))
    for node in range(len(parent) - 1, -1, -1):
        cost = below[node] + weight[node] * np.abs(score[node] - values)
        gamma, best = penalty[node] if parent[node] >= 0 else 0.0, len(values) - 1
        passed = cost.copy()
        for value in range(len(values) - 2, -1, -1):
            if cost[value] > cost[best] + gamma:
                passed[value], choice[node, value] = cost[best] + gamma, best
            if cost[value] <= cost[best]:
                best = value
        if parent[node] >= 0:
            below[parent[node]] += passed
    taken, section = np.zeros((2, len(parent)), int)
    for node, above in enumerate(parent.tolist()):
        taken[node] = choice[node, taken[above] if above >= 0 else 0]
        is_same = above >= 0 and taken[node] == taken[above]
        section[node] = section[above] if is_same else section[:node].max(initial=-1) + 1
    return Smoothed(score=values[taken], section=section)


def total_cost(parent, score, weight, penalty, smoothed):
    """Return the distance from the scores plus the penalties of the sections below the roots."""
    inherits = (parent >= 0) & (smoothed.section == smoothed.section[parent])
    starts = ~inherits & (parent >= 0)
    distance = weight * np.abs(score - smoothed.score)
    return float(distance.sum() + penalty[starts].sum())
