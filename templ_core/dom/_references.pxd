cpdef str without_references(str text)
