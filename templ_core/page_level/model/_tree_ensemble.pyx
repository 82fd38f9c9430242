"""Compiled evaluation of decision trees on many rows at once, without branches."""

from libc.stdint cimport uint32_t

import numpy as np

from templ_core._arrays cimport items

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>
    #define TEMPL_LANES 16

    static inline int templ_lowest(uint32_t bits)
    {
    #ifdef _MSC_VER
        unsigned long place;
        _BitScanForward(&place, bits);
        return (int)place;
    #else
        return __builtin_ctz(bits);
    #endif
    }

    /* Finds for each row the leaves of a tree that its nodes leave possible. */
    #ifdef __GNUC__
    typedef float templ_floats __attribute__((vector_size(32)));
    typedef int32_t templ_bits __attribute__((vector_size(32)));

    #define TEMPL_NARROW(NAME, TARGET)                                                             \\
        TARGET static void NAME(const float *values, const int *feature, const float *threshold,   \\
                                const uint32_t *right, int node, int end, uint32_t *leaves)        \\
        {                                                                                          \\
            templ_bits low = {-1, -1, -1, -1, -1, -1, -1, -1}, high = low;                         \\
            for (; node < end; node++) {                                                           \\
                templ_floats some, others;                                                         \\
                const float *value = values + (long)feature[node] * TEMPL_LANES;                   \\
                memcpy(&some, value, sizeof some);                                                 \\
                memcpy(&others, value + 8, sizeof others);                                         \\
                low &= (some <= threshold[node]) | (int32_t)right[node];                           \\
                high &= (others <= threshold[node]) | (int32_t)right[node];                        \\
            }                                                                                      \\
            memcpy(leaves, &low, sizeof low);                                                      \\
            memcpy(leaves + 8, &high, sizeof high);                                                \\
        }
    #else
    #define TEMPL_NARROW(NAME, TARGET)                                                             \\
        static void NAME(const float *values, const int *feature, const float *threshold,          \\
                         const uint32_t *right, int node, int end, uint32_t *leaves)               \\
        {                                                                                          \\
            for (int lane = 0; lane < TEMPL_LANES; lane++) {                                       \\
                leaves[lane] = 0xFFFFFFFF;                                                         \\
                for (int at = node; at < end; at++)                                                \\
                    leaves[lane] &= right[at] | (uint32_t)-(int32_t)(                              \\
                        values[(long)feature[at] * TEMPL_LANES + lane] <= threshold[at]);          \\
            }                                                                                      \\
        }
    #endif

    TEMPL_NARROW(templ_narrow_any, )
    #if defined(__GNUC__) && defined(__x86_64__)
    TEMPL_NARROW(templ_narrow_by_8, __attribute__((target("avx2"))))
    #endif

    static void templ_narrow(const float *values, const int *feature, const float *threshold,
                             const uint32_t *right, int node, int end, uint32_t *leaves)
    {
    #if defined(__GNUC__) && defined(__x86_64__)
        if (__builtin_cpu_supports("avx2")) {
            templ_narrow_by_8(values, feature, threshold, right, node, end, leaves);
            return;
        }
    #endif
        templ_narrow_any(values, feature, threshold, right, node, end, leaves);
    }
    """
    enum: TEMPL_LANES
    int templ_lowest(uint32_t bits) noexcept nogil
    void templ_narrow(
        const float *values, const int *feature, const float *threshold, const uint32_t *right_leaves,
        int node, int end, uint32_t *leaves,
    ) noexcept


def leaf_sums(rows, masks, double base):
    """Return `base` and the sum of the leaves that each row reaches, for trees of at most 32 leaves."""
    cdef Py_ssize_t count = len(rows), columns = rows.shape[1], row, tree, column
    cdef Py_ssize_t trees = len(masks.ends), leaves_max = masks.leaf_values.shape[1]
    cdef const float *first = <const float *>items(rows, 4)
    cdef const int *feature = <const int *>items(masks.feature, 4)
    cdef const float *threshold = <const float *>items(masks.threshold, 4)
    cdef const uint32_t *right_leaves = <const uint32_t *>items(masks.right_leaves, 4)
    cdef const int *ends = <const int *>items(masks.ends, 4)
    cdef const float *leaf_values = <const float *>items(masks.leaf_values, 4)
    cdef int lane, node
    cdef uint32_t[TEMPL_LANES] leaves
    cdef double[TEMPL_LANES] total
    cdef const float *features
    values_column, result = np.empty(columns * TEMPL_LANES, np.float32), np.empty(count)
    cdef float *values = <float *>items(values_column, 4, True)
    cdef double *sums = <double *>items(result, 8, True)
    for row in range(0, count, TEMPL_LANES):
        for lane in range(TEMPL_LANES):
            features = first + min(row + lane, count - 1) * columns
            total[lane] = 0
            for column in range(columns):
                values[column * TEMPL_LANES + lane] = features[column]
        node = 0
        for tree in range(trees):
            templ_narrow(values, feature, threshold, right_leaves, node, ends[tree], leaves)
            node = ends[tree]
            for lane in range(TEMPL_LANES):
                total[lane] += leaf_values[tree * leaves_max + templ_lowest(leaves[lane])]
        for lane in range(<int>min(TEMPL_LANES, count - row)):
            sums[row + lane] = base + total[lane]
    return result
