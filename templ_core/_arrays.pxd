# Access to the items of arrays in a fraction of the time of a buffer; a page needs hundreds.

from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer

cdef extern from *:
    """
    #include <numpy/arrayobject.h>

    static PyObject *templ_ndarray = NULL;          /* the type of arrays, once it is known */

    /* Returns the first item of an array as NumPy's headers lay it out; NULL if it is no such array. */
    static void *templ_items(PyObject *object, Py_ssize_t itemsize, int written)
    {
        PyArrayObject *array = (PyArrayObject *)object;
        int needed = NPY_ARRAY_C_CONTIGUOUS | (written ? NPY_ARRAY_WRITEABLE : 0);
        if (templ_ndarray == NULL) {
            PyObject *numpy = PyImport_ImportModule("numpy");
            if (numpy != NULL)
                templ_ndarray = PyObject_GetAttrString(numpy, "ndarray");
            Py_XDECREF(numpy);
            if (templ_ndarray == NULL) {
                PyErr_Clear();
                return NULL;
            }
        }
        if ((PyObject *)Py_TYPE(object) != templ_ndarray
                || (PyArray_FLAGS(array) & needed) != needed
                || PyArray_ITEMSIZE(array) != itemsize)
            return NULL;
        return PyArray_DATA(array);
    }
    """
    void *_items "templ_items"(object array, Py_ssize_t itemsize, bint written)


cdef inline void *items(object array, Py_ssize_t itemsize, bint written=False) except NULL:
    """Return the first item of a contiguous array; the array must live as long as it is used.

    Raises:
        TypeError: The items have another size.
        ValueError: The array is not contiguous, or is read-only and is to be written to.
    """
    cdef void *first = _items(array, itemsize, written)
    if first != NULL:
        return first
    cdef Py_buffer view
    PyObject_GetBuffer(array, &view, PyBUF_WRITABLE if written else PyBUF_SIMPLE)
    cdef bint fits = view.itemsize == itemsize
    first = view.buf
    PyBuffer_Release(&view)
    if not fits:
        raise TypeError(f"an array of items of {itemsize} bytes is needed")
    return first
