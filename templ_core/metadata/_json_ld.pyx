"""The JSON-LD of a page, walked once: its objects, and the texts that those state which describe the page."""

import re

import msgspec

from templ_core.metadata._scans cimport plain_text

cdef enum:
    OBJECTS_MAX = 500       # of a page that are looked at
    DEPTH_MAX = 8           # levels of objects inside one another that are looked at
    ENTRIES_MAX = 50        # of a field that are looked at
    OF_ARTICLE = 0
    OF_PRODUCT = 1
    OF_PAGE = 2
    OF_OTHER = 3
    LONG_TEXT_CHARS_MAX = 2000

cdef tuple WITHIN = ("@graph", "mainEntity", "mainEntityOfPage", "isPartOf", "hasPart")
"""Fields whose objects describe the page, too."""
cdef dict STATED = {
    "publisher": ("name",), "inLanguage": ("alternateName", "name"), "articleSection": (),
    "datePublished": (), "dateCreated": (), "dateModified": (), "uploadDate": (),
    "image": ("url", "contentUrl", "@id"), "thumbnailUrl": (), "description": (),
    "url": (), "mainEntityOfPage": ("@id",), "keywords": ("name",),
}
"""Fields whose texts are kept, and where their values are objects, the fields of those in order of preference."""
cdef frozenset REFERENCE = frozenset(("@id", "@type"))
cdef tuple NAME = ("name",)
cdef tuple NAME_OR_VALUE = ("name", "@value")
cdef object ARTICLE = re.compile(
    r"Article$|Posting$|Report$|Review$|^Recipe$|^HowTo$|^QAPage$|^VideoObject$"
)
cdef object PRODUCT = re.compile(
    r"^Product|^Offer$|^Book$|^Movie$|^Event$|^JobPosting$|^SoftwareApplication$"
)
cdef object ALPHANUMERIC = re.compile(r"[^\W_]")


cdef class JsonLd:
    """The objects with a type in the JSON-LD scripts of a page, those that describe it most surely first.

    A script that is not JSON is left out; common faults are forgiven.

    Args:
        scripts: Contents of the scripts in UTF-8.
    """

    cdef readonly list articles, products, described, headlines, names
    cdef readonly list authors, organisations, creators
    cdef readonly set types
    cdef readonly dict stated
    cdef list items, found
    cdef dict named

    def __init__(self, list scripts):
        cdef list ranked = [[], [], [], []]
        cdef dict item
        cdef list types
        cdef str name
        cdef int rank
        self.found, self.types = [], set()
        for script in scripts:
            for value in _decoded(script):
                self._collect(value, 0)
        for item in self.found[:OBJECTS_MAX]:
            types = types_of(item)
            rank = OF_OTHER
            for name in types:
                rank = min(rank, _rank(name))
            ranked[rank].append(item)
            self.types.update(types)
        self.articles, self.products = ranked[OF_ARTICLE], ranked[OF_PRODUCT]
        self.described = self.articles + self.products + ranked[OF_PAGE]
        self.items = self.described + ranked[OF_OTHER]
        self.headlines, self.names, self.stated = [], [], {}
        self.authors, self.organisations, self.creators = [], [], []
        for item in self.articles:
            self.headlines += texts_of(item.get("headline"))
        for item in self.articles + self.products:
            self.names += texts_of(item.get("name"))
        for item in self.described:
            self._note(item)

    cdef int _collect(self, value, int depth) except -1:
        """Add the objects with a type in a value, each before those within it."""
        if depth > DEPTH_MAX or len(self.found) >= OBJECTS_MAX:
            return 0
        if isinstance(value, list):
            for one in (<list>value)[:OBJECTS_MAX]:
                self._collect(one, depth + 1)
        elif isinstance(value, dict):
            if "@type" in <dict>value:
                self.found.append(value)
            for name in WITHIN:
                if name in <dict>value:
                    self._collect((<dict>value)[name], depth + 1)
        return 0

    cdef int _note(self, dict item) except -1:
        """Note what an object states that describes the page."""
        cdef list texts
        for field, value in item.items():
            names = STATED.get(field)
            if names is not None:
                # Some pages state times by the seconds since 1970.
                is_time = isinstance(value, int) and field.startswith("date")
                texts = [str(value)] if is_time else self._texts_in(value, names)
                if texts:
                    self.stated.setdefault(field, []).extend(texts)
            elif field == "author":
                people = _people(value)
                self._add(self.authors, people)
                if value and len(people) < (len(<list>value) if isinstance(value, list) else 1):
                    self._add(self.organisations, value)
            elif field == "creator":
                self._add(self.creators, _people(value))
        return 0

    cdef int _add(self, list groups, value) except -1:
        cdef list names = self._texts_in(value, NAME)
        if names:
            groups.append(names)
        return 0

    cdef list _texts_in(self, value, tuple names):
        """Return the texts in a value, references followed."""
        cdef list found
        if isinstance(value, list):
            found = []
            for one in (<list>value)[:ENTRIES_MAX]:
                found += self._texts_in(one, names)
            return found
        found = _texts(value, names)
        if not found and isinstance(value, dict):
            return _texts(self.by_id.get(str((<dict>value).get("@id"))), names)
        return found

    @property
    def by_id(self):
        """The objects that have a name of their own, by it."""
        if self.named is None:
            self.named = {
                str(item["@id"]): item
                for item in reversed(self.items) if isinstance(item.get("@id"), str)
            }
        return self.named

    def objects(self, value):
        """Return the objects in a value, references followed."""
        cdef list found = value if isinstance(value, list) else [value]
        return [
            self.by_id.get(str((<dict>one).get("@id")), one) if (<dict>one).keys() <= REFERENCE else one
            for one in found[:ENTRIES_MAX] if isinstance(one, dict)
        ]

    def site_names(self):
        """Return the names of the sites that the page is said to be a part of."""
        cdef list found = []
        if "WebSite" in self.types:
            for item in self.items:
                if "WebSite" in types_of(item):
                    found += texts_of(item.get("name"))
        return found

    def of_types(self, frozenset names):
        """Return the objects that have one of these types."""
        if names.isdisjoint(self.types):
            return []
        return [item for item in self.items if not names.isdisjoint(types_of(item))]


cpdef list types_of(dict item):
    """Return the names of an object's types without their vocabulary."""
    names = item.get("@type")
    if isinstance(names, str):
        return [(<str>names).rpartition("/")[2]]
    if not isinstance(names, list):
        return []
    return [(<str>name).rpartition("/")[2] for name in <list>names if isinstance(name, str)]


def texts_of(value, *names):
    """Return the texts in a value: itself, its entries, or the first of these fields of its objects."""
    return _texts(value, names)


cpdef str value_text(value):
    """Return the text of a value, which may be a number, an object with a name, or a list of them."""
    if isinstance(value, list):
        return value_text((<list>value)[0]) if value else ""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"{value:.6f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
    cdef list found = _texts(value, NAME_OR_VALUE)
    return found[0] if found else ""


cpdef str short_text(str text, int chars_max=LONG_TEXT_CHARS_MAX):
    """Return a text cut to a bound, or None for one without a letter or digit."""
    if not ALPHANUMERIC.search(text):
        return None
    if len(text) <= chars_max:
        return text
    return text[:chars_max].rpartition(" ")[0] + " …"


cpdef str first_short(tuple sources, int chars_max=LONG_TEXT_CHARS_MAX):
    """Return the first text of some lists that has a letter or digit, cut to a bound; None if none has."""
    for texts in sources:
        for text in texts:
            if (found := short_text(text, chars_max)) is not None:
                return found
    return None


cdef list _texts(value, tuple names):
    cdef list found
    if isinstance(value, str):
        text = plain_text(value)
        return [text] if text else []
    if isinstance(value, list):
        found = []
        for one in (<list>value)[:OBJECTS_MAX]:
            found += _texts(one, names)
        return found
    if isinstance(value, dict):
        for name in names:
            if name in <dict>value:
                within = (<dict>value)[name]
                if isinstance(within, dict):
                    within = (<dict>within).get(name, (<dict>within).get("@value"))
                found = _texts(within, ())
                if found:
                    return found
        if names is NAME and "familyName" in <dict>value:
            # A person whose name is stated in parts.
            found = _texts((<dict>value).get("givenName"), ()) + _texts((<dict>value)["familyName"], ())
            return [" ".join(found)] if len(found) == 2 else []
    return []


cdef list _people(value):
    """Return authors without the organisations among them."""
    cdef list found = value if isinstance(value, list) else [value]
    return [
        one for one in found[:ENTRIES_MAX]
        if not (isinstance(one, dict) and "".join(types_of(one)).endswith("Organization"))
    ]


cdef int _rank(str name) except -1:
    if ARTICLE.search(name):
        return OF_ARTICLE
    if PRODUCT.search(name):
        return OF_PRODUCT
    return OF_PAGE if name.endswith("Page") else OF_OTHER


cdef list _decoded(bytes script):
    try:
        return [msgspec.json.decode(script)]
    except (msgspec.DecodeError, RecursionError):
        # Few pages need it.
        from templ_core.metadata.loose_json import read_json

        return read_json(script)
