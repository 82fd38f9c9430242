"""The scans for metadata: what the tags of a page claim, for `markup`, and the texts of some elements, for `shown`.

`templ_core.dom.parse._strip_markup` describes how the tags are written down.
"""

import re

from libc.limits cimport INT_MAX
from libc.stdint cimport int32_t
from libc.stdlib cimport calloc, free
from libc.string cimport memchr, memcmp, memset, strlen

from templ_core._arrays cimport items
from templ_core.dom._references cimport without_references

from templ_core.letters import WITHOUT_UNSEEN


cdef extern from "Python.h":
    str PyUnicode_DecodeUTF8(const char *bytes, Py_ssize_t size, const char *errors)

cdef enum:
    CLAIMS_READ = 4000      # tags of a page that are looked at; more of them do not describe one page
    ATTRIBUTES_READ = 64    # of a tag
    NAME_TAGS = 4           # behind an author without a text in which a name may be stated
    RATIO_CHARS = 1000      # of a text whose words are looked at

cdef struct Span:
    const char *at
    const char *end

cdef struct Tag:
    Span name
    Span names[ATTRIBUTES_READ]
    Span values[ATTRIBUTES_READ]
    int attributes
    Span shown              # what stands behind the tag

cdef frozenset PROPERTIES = frozenset((
    "headline", "author", "datepublished", "datecreated", "datemodified", "articlesection", "image",
))
cdef object MARKUP = re.compile(rb"<[^>]*>?")
cdef object VOCABULARY = re.compile(r"\S*[/:#]")
cdef object PRODUCT = re.compile(r"(?:[/:#]|^)(?:Product|Vehicle|Car$)")


cpdef str plain_text(str text):
    """Return text without character references and marks that nobody sees, and with single blanks."""
    if "&" in text:
        text = without_references(text)
    return " ".join((text if text.isascii() else text.translate(WITHOUT_UNSEEN)).split())


cpdef str letters_of(str text):
    """Return the letters and digits of a text in one case, by which titles, headings and names are compared."""
    return "".join([letter for letter in text if letter.isalnum()]).casefold()


def ratio_of(frozenset known, str text):
    """Return the share of the words at the beginning of a text that are known, 0 to 1."""
    cdef list words = text[:RATIO_CHARS].lower().split()
    cdef Py_ssize_t count = 0
    for word in words:
        count += word in known
    return count / <double>max(len(words), 1)


def is_name_of(str part, list names):
    """Return whether a part of a title is one of some names, given by their letters, or much like one."""
    cdef str letters = letters_of(part), name
    cdef Py_ssize_t size = len(letters)
    for name in names if letters else ():
        if letters == name:
            return True
        if size > 3 and 2 * size >= len(name) and letters in name:
            return True
        if len(name) > 5 and size <= 2 * len(name) and name in letters:
            return True
    return False


cdef class Claims:
    """What the tags of a page say about it, in the order in which they stand.

    Args:
        claims: The tags as `Document.claims` holds them.
        wanted: Field and rank of each name of `meta` elements that is read.
    """

    cdef dict wanted, ranked
    cdef int awaits_name        # tags among which the name of an author may stand that has no text
    cdef readonly dict meta, properties
    cdef readonly list canonical, authors, tags, times, scripts, statements

    def __init__(self, bytes claims, dict wanted):
        cdef const char *at = claims
        cdef const char *end = at + len(claims)
        cdef const char *stop
        cdef int number
        self.wanted, self.ranked, self.properties = wanted, {}, {}
        self.awaits_name = 0
        self.canonical, self.authors, self.tags = [], [], []
        self.times, self.scripts, self.statements = [], [], []
        for number in range(CLAIMS_READ):
            stop = <const char *>memchr(at, 0, end - at)
            if stop == NULL:
                break
            self._put_claim(at, stop)
            at = stop + 1
        self.meta = {
            field: [text for _, _, text in (sorted(found) if len(found) > 1 else found)]
            for field, found in self.ranked.items()
        }

    cdef int _put_claim(self, const char *at, const char *stop) except -1:
        cdef Tag tag
        if not _read_tag(&tag, at, stop):
            return 0
        if tag.name.at == tag.name.end:
            if tag.shown.at < tag.shown.end:
                self.scripts.append(tag.shown.at[: tag.shown.end - tag.shown.at])
            return 0
        self.awaits_name = max(self.awaits_name - 1, 0)
        if _is(tag.name, b"meta"):
            if self.awaits_name and _value(&tag, b"itemprop") == "name":
                name = plain_text(_value(&tag, b"content") or "")
                self.awaits_name = 0
                if name:
                    # Further ones are those of answers and comments.
                    self.properties.setdefault("author", [name])
            if not self._put_meta(&tag):
                self._put_statement(&tag)
            return 0
        self._put_statement(&tag)
        return self._put_element(&tag)

    cdef bint _put_meta(self, const Tag *tag) except -1:
        """Put the content of a `meta` where its names belong; return whether one of them is wanted."""
        cdef bint is_wanted = False
        cdef str name, content = None
        for name in (
            _value(tag, b"property"), _value(tag, b"name"), _value(tag, b"itemprop"),
            _value(tag, b"http-equiv"),
        ):
            known = self.wanted.get(name.strip().lower()) if name is not None else None
            if known is None:
                continue
            is_wanted = True
            if content is None:
                content = plain_text(_value(tag, b"content") or "")
            if content:
                field, rank = known
                found = self.ranked.setdefault(field, [])
                found.append((rank, len(found), content))
        return is_wanted

    cdef int _put_statement(self, const Tag *tag) except -1:
        """Add what an element says about a product, and all that elements say behind the first product."""
        cdef str of_type = _value(tag, b"itemtype") or _value(tag, b"typeof") or ""
        if not self.statements and not (of_type and PRODUCT.search(of_type)):
            return 0
        cdef str names = (_value(tag, b"itemprop") or _value(tag, b"property") or "").lower()
        if of_type or names:
            self.statements.append((
                VOCABULARY.sub("", of_type), VOCABULARY.sub("", names),
                _stated(tag) or _shown_text(tag),
            ))
        return 0

    cdef int _put_element(self, const Tag *tag) except -1:
        cdef str named = _value(tag, b"rel")
        cdef list rel = named.lower().split() if named else []
        if "canonical" in rel and _is(tag.name, b"link"):
            self.canonical.append(without_references(_value(tag, b"href") or "").strip())
            return 0
        if "author" in rel:
            self.authors.append(_shown_text(tag))
        if "tag" in rel:
            self.tags.append(_shown_text(tag))
        if _is(tag.name, b"time"):
            self.times.append((_attributes(tag), _shown_text(tag)))
        named = _value(tag, b"itemprop")
        wanted = PROPERTIES.intersection(named.lower().split()) if named else ()
        value = (_stated(tag) or _shown_text(tag)) if wanted else ""
        if not value and "author" in wanted:
            self.awaits_name = NAME_TAGS
        if value:
            for one in wanted:
                self.properties.setdefault(one, []).append(value)
        return 0


cdef bint _read_tag(Tag *tag, const char *at, const char *stop) noexcept:
    """Read a claim; return whether it has the form of one."""
    cdef const char *shown = <const char *>memchr(at, 1, stop - at)
    cdef const char *tag_end = stop if shown == NULL else shown
    cdef const char *name_end = <const char *>memchr(at, 2, tag_end - at)
    if name_end == NULL:
        return False
    tag.shown.at, tag.shown.end = (stop if shown == NULL else shown + 1), stop
    tag.name.at, tag.name.end = at, name_end
    tag.attributes = 0
    while tag.attributes < ATTRIBUTES_READ:
        at = name_end + 1
        name_end = <const char *>memchr(at, 2, tag_end - at)
        if name_end == NULL:
            break
        tag.names[tag.attributes] = Span(at, name_end)
        at = name_end + 1
        name_end = <const char *>memchr(at, 2, tag_end - at)
        if name_end == NULL:
            break
        tag.values[tag.attributes] = Span(at, name_end)
        tag.attributes += 1
    return True


cdef inline bint _is(Span name, const char *wanted) noexcept:
    cdef size_t size = strlen(wanted)
    return <size_t>(name.end - name.at) == size and not memcmp(name.at, wanted, size)


cdef str _value(const Tag *tag, const char *name):
    """Return the value of an attribute; None if the tag has no such attribute."""
    cdef int number
    for number in range(tag.attributes - 1, -1, -1):
        if _is(tag.names[number], name):
            return _decoded(tag.values[number])
    return None


cdef dict _attributes(const Tag *tag):
    cdef int number
    return {
        _decoded(tag.names[number]): _decoded(tag.values[number])
        for number in range(tag.attributes)
    }


cdef str _decoded(Span text):
    return PyUnicode_DecodeUTF8(text.at, text.end - text.at, b"replace")


cdef str _stated(const Tag *tag):
    """Return the value of an element with `itemprop` that is not its text; empty if it is."""
    cdef str value = (
        _value(tag, b"content") or _value(tag, b"datetime") or _value(tag, b"src") or ""
    )
    if not value and "author" not in (_value(tag, b"itemprop") or "").lower():
        value = _value(tag, b"href") or ""
    return plain_text(value)


cdef str _shown_text(const Tag *tag):
    """Return the text of an element up to its first end tag."""
    cdef bytes shown = tag.shown.at[: tag.shown.end - tag.shown.at]
    cdef bytes name = tag.name.at[: tag.name.end - tag.name.at]
    cdef Py_ssize_t end = shown.lower().find(b"</" + name)
    return plain_text(MARKUP.sub(b" ", shown[:end]).decode("utf-8", "replace")) if end > 0 else ""


def segments_within(document, list types, int elements_max, int texts_max, int times_max=INT_MAX):
    """Return the numbers of the first segments inside the first elements of some types.

    Args:
        document: The page.
        types: Numbers of element types.
        elements_max: Number of elements that are looked at.
        texts_max: Number of segments of an element that are looked at.
        times_max: Types with more elements on the page are left out.

    Returns:
        A list for each element, in order.
    """
    nodes, segments = document.nodes, document.segments
    cdef const int32_t *type_of = <const int32_t *>items(nodes.element_type, 4)
    cdef const int32_t *end_of = <const int32_t *>items(nodes.end, 4)
    cdef const int32_t *owner = <const int32_t *>items(segments.owner, 4)
    cdef const int32_t *inline_from = <const int32_t *>items(segments.inline_from, 4)
    cdef const int32_t *inline_to = <const int32_t *>items(segments.inline_to, 4)
    cdef Py_ssize_t count = len(nodes.element_type), last = len(segments.texts)
    cdef Py_ssize_t node, at, first = 0, number
    cdef list found = [], within
    if not types:
        return found
    cdef int *left = <int *>calloc(len(nodes.element_types) + 1, sizeof(int))
    if left == NULL:
        raise MemoryError
    try:
        memset(left, -1, len(nodes.element_types) * sizeof(int))
        for number in types:
            left[number] = times_max
        if times_max != INT_MAX:
            for node in range(count):
                left[type_of[node]] -= 1
        for node in range(count):
            if left[type_of[node]] < 0:
                continue
            if len(found) == elements_max:
                break
            while first < last and inline_to[first] <= node:
                first += 1
            # A segment belongs to a block inside the element, or holds the element as an inline one.
            within = []
            for at in range(first, last):
                if inline_from[at] > end_of[node] or len(within) == texts_max:
                    break
                if node <= owner[at] < end_of[node] or (owner[at] < node and inline_from[at] <= node):
                    within.append(at)
            found.append(within)
    finally:
        free(left)
    return found


def nodes_with_tags(document, frozenset tags):
    """Return the numbers of the elements with one of some tags, in order."""
    cdef set types = set(types_with_tags(document.nodes.element_types, tags))
    cdef const int32_t *type_of = <const int32_t *>items(document.nodes.element_type, 4)
    cdef Py_ssize_t node
    return [node for node in range(len(document.nodes.element_type)) if type_of[node] in types]


def types_with_tags(list element_types, frozenset tags):
    """Return the numbers of the element types with one of some tags."""
    cdef Py_ssize_t number
    return [number for number in range(len(element_types)) if element_types[number][0] in tags]


def texts_within(document, list types, str between, int elements_max, int texts_max, int times_max):
    """Return the first segment and the text with single blanks of the first elements of some types, as `segments_within`."""
    cdef list texts = document.segments.texts, found = [], within
    for within in segments_within(document, types, elements_max, texts_max, times_max):
        if within:
            text = between.join([" ".join((<str>texts[one]).split()) for one in within if texts[one]])
            found.append((within[0], text))
    return found
