"""Distinct values of an integer column."""

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from templ_core.array_types import UInt64s

Number = TypeVar("Number", np.int64, np.uint64)


def distinct(values: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """The distinct values in ascending order.

    By sorting: `np.unique` hashes integers, which on millions of random ones takes 20 times as long.
    """
    ordered = np.sort(values)
    is_first = np.ones(len(ordered), np.bool_)
    is_first[1:] = ordered[1:] != ordered[:-1]
    return ordered[is_first]


def distinct_groups(
    values: UInt64s,
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Groups of equal values in ascending order of the values.

    Returns:
        Index of the first value of each group; number of each value's group.
    """
    order = np.argsort(values, kind="stable")
    is_first = np.ones(len(values), np.bool_)
    is_first[1:] = values[order[1:]] != values[order[:-1]]
    group = np.empty(len(values), np.intp)
    group[order] = np.cumsum(is_first) - 1
    return order[is_first], group
