"""Small decision trees on many rows: eight rows go down a tree side by side, without branches."""

import numpy as np

cdef enum:
    SIDE_BY_SIDE = 8


def tree_sums(
    const float[:, ::1] rows,
    const int[::1] feature,
    const float[::1] threshold,
    const int[::1] left,
    const int[::1] right,
    const float[::1] value,
    const int[::1] roots,
):
    """Sum of the leaves that each row of features reaches, one leaf a tree."""
    cdef Py_ssize_t count = rows.shape[0], row, tree
    cdef int steps, step, lane, lanes
    cdef int at[SIDE_BY_SIDE]
    cdef const float *features[SIDE_BY_SIDE]
    cdef int[:, ::1] children = np.ascontiguousarray(np.stack([right, left], axis=1))
    cdef int[::1] depths = np.array([_depth(left, right, root) for root in roots], np.int32)
    cdef double[::1] sums
    result = np.zeros(count)
    sums = result
    for row in range(0, count, SIDE_BY_SIDE):
        lanes = <int>min(SIDE_BY_SIDE, count - row)
        for lane in range(SIDE_BY_SIDE):
            features[lane] = &rows[row + (lane if lane < lanes else 0), 0]
        for tree in range(roots.shape[0]):
            steps = depths[tree]
            for lane in range(SIDE_BY_SIDE):
                at[lane] = roots[tree]
            for step in range(steps):
                for lane in range(SIDE_BY_SIDE):
                    at[lane] = children[
                        at[lane], features[lane][feature[at[lane]]] <= threshold[at[lane]]
                    ]
            for lane in range(lanes):
                sums[row + lane] += value[at[lane]]
    return result


cdef int _depth(const int[::1] left, const int[::1] right, int node) noexcept:
    """Steps from a node to its deepest leaf."""
    if left[node] == node:
        return 0
    return 1 + max(_depth(left, right, left[node]), _depth(left, right, right[node]))
