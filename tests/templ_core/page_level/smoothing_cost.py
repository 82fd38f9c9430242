"""The cost of a smoothing, read off its definition."""

import numpy as np


def total_cost(parent, score, weight, penalty, smoothed):
    """Return the distance from the scores plus the penalties of the sections below the roots."""
    inherits = (parent >= 0) & (smoothed.section == smoothed.section[parent])
    starts = ~inherits & (parent >= 0)
    distance = weight * np.abs(score - smoothed.score)
    return float(distance.sum() + penalty[starts].sum())
