# Numbers of the tags of a page's kinds of elements.


cdef inline int number_tags(list kinds, dict numbers, int *result) except -1:
    """Of each kind the number of its tag, -1 for tags without one."""
    cdef Py_ssize_t kind
    cdef object number
    for kind in range(len(kinds)):
        number = numbers.get((<tuple>kinds[kind])[0])
        result[kind] = -1 if number is None else <int>number
    return 0
