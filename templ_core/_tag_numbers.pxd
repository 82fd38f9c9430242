# Numbers of the tags of a page's element types.


cdef inline int number_tags(list element_types, dict numbers, int *result) except -1:
    """Write the number of each element type's tag to `result`; -1 for tags without a number."""
    cdef Py_ssize_t element_type
    cdef object number
    for element_type in range(len(element_types)):
        number = numbers.get((<tuple>element_types[element_type])[0])
        result[element_type] = -1 if number is None else <int>number
    return 0
