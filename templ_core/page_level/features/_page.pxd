# What the features of a page are made of, as pointers, and what is found out about it once.

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from templ_core.page_level._page_tree cimport Tree

cdef enum:
    MAIN_SHARES = 3
    OWNER_TAGS = 15
    SEMANTIC_TAGS = 22


cdef struct Limits:
    # The numbers of `FeatureConfig` that the features of a segment need.
    int64_t sentence_ends_max, commas_max, separators_max, ellipses_max, copies_max
    int64_t headline_words_max
    int links_max, images_max, tag_levels_max, no_such_tag_levels
    double words_per_sentence_end_max
    double good_words_min, good_words_without_end_min, good_link_density_max
    double long_words_min, long_link_density_max
    double headline_title_ratio_min
    double[MAIN_SHARES] main_shares


cdef struct ElementType:
    int tag                     # number of its tag on this page
    int owner                   # number of its tag among `OWNER_TAGS`; -1 = none
    int semantic                # number of its tag among `SEMANTIC_TAGS`; -1 = none


cdef struct Page:
    const Limits *limits
    Tree tree
    # columns of `Document.nodes` and `Document.segments`
    const int *element_type
    const int *parent
    const int *depth
    const int *images
    const uint8_t *hidden
    const int *owner
    const int *links
    const int *external_links
    const int *page_links
    const int *link_chars
    const int *declared
    # columns of `Characters` and `Words`
    const uint16_t *classes
    const uint32_t *lower
    const int64_t *starts
    const int64_t *lengths
    Py_ssize_t all_words
    const int64_t *word_first
    const int64_t *word_length
    const int64_t *word_segment
    const uint64_t *word_hash
    const int64_t *words
    # made on the way, by segment
    const int *surroundings
    const uint64_t *text
    double *density             # of links
    int64_t *sentence_ends
    int64_t *title_words        # words that the title has, too
    # made on the way, by element type and node
    ElementType *types
    uint8_t *covered            # whether the node or one above it is hidden
    unsigned int *inside        # a bit for each semantic tag among the node and those above it
    unsigned int on_page        # the bits of all nodes
