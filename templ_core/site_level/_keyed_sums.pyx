"""Looks up sums by their keys for `templ_core.site_level.keyed_sums`."""

from libc.stdint cimport int64_t, uint64_t

import numpy as np

from templ_core._arrays cimport items
from templ_core._hashing cimport find


def sums_of(keys, sums, wanted):
    """Return the sums of the wanted keys, 0 for unknown ones; (n_sums, len(wanted))."""
    cdef Py_ssize_t known = len(keys), rows = len(sums), count = len(wanted), row, place, number
    cdef const uint64_t *key = <const uint64_t *>items(keys, 8)
    cdef const int64_t *sum_of = <const int64_t *>items(sums, 8)
    cdef const uint64_t *asked = <const uint64_t *>items(wanted, 8)
    found = np.zeros((rows, count), np.int64)
    cdef int64_t *result = <int64_t *>items(found, 8, True)
    for number in range(count):
        place = find(key, known, asked[number])
        if place < known and key[place] == asked[number]:
            for row in range(rows):
                result[row * count + number] = sum_of[row * known + place]
    return found


def add_up(keys, order, sums, labels):
    """Return the distinct keys in ascending order, and for each its sums and its labels.

    Args:
        keys: A key for each column, in any order.
        order: Indexes of the columns in ascending order of their keys.
        sums: What each column adds; (n_sums, len(keys)).
        labels: What each key stands for, equal for equal keys; (n_labels, len(keys)).
    """
    cdef Py_ssize_t count = len(keys), rows = len(sums), marks = len(labels)
    cdef Py_ssize_t distinct = 0, at, row, column, place
    cdef const uint64_t *key = <const uint64_t *>items(keys, 8)
    cdef const int64_t *index = <const int64_t *>items(order, 8)
    cdef const int64_t *added = <const int64_t *>items(sums, 8)
    cdef const uint64_t *mark = <const uint64_t *>items(labels, 8)
    for at in range(count):
        distinct += at == 0 or key[index[at]] != key[index[at - 1]]
    found = np.empty(distinct, np.uint64)
    totals = np.zeros((rows, distinct), np.int64)
    kept = np.empty((marks, distinct), np.uint64)
    cdef uint64_t *result = <uint64_t *>items(found, 8, True)
    cdef int64_t *total = <int64_t *>items(totals, 8, True)
    cdef uint64_t *label = <uint64_t *>items(kept, 8, True)
    place = -1
    for at in range(count):
        column = index[at]
        if at == 0 or key[column] != result[place]:
            place += 1
            result[place] = key[column]
            for row in range(marks):
                label[row * distinct + place] = mark[row * count + column]
        for row in range(rows):
            total[row * distinct + place] += added[row * count + column]
    return found, totals, kept


def merged(one, other, int sign):
    """Return the keys, sums and labels of two `KeyedSums` together, without keys whose first sum is 0.

    Args:
        other: What is added to them or taken off, with as many sums and labels.
        sign: 1 to add, -1 to take off.
    """
    cdef Py_ssize_t rows = len(one.sums), marks = len(one.labels), row
    cdef Py_ssize_t mine = len(one.keys), theirs = len(other.keys), kept = 0, place = 0
    cdef Py_ssize_t a = 0, b = 0
    cdef const uint64_t *my_key = <const uint64_t *>items(one.keys, 8)
    cdef const uint64_t *their_key = <const uint64_t *>items(other.keys, 8)
    cdef const int64_t *my_sum = <const int64_t *>items(one.sums, 8)
    cdef const int64_t *their_sum = <const int64_t *>items(other.sums, 8)
    cdef const uint64_t *my_label = <const uint64_t *>items(one.labels, 8)
    cdef const uint64_t *their_label = <const uint64_t *>items(other.labels, 8)
    cdef bint has_mine, has_theirs
    cdef int64_t value
    froms = np.empty((2, mine + theirs), np.int64)      # index in each of the two; -1 = it lacks the key
    cdef int64_t *from_mine = <int64_t *>items(froms, 8, True)
    cdef int64_t *from_theirs = from_mine + mine + theirs
    while a < mine or b < theirs:
        has_mine = a < mine and (b == theirs or my_key[a] <= their_key[b])
        has_theirs = b < theirs and (a == mine or their_key[b] <= my_key[a])
        value = (my_sum[a] if has_mine else 0) + (sign * their_sum[b] if has_theirs else 0)
        if value > 0:
            from_mine[kept] = a if has_mine else -1
            from_theirs[kept] = b if has_theirs else -1
            kept += 1
        a += has_mine
        b += has_theirs
    keys = np.empty(kept, np.uint64)
    sums, labels = np.empty((rows, kept), np.int64), np.empty((marks, kept), np.uint64)
    cdef uint64_t *key = <uint64_t *>items(keys, 8, True)
    cdef int64_t *total = <int64_t *>items(sums, 8, True)
    cdef uint64_t *label = <uint64_t *>items(labels, 8, True)
    for place in range(kept):
        a, b = from_mine[place], from_theirs[place]
        key[place] = my_key[a] if a >= 0 else their_key[b]
    for row in range(rows):
        for place in range(kept):
            a, b = from_mine[place], from_theirs[place]
            value = my_sum[row * mine + a] if a >= 0 else 0
            if b >= 0:
                value += sign * their_sum[row * theirs + b]
            total[row * kept + place] = value
    for row in range(marks):
        for place in range(kept):
            a, b = from_mine[place], from_theirs[place]
            label[row * kept + place] = (
                my_label[row * mine + a] if a >= 0 else their_label[row * theirs + b]
            )
    return keys, sums, labels


def count_columns(columns):
    """Return in how many columns each key occurs: the keys in ascending order, and their counts; (1, n_keys)."""
    cdef Py_ssize_t total = sum(map(len, columns)), count, at, kept, end = 0
    cdef uint64_t *own
    together = np.empty(total, np.uint64)
    cdef uint64_t *key = <uint64_t *>items(together, 8, True)
    for column in columns:
        count, kept = len(column), 0
        ordered = column.copy()
        ordered.sort()
        own = <uint64_t *>items(ordered, 8, True)
        for at in range(count):
            if at == 0 or own[at] != own[at - 1]:
                key[end + kept] = own[at]
                kept += 1
        end += kept
    together[:end].sort()
    kept = 0
    for at in range(end):
        kept += at == 0 or key[at] != key[at - 1]
    keys, counts = np.empty(kept, np.uint64), np.zeros((1, kept), np.int64)
    cdef uint64_t *found = <uint64_t *>items(keys, 8, True)
    cdef int64_t *occurs = <int64_t *>items(counts, 8, True)
    kept = -1
    for at in range(end):
        if at == 0 or key[at] != found[kept]:
            kept += 1
            found[kept] = key[at]
        occurs[kept] += 1
    return keys, counts


def clustered(columns, double likeness_min, Py_ssize_t clusters_max):
    """Return clusters of columns as their indexes, and how like the last column is to the nearest cluster before it.

    A column joins the cluster whose latest column is most like it, or starts a new one. Likeness is the share of the keys of
    the shorter column that both have, 0 to 1, and 1 where it has none; of the first column it is 1.

    Args:
        columns: Distinct keys in ascending order.
        likeness_min: Likeness that a column needs to join a cluster.
        clusters_max: Clusters that a column is compared with: those that columns have joined last.
    """
    cdef Py_ssize_t fewest
    cdef double likeness, fit = 1.0
    clusters, latest = [], []
    for index, column in enumerate(columns):
        nearest, fit = None, 0.0 if latest else 1.0
        for cluster in latest:
            other = columns[cluster[len(cluster) - 1]]           # negative indexes are switched off
            fewest = min(<Py_ssize_t>len(column), <Py_ssize_t>len(other))
            likeness = common_keys(column, other) / <double>fewest if fewest else 1.0
            if nearest is None or likeness > fit:
                nearest, fit = cluster, likeness
        if nearest is None or fit < likeness_min:
            nearest = []
            clusters.append(nearest)
        else:
            latest.remove(nearest)
        nearest.append(index)
        latest.append(nearest)
        if len(latest) > clusters_max:
            del latest[0]
    return clusters, fit


cpdef Py_ssize_t common_keys(one, other) except -1:
    """Return how many keys two columns of distinct keys in ascending order have in common."""
    cdef Py_ssize_t mine = len(one), theirs = len(other), a = 0, b = 0, common = 0
    cdef const uint64_t *my_key = <const uint64_t *>items(one, 8)
    cdef const uint64_t *their_key = <const uint64_t *>items(other, 8)
    while a < mine and b < theirs:
        if my_key[a] == their_key[b]:
            common += 1
            a += 1
            b += 1
        elif my_key[a] < their_key[b]:
            a += 1
        else:
            b += 1
    return common
