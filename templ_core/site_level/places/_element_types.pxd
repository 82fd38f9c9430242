# Columns of `templ_core.site_level.places.element_types`.

cdef enum:
    TAG = 0
    STEM = 1
    STYLE = 2
    IS_BLOCK = 3
    CELL = 4
    HEADING = 5
    COLUMNS = 6
    CELLS = 16  # numbers of cells are below
