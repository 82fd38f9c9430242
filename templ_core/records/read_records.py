"""Reads the records of a page that was cleaned."""

from collections.abc import Sequence
from typing import NamedTuple

from templ_core.array_types import Bools
from templ_core.dom.document import Document
from templ_core.records.fields import find_fields
from templ_core.records.items import find_items
from templ_core.records.posts import find_posts
from templ_core.records.records import FIELDS_MAX, RECORDS_MAX, Item, PageRecords
from templ_core.records.siblings import ShapedPage

_NO_LISTINGS = ("documentation", "forum")


class FoundRecords(NamedTuple):
    """The records of a page."""

    records: PageRecords
    is_cut: bool
    """Whether the page has more than are given."""


def read_records(
    document: Document,
    kept: Bools,
    url: str,
    *,
    times: Sequence[tuple[dict[str, str], str]],
    language: str,
    kind: str,
    is_of_one: bool = False,
) -> FoundRecords:
    """Return the records of a page.

    Args:
        document: The page, with its marks.
        kept: Whether each segment is content by the decision of the page; length n_segments.
        url: Address of the page.
        times: Attributes and text of each `time` element in its markup, in order.
        language: Language tag of the page; empty = not known.
        kind: What the page is, see `templ_core.clean_document.page_kind`.
        is_of_one: Whether its markup says that it is an article, or names its product, whatever list it has.

    >>> import numpy as np
    >>> from templ_core.dom.document import parse_document
    >>> post = "<div class=post><b class=author>{}</b><p>{}</p></div>"
    >>> page = parse_document(
    ...     post.format("Ann", "Where is the bridge?") + post.format("Bob", "In the harbour."),
    ...     "",
    ...     with_marks=True,
    ... )
    >>> found = read_records(
    ...     page, np.ones(4, bool), "", times=(), language="", kind="forum"
    ... ).records
    >>> [(post.author, post.text) for post in found.posts]
    [('Ann', 'Where is the bridge?'), ('Bob', 'In the harbour.')]
    """
    page = ShapedPage(document, kept)
    posts = find_posts(page, times, language) if kind == "forum" else []
    items: list[Item] = []
    if not is_of_one and kind not in _NO_LISTINGS:
        items = find_items(page, url, times, language, is_listing=kind == "listing")
    fields = [] if posts or items else find_fields(page, is_product=kind == "product")
    is_cut = len(posts) > RECORDS_MAX or len(items) > RECORDS_MAX or len(fields) > FIELDS_MAX
    records = PageRecords(
        posts=posts[:RECORDS_MAX], items=items[:RECORDS_MAX], fields=fields[:FIELDS_MAX]
    )
    return FoundRecords(records, is_cut)
