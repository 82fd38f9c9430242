"""The headline of a page, which counts neither way where its gold leaves it out.

Some gold is the body of an article, and some has the headline above it. Readers want the headline, so it is
no mistake to keep it, and none that a cleaner could avoid on pages of both kinds.
"""

import numpy as np

from templ_core.array_types import Bools
from templ_core.dom.addresses import host_and_path
from templ_core.dom.document import Document
from templ_core.metadata._page_parts import top_headings
from templ_core.metadata._scans import letters_of, segments_within, types_with_tags
from templ_core.metadata.headlines import is_headline
from templ_core.metadata.markup import PageMarkup
from templ_core.metadata.page_metadata import read_metadata

_TAGS = frozenset(("h1",))
_TEXTS_MAX = 4


def headline_segments(document: Document, url: str) -> Bools:
    """Return which segments are the headline: the only h1 of a page, which its title has and which names no site.

    Returns:
        An array of length n_segments; no segment is the headline where no h1 or several are.

    >>> from templ_core.dom.document import parse_document
    >>> page = "<title>Tea - Shop</title><h1>Tea of May</h1><p>It is green.<h2>Milk</h2>"
    >>> headline_segments(parse_document(page, "http://a.example/"), "http://a.example/").tolist()
    [True, False, False]
    """
    are_headline = np.zeros(len(document.segments.texts), np.bool_)
    site_name = read_metadata(document, url, PageMarkup(document)).site_name
    host = host_and_path(url)[0].removeprefix("www.")
    names = [host.rpartition(".")[0], host, *([site_name] if site_name else ())]
    letters = [*filter(None, map(letters_of, names))]
    if is_headline(top_headings(document), document.title, letters):
        types = types_with_tags(document.nodes.element_types, _TAGS)
        for segments in segments_within(document, types, _TEXTS_MAX, _TEXTS_MAX):
            are_headline[segments] = True
    return are_headline
