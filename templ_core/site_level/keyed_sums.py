"""Integer sums by key, which can be added and subtracted exactly."""

from collections.abc import Sequence
from typing import Literal, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.array_types import Bools, Int64s, UInt64s
from templ_core.site_level import _keyed_sums

Number = TypeVar("Number", np.int64, np.uint64, np.uint32)


class KeyedSums(msgspec.Struct, frozen=True, kw_only=True):
    """One column of sums for each key; the first sum of every key is above 0."""

    keys: UInt64s
    """The keys in ascending order, each once; length n_keys."""
    sums: Int64s
    """The sums of each key as a C-contiguous array; (n_sums, n_keys)."""
    labels: UInt64s
    """What each key stands for, which never differs between two pages, as a C-contiguous array;
    (n_labels, n_keys)."""

    def of(self, keys: UInt64s) -> Int64s:
        """Return the sums of some keys, 0 for unknown ones.

        Args:
            keys: A contiguous column in any order, with or without repeats.

        Returns:
            Sums of shape (n_sums, len(keys)).
        """
        return _keyed_sums.sums_of(self.keys, self.sums, keys)

    def plus(self, other: "KeyedSums") -> "KeyedSums":
        """Return the sums of both."""
        return self._with(other, 1)

    def minus(self, other: "KeyedSums") -> "KeyedSums":
        """Return the sums as they were before `other` was added."""
        return self._with(other, -1)

    def where(self, chosen: Bools) -> "KeyedSums":
        """Return the keys that are chosen; `chosen` has length n_keys."""
        return KeyedSums(
            keys=self.keys[chosen],
            sums=self.sums.compress(chosen, axis=1),
            labels=self.labels.compress(chosen, axis=1),
        )

    def _with(self, other: "KeyedSums", sign: Literal[1, -1]) -> "KeyedSums":
        if not len(other.keys):
            return self
        keys, sums, labels = _keyed_sums.merged(self, other, sign)
        return KeyedSums(keys=keys, sums=sums, labels=labels)


def sum_by_key(keys: UInt64s, sums: Int64s, labels: UInt64s | None = None) -> KeyedSums:
    """Add up the columns of equal keys.

    >>> import numpy as np
    >>> words = sum_by_key(np.array([7, 3, 7], np.uint64), np.array([[10, 20, 30]]))
    >>> words.of(np.array([3, 5, 7], np.uint64)).tolist()
    [[20, 0, 40]]

    Args:
        keys: A key for each column, in any order.
        sums: What each column adds; (n_sums, len(keys)).
        labels: What each key stands for, equal for equal keys; (n_labels, len(keys)).
    """
    if labels is None:
        labels = np.empty((0, len(keys)), np.uint64)
    order = np.argsort(keys)
    unique, totals, kept = _keyed_sums.add_up(
        np.ascontiguousarray(keys),
        order,
        np.ascontiguousarray(sums, np.int64),
        np.ascontiguousarray(labels),
    )
    return KeyedSums(keys=unique, sums=totals, labels=kept)


def count_keys(keys: UInt64s, labels: UInt64s | None = None) -> KeyedSums:
    """Return how often each key occurs, as one sum; `labels` are those of `sum_by_key`."""
    return sum_by_key(keys, np.ones((1, len(keys)), np.int64), labels)


def count_columns(columns: Sequence[UInt64s]) -> KeyedSums:
    """Return in how many columns each key occurs, however often it occurs in one of them.

    >>> count_columns([np.array([7, 3, 7], np.uint64), np.array([7], np.uint64)]).sums.tolist()
    [[1, 2]]
    """
    keys, counts = _keyed_sums.count_columns(columns)
    return KeyedSums(keys=keys, sums=counts, labels=np.empty((0, len(keys)), np.uint64))


def no_sums(sums: int, labels: int) -> KeyedSums:
    """Return a value without keys, given the numbers of sums and of labels of each key."""
    return KeyedSums(
        keys=np.empty(0, np.uint64),
        sums=np.empty((sums, 0), np.int64),
        labels=np.empty((labels, 0), np.uint64),
    )


def distinct(values: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """Return the distinct values in ascending order.

    Values are sorted, because `np.unique` hashes integers: for millions of random ones it takes 20
    times as long.

    >>> distinct(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    ordered = values.copy()
    ordered.sort()
    is_first = np.empty(ordered.size, np.bool_)
    is_first[:1] = True
    is_first[1:] = ordered[1:] != ordered[:-1]
    return ordered[is_first]
