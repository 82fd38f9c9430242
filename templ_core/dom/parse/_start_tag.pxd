# A start tag and those of its attributes that matter, and what the names of tags and attributes mean to
# `strip_markup`: hash tables from packed names to traits.

from libc.stdint cimport uint64_t
from libc.string cimport memchr, memcmp, strlen

from templ_core.dom.parse._attribute_table cimport ATTRIBUTE_COUNT, HREF, ITEMPROP, OTHER
from templ_core.dom.parse._markup cimport Attribute, is_blank, is_name, packed, read_attribute, skip_blanks

cdef enum:
    IS_BLOCK = 1
    IS_ROOT = 2             # html, head, body, frameset
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
    CLAIMS = 8192           # says something about the page: base, meta, time
    SHOWS_CLAIM = 16384     # its text may say it, too
    IS_TARGET = 32768       # shows more than its text: links, images, lists, cells
    RELATES = 65536         # its `rel` may say something about the page: a, link
    IS_TABLE = 131072
    IS_TABLE_PART = 262144  # means nothing outside a table
    EMBEDS = 524288         # stands for a text of its own: math
    IS_DIALOG = 1 << 25     # shows its text where it has `open`, which no table carries

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


cdef enum:
    PROPERTY = 64           # stand for attributes that no table carries
    FONT_STYLE = 65
    REL = 66
    TYPE = 67
    ITEMTYPE = 68           # `itemtype` of microdata, `typeof` of RDFa
    EMBEDDING = 69          # `srcdoc` of frames, `shadowrootmode` of templates

cdef enum:
    JSON_LD_BYTES = 19      # of "application/ld+json"


cdef struct StartTag:
    uint64_t name           # packed
    int traits
    Attribute attributes[ATTRIBUTE_COUNT]   # by number; of several with one name, the first
    int seen                # a bit for each number: whether the tag has that attribute
    bint keeps_attributes   # whether the parser has to read them
    bint styles_font        # whether it is HTML's `font`, not that of svg
    bint keeps_target       # whether the address that it names goes to the table
    bint claims             # whether it may say something about the page
    bint embeds             # whether a browser shows a text of its own in its place


cdef inline const unsigned char *read_attributes(
    StartTag *tag, const TagTraits *numbers, const unsigned char *at, const unsigned char *end
) noexcept:
    """Read a tag's attributes; return where its `>` or `/>` stands, NULL if it never ends.

    Args:
        tag: The tag, whose name and traits are known.
        numbers: Numbers of the attributes that matter.
        at: Where the tag's name is over.
        end: Where the markup is over.
    """
    cdef Attribute attribute
    cdef int number
    tag.seen = 0
    tag.styles_font = False
    tag.claims = tag.traits & CLAIMS != 0
    tag.embeds = tag.traits & EMBEDS != 0
    tag.keeps_attributes = tag.traits & (IS_ROOT | IS_DIALOG) != 0
    while True:
        at = skip_blanks(at, end)
        if end - at < 2:
            return NULL if at == end or at[0] != c">" else at
        if at[0] == c">" or (at[0] == c"/" and at[1] == c">"):
            return at
        if at[0] == c"/":
            at += 1
            continue
        read_attribute(&attribute, at, end)
        at = attribute.end
        number = traits_of(numbers, packed(attribute.name, attribute.name_end - attribute.name))
        if number == OTHER or (number == HREF and not tag.traits & IS_LINK):
            continue
        if number == PROPERTY:
            tag.keeps_attributes |= tag.traits & IS_META and _may_be_title(&attribute)
            tag.claims = True
        elif number == ITEMTYPE:
            tag.claims = True
        elif number == FONT_STYLE:
            tag.styles_font |= tag.traits & IS_FONT != 0
        elif number == REL:
            tag.claims |= tag.traits & RELATES and _may_tell(&attribute)
        elif number == TYPE:
            tag.claims |= tag.traits & IS_RAW and _is_json_ld(&attribute)
            tag.embeds |= tag.traits & IS_RAW and _is_formula(&attribute)
        elif number == EMBEDDING:
            tag.embeds = True
        elif not tag.seen >> number & 1:
            tag.seen |= 1 << number
            tag.attributes[number] = attribute
            tag.claims |= number == ITEMPROP


cdef inline bint is_value(const Attribute *one, const char *value) noexcept:
    """Return whether an attribute has exactly this value."""
    cdef Py_ssize_t size = one.value_end - one.value
    return one.value != NULL and size == <Py_ssize_t>strlen(value) and not memcmp(one.value, value, size)


cdef inline bint _may_be_title(const Attribute *property) noexcept:
    """Return whether the property of a `meta` may be that of the page's headline."""
    cdef Py_ssize_t size = property.value_end - property.value
    return property.value != NULL and (
        memchr(property.value, c"&", size) != NULL
        or (size == 8 and not memcmp(property.value, b"og:title", 8))
    )


cdef inline bint _may_tell(const Attribute *rel) noexcept:
    """Return whether a relation may be `author`, `tag`, `category tag` or `canonical`."""
    return rel.value != rel.value_end and rel.value[0] in b"atcATC"


cdef inline bint _is_formula(const Attribute *type) noexcept:
    return type.value_end - type.value >= 8 and not memcmp(type.value, b"math/", 5)


cdef inline bint shows_formula(const Attribute *names) noexcept:
    """Return whether a class of an image says that it shows a formula."""
    cdef const unsigned char *at = names.value
    cdef const unsigned char *start
    while at != NULL and at < names.value_end:
        at = skip_blanks(at, names.value_end)
        start = at
        while at < names.value_end and not is_blank(at[0]):
            at += 1
        if (at - start == 3 and not memcmp(start, b"tex", 3)) or (
            at - start == 5 and not memcmp(start, b"latex", 5)
        ) or (at - start >= 8 and not memcmp(start, b"mwe-math", 8)):
            return True
    return False


cdef inline bint _is_json_ld(const Attribute *type) noexcept:
    return type.value_end - type.value >= JSON_LD_BYTES and is_name(
        type.value + JSON_LD_BYTES - 7, 7, b"ld+json"
    )
