"""Log-odds of rows of features by small decision trees and by small networks, many rows at once.

The trees are read without branches. A network has one order of operations on every machine: products are
added by fused multiply-add, which rounds once, so the result is the same with vectors of any width and
without them. Several rows are computed at a time, so that each weight is loaded once.
"""

from libc.math cimport rint
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


cdef extern from *:
    """
    #include <math.h>
    #define TEMPL_ROWS 6

    static void templ_rectify(float *values, long count)
    {
        for (long place = 0; place < count; place++)
            values[place] = values[place] > 0 ? values[place] : 0;
    }

    /* The following is built for several processor families, with the same operations. */
    #define TEMPL_LOOPS(NAME, TARGET)                                                              \\
        /* Features in standard deviations from the mean, cut off. */                              \\
        TARGET static void NAME##_standardise(                                                     \\
            const float *CYTHON_RESTRICT in, const float *CYTHON_RESTRICT mean,                    \\
            const float *CYTHON_RESTRICT scale, float most, long inputs,                           \\
            float *CYTHON_RESTRICT out)                                                            \\
        {                                                                                          \\
            for (long input = 0; input < inputs; input++) {                                        \\
                float value = (in[input] - mean[input]) * scale[input];                            \\
                value = value > most ? most : value;                                               \\
                out[input] = value < -most ? -most : value;                                        \\
            }                                                                                      \\
        }                                                                                          \\
        /* The units from `unit` on for TEMPL_ROWS rows. */                                        \\
        TARGET static void NAME##_units(const float *in, long inputs, const float *weights,        \\
                                        const float *biases, long outputs, float *out, long unit)  \\
        {                                                                                          \\
            for (; unit < outputs; unit++) {                                                       \\
                float sums[TEMPL_ROWS];                                                            \\
                for (int row = 0; row < TEMPL_ROWS; row++)                                         \\
                    sums[row] = biases[unit];                                                      \\
                for (long input = 0; input < inputs; input++)                                      \\
                    for (int row = 0; row < TEMPL_ROWS; row++)                                     \\
                        sums[row] = fmaf(in[row * inputs + input],                                 \\
                                         weights[input * outputs + unit], sums[row]);              \\
                for (int row = 0; row < TEMPL_ROWS; row++)                                         \\
                    out[row * outputs + unit] = sums[row];                                         \\
            }                                                                                      \\
        }

    TEMPL_LOOPS(templ_any, )

    #if defined(__GNUC__) && defined(__x86_64__)
    #include <immintrin.h>

    /* Two vectors of units beside each other for all rows; returns the units done. */
    #define TEMPL_VECTORS(NAME, TARGET, VECTOR, LANES, LOAD, STORE, SPREAD, ADD_PRODUCT)           \\
        __attribute__((target(TARGET)))                                                            \\
        static long NAME(const float *in, long inputs, const float *weights, const float *biases,  \\
                         long outputs, float *out)                                                 \\
        {                                                                                          \\
            long unit = 0;                                                                         \\
            for (; unit + 2 * LANES <= outputs; unit += 2 * LANES) {                               \\
                VECTOR low[TEMPL_ROWS], high[TEMPL_ROWS];                                          \\
                for (int row = 0; row < TEMPL_ROWS; row++) {                                       \\
                    low[row] = LOAD(biases + unit);                                                \\
                    high[row] = LOAD(biases + unit + LANES);                                       \\
                }                                                                                  \\
                for (long input = 0; input < inputs; input++) {                                    \\
                    VECTOR first = LOAD(weights + input * outputs + unit);                         \\
                    VECTOR second = LOAD(weights + input * outputs + unit + LANES);                \\
                    _Pragma("GCC unroll 6")                                                        \\
                    for (int row = 0; row < TEMPL_ROWS; row++) {                                   \\
                        VECTOR value = SPREAD(in[row * inputs + input]);                           \\
                        low[row] = ADD_PRODUCT(value, first, low[row]);                            \\
                        high[row] = ADD_PRODUCT(value, second, high[row]);                         \\
                    }                                                                              \\
                }                                                                                  \\
                for (int row = 0; row < TEMPL_ROWS; row++) {                                       \\
                    STORE(out + row * outputs + unit, low[row]);                                   \\
                    STORE(out + row * outputs + unit + LANES, high[row]);                          \\
                }                                                                                  \\
            }                                                                                      \\
            return unit;                                                                           \\
        }

    TEMPL_LOOPS(templ_fused, __attribute__((target("avx2,fma"))))
    TEMPL_VECTORS(templ_by_8, "avx2,fma", __m256, 8, _mm256_loadu_ps, _mm256_storeu_ps,
                  _mm256_set1_ps, _mm256_fmadd_ps)
    TEMPL_VECTORS(templ_by_16, "avx512f", __m512, 16, _mm512_loadu_ps, _mm512_storeu_ps,
                  _mm512_set1_ps, _mm512_fmadd_ps)
    #endif

    static void templ_layer(const float *in, long inputs, const float *weights,
                            const float *biases, long outputs, float *out)
    {
    #if defined(__GNUC__) && defined(__x86_64__)
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
            long unit = __builtin_cpu_supports("avx512f")
                ? templ_by_16(in, inputs, weights, biases, outputs, out)
                : templ_by_8(in, inputs, weights, biases, outputs, out);
            templ_fused_units(in, inputs, weights, biases, outputs, out, unit);
            return;
        }
    #endif
        templ_any_units(in, inputs, weights, biases, outputs, out, 0);
    }

    static void templ_standardise(const float *in, const float *mean, const float *scale,
                                  float most, long inputs, float *out)
    {
    #if defined(__GNUC__) && defined(__x86_64__)
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
            templ_fused_standardise(in, mean, scale, most, inputs, out);
            return;
        }
    #endif
        templ_any_standardise(in, mean, scale, most, inputs, out);
    }
    """
    enum: TEMPL_ROWS
    void templ_standardise(
        const float *values, const float *mean, const float *scale, float most, long inputs, float *out
    ) noexcept
    void templ_rectify(float *values, long count) noexcept
    void templ_layer(
        const float *values, long inputs, const float *weights, const float *biases, long outputs,
        float *out,
    ) noexcept


cdef enum:
    LAYERS_MAX = 8

cdef struct Layer:
    const float *weights
    const float *biases
    long inputs, outputs


def network_log_odds(rows, network, float clip):
    """Return the output of the last layer's only unit for each row of features."""
    means, scales, weights, biases = network.mean, network.scale, network.weights, network.biases
    cdef Py_ssize_t count = len(rows), row
    cdef const float *features = <const float *>items(rows, 4)
    cdef long inputs = len(means), widest = inputs, units
    cdef const float *mean = <const float *>items(means, 4)
    cdef const float *scale = <const float *>items(scales, 4)
    cdef int number, layers = len(weights), lane
    cdef Layer[LAYERS_MAX] layer
    cdef float *values
    cdef float *sums
    if not 0 < layers <= LAYERS_MAX or rows.shape[1] != inputs or len(scales) != inputs:
        raise ValueError("a network for other features")
    for number in range(layers):
        units = layer[number - 1].outputs if number else inputs
        layer[number] = Layer(
            <const float *>items(weights[number], 4), <const float *>items(biases[number], 4),
            units, len(biases[number]),
        )
        if weights[number].shape != (units, layer[number].outputs):
            raise ValueError("layers that do not fit each other")
        widest = max(widest, layer[number].outputs)
    buffers, result = np.empty((2, TEMPL_ROWS * widest), np.float32), np.empty(count)
    cdef float *buffer = <float *>items(buffers, 4, True)
    cdef double *log_odds = <double *>items(result, 8, True)
    for row in range(0, count, TEMPL_ROWS):
        values, sums = buffer, buffer + TEMPL_ROWS * widest
        for lane in range(TEMPL_ROWS):
            templ_standardise(
                features + min(row + lane, count - 1) * inputs, mean, scale, clip, inputs,
                values + lane * inputs,
            )
        for number in range(layers):
            templ_layer(
                values, layer[number].inputs, layer[number].weights, layer[number].biases,
                layer[number].outputs, sums,
            )
            if number < layers - 1:
                templ_rectify(sums, TEMPL_ROWS * layer[number].outputs)
            values, sums = sums, values
        for lane in range(min(TEMPL_ROWS, count - row)):
            log_odds[row + lane] = values[lane]
    return result


def mixed_log_odds(tree_column, list network_columns, double trees_share, double steps):
    """Return the mean of the trees and of the mean of the networks, rounded to multiples of 1 / steps.

    Args:
        tree_column: Log-odds of each row by the trees.
        network_columns: Log-odds of each row by each network; at least one column.
        trees_share: Share of the trees, 0 to 1.
        steps: Numbers from one whole number to the next to which the result is rounded.
    """
    cdef Py_ssize_t row, count = len(tree_column), network, networks = len(network_columns)
    cdef const double *of_trees = <const double *>items(tree_column, 8)
    cdef const double *of_network
    result = np.zeros(count)
    cdef double *log_odds = <double *>items(result, 8, True)
    for network in range(networks):
        of_network = <const double *>items(network_columns[network], 8)
        for row in range(count):
            log_odds[row] += of_network[row]
    for row in range(count):
        log_odds[row] = trees_share * of_trees[row] + (1 - trees_share) * (log_odds[row] / networks)
        log_odds[row] = rint(log_odds[row] * steps) / steps
    return result
