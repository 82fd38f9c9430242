# Columns of `templ_core.site_level.places._element_types`; Python reads the names from this list too.

cpdef enum:
    TAG
    STEM
    IS_BLOCK
    CELL
    HEADING
    COLUMNS     # how many columns there are

cpdef enum:
    CELLS = 16  # a bound on the numbers in column CELL
