cpdef str plain_text(str text)
cpdef str letters_of(str text)
