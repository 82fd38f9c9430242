"""The inline content of segments as Markdown or HTML: text with links, images and emphasis."""

from cpython.bytes cimport PyBytes_AsString, PyBytes_Size
from cpython.unicode cimport PyUnicode_AsUTF8AndSize, PyUnicode_DecodeUTF8
from libc.stdlib cimport free
from libc.string cimport memchr, memcmp, strlen

from templ_core._arrays cimport items as items_of
from templ_core._byte_string cimport Text, put, reserve, resized

cdef enum:
    LINK = 1
    IMAGE = 2
    STRONG = 3
    EMPHASIS = 4
    CODE = 5

cdef dict _KINDS = {
    "a": LINK, "img": IMAGE, "b": STRONG, "strong": STRONG, "i": EMPHASIS, "em": EMPHASIS,
    "code": CODE, "kbd": CODE, "samp": CODE, "tt": CODE,
}
