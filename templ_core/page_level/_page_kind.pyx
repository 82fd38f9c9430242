import numpy as np


def weighted_sums(const float[:, ::1] rows, const double[::1] weight):
    """Sum of each column, its rows weighted, row by row."""
    cdef Py_ssize_t row
    result = np.zeros(rows.shape[1])
    cdef double[::1] sums = result
    for row in range(rows.shape[0]):
        _add(&sums[0], &rows[row, 0], weight[row], rows.shape[1])
    return result


cdef extern from *:
    """
    static void templ_add(double *CYTHON_RESTRICT sums, const float *CYTHON_RESTRICT row,
                          double weight, long columns)
    {
        for (long column = 0; column < columns; column++)
            sums[column] += weight * row[column];
    }
    """
    void _add "templ_add"(double *sums, const float *row, double weight, long columns) noexcept
