# What the names of tags and attributes mean to `strip_markup`: hash tables from packed names to traits.

from libc.stdint cimport uint64_t

cdef enum:
    IS_INLINE = 1
    IS_ROOT = 2             # html, head, body
    IS_RAW = 4              # holds text without tags
    IS_EMPTIED = 8          # only its tag is read, neither attributes nor content
    HIDES = 16              # its content is no text of the page
    IS_FOREIGN = 32         # svg and math
    HOLDS_HTML = 64         # HTML inside svg or math
    STARTS_HTML = 128       # its start tag ends svg and math
    ENDS_HTML = 256         # its end tag belongs to an element around svg and math
    IS_LINK = 512
    IS_META = 1024
    IS_FONT = 2048
    IS_PRE = 4096
    CLAIMS = 8192           # says something about the page: meta, time
    SHOWS_CLAIM = 16384     # its text may say it, too
    IS_TARGET = 32768       # leads to another resource: a, img
    RELATES = 65536         # its `rel` may say something about the page: a, link

cdef enum:
    TRAIT_SLOTS = 512       # a power of two


cdef struct TagTraits:
    uint64_t names[TRAIT_SLOTS]     # packed; 0 = free
    int traits[TRAIT_SLOTS]


cdef inline int traits_of(const TagTraits *table, uint64_t name) noexcept:
    """Return the traits of a name, 0 for other names."""
    cdef int slot = _slot_of(name)
    while table.names[slot]:
        if table.names[slot] == name:
            return table.traits[slot]
        slot = (slot + 1) % TRAIT_SLOTS
    return 0


cdef inline void add_traits(TagTraits *table, uint64_t name, int traits) noexcept:
    cdef int slot = _slot_of(name)
    while table.names[slot] and table.names[slot] != name:
        slot = (slot + 1) % TRAIT_SLOTS
    table.names[slot] = name
    table.traits[slot] |= traits


cdef inline int _slot_of(uint64_t name) noexcept:
    return <int>(name * <uint64_t>0x9E3779B97F4A7C15 >> 55)
