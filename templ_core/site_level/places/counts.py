"""Sums by key that can be added and subtracted exactly."""

from collections.abc import Sequence

import msgspec
import numpy as np

from templ_core.array_types import Bools, Int64s, UInt64s
from templ_core.site_level.places._counts import sums_of


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """One column for each key; the first sum of a key that is known is above 0."""

    keys: UInt64s
    """Ascending, each once; length n_keys."""
    sums: Int64s
    """(n_sums, n_keys), row after row without gaps."""
    labels: UInt64s
    """What a key stands for, the same wherever it occurs; (n_labels, n_keys)."""

    def of(self, keys: UInt64s) -> Int64s:
        """The sums of `keys`, 0 for those unknown; (n_sums, len(keys))."""
        return sums_of(self.keys, self.sums, keys)

    def plus(self, other: "Counts") -> "Counts":
        """The sums of both."""
        return self._with(other, other.sums)

    def minus(self, other: "Counts") -> "Counts":
        """What was there before `other` was added."""
        return self._with(other, -other.sums)

    def where(self, chosen: Bools) -> "Counts":
        """The keys that are chosen; `chosen` has length n_keys."""
        return Counts(
            keys=self.keys[chosen],
            sums=self.sums.compress(chosen, axis=1),
            labels=self.labels.compress(chosen, axis=1),
        )

    def _with(self, other: "Counts", sums: Int64s) -> "Counts":
        both = total([self, Counts(keys=other.keys, sums=sums, labels=other.labels)])
        return both.where(both.sums[0] > 0)


def count(keys: UInt64s, sums: Int64s, labels: UInt64s | None = None) -> Counts:
    """Sums by key.

    Args:
        keys: In any order.
        sums: What each adds; (n_sums, len(keys)).
        labels: What each key stands for; (n_labels, len(keys)).
    """
    if labels is None:
        labels = np.empty((0, len(keys)), np.uint64)
    if not len(keys):
        return Counts(keys=keys, sums=sums, labels=labels)
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    return Counts(
        keys=ordered[starts],
        sums=np.add.reduceat(sums[:, order], starts, axis=1),
        labels=labels[:, order[starts]],
    )


def total(some: Sequence[Counts]) -> Counts:
    """The sums of at least one."""
    return count(
        np.concatenate([one.keys for one in some]),
        np.concatenate([one.sums for one in some], axis=1),
        np.concatenate([one.labels for one in some], axis=1),
    )


def occurrences(keys: UInt64s) -> Counts:
    """How often each key occurs."""
    return count(keys, np.ones((1, len(keys)), np.int64))
