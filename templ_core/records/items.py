"""The items of a listing: parts of a page of one shape that lead to pages of their own.

Links of one shape are looked for. The largest element around each that has no other of them in it is its item. Of
several links of an item the one that stands in a heading, or else that with the longest texts, is its name.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from templ_core.array_types import Int64s
from templ_core.dom.addresses import Addresses, address
from templ_core.dom.tags import HEADING_LEVELS, IMAGES
from templ_core.metadata._page_parts import PageParts
from templ_core.metadata.dates import day_in_text
from templ_core.metadata.prices import price_in
from templ_core.patterns import pattern
from templ_core.records.days import Day, days_of_parts
from templ_core.records.records import RECORDS_MAX, Item
from templ_core.records.siblings import ShapedPage, Stretch

_ITEMS_MIN = 2
_NO_ITEM = pattern(
    r"add[-_]to|[-_/]cart\b|wishlist|compare|log-?in|replytocom|#respond", re.IGNORECASE
)
"""Addresses that do something with an item."""
_CART = pattern(r"(?:^|[-_\s]|mini)(?:cart|basket|recently)", re.IGNORECASE)
"""Names of lists of what a reader has bought, or has looked at."""
_LEVELS = 4
"""Elements between a link and the heading that it stands in, or that stands in it."""
_STRUCK = frozenset(("del", "s", "strike"))
_NAME_CHARS_MAX = 300
_PRICE_CHARS_MAX = 80
_GROUPS_MAX = 50
"""Shapes of links that are looked at, those of most links first."""


class _Link(NamedTuple):
    """A link to another page that has a text."""

    node: int
    name: str
    url: str
    is_line: bool
    """Whether it begins its line, or is most of it."""


class _List(NamedTuple):
    """Links of one shape, and the parts of the page that they name."""

    links: list[_Link]
    roots: Int64s


def find_items(
    page: ShapedPage,
    url: str,
    times: Sequence[tuple[dict[str, str], str]],
    language: str,
    *,
    is_listing: bool,
) -> list[Item]:
    """Return the first items of a listing in the order of the page, one more than are given; none where most of what it keeps stands in no items.

    Args:
        page: The page, which is no thread.
        url: Its address.
        times: Attributes and text of each `time` element in its markup, in order.
        language: Language tag of the page; empty = not known.
        is_listing: Whether the page is said to be a listing.
    """
    links = _listed(page, _links(page, page.document.base or url), is_listing=is_listing)
    if links is None:
        return []
    parts = page.parts(links.roots)
    days = days_of_parts(page, parts, times, language)
    places = np.array([link.node for link in links.links], np.int64)
    shared = _shared_texts(page, parts)
    names = {link.name for link in links.links if day_in_text(link.name, language) is None}
    are_names = 2 * len(names) > len(links.links)
    items: list[Item] = []
    for part, day in zip(parts, days, strict=True):
        if len(items) > RECORDS_MAX:
            break
        at = int(places.searchsorted(part.begin))
        if at == len(places) or places[at] >= part.end:
            continue
        link = links.links[at]
        if not are_names:
            link = link._replace(name=_heading(page, part, shared) or link.name)
        items.append(_item(page, part, link, day, shared, page.document.base or url))
    return items


def _links(page: ShapedPage, base: str) -> list[_Link]:
    addresses = Addresses(base)
    links = []
    for node, mark in page.marks.items():
        if page.tags[node] != "a" or not mark.target or mark.target.startswith("#"):
            continue
        target = addresses.absolute(mark.target.replace("\\", "/"))
        name = _name(page, node, mark.text)
        if (
            name
            and target
            and not _NO_ITEM.search(target)
            and target.partition("#")[0] != addresses.page
        ):
            line = page.texts[mark.segment] if mark.segment < len(page.texts) else ""
            is_line = mark.is_first or 2 * len(mark.text) >= len(line)
            links.append(_Link(node, name, target, is_line))
    return sorted(links)


def _name(page: ShapedPage, node: int, text: str) -> str:
    """Return the text of a link, or of the heading in it."""
    for inner in range(node + 1, int(page.nodes.end[node])):
        if page.tags[inner] in HEADING_LEVELS and (within := page.segments_within(inner)):
            return page.texts[within[0]]
    return (
        " ".join(text.split())
        if len(text) <= _NAME_CHARS_MAX and any(map(str.isalnum, text))
        else ""
    )


def _listed(page: ShapedPage, links: Sequence[_Link], *, is_listing: bool) -> _List | None:
    """Return the links of one shape that name as many parts as possible, which hold most of what is kept.

    The page model is made for prose, so of a page that is said to be a listing the parts may hold something else: at
    least half of what the largest such parts outside of menus hold.
    """
    lists = list(_lists(page, links))
    kept = [float(page.kept_chars(one.roots, page.nodes.end[one.roots]).sum()) for one in lists]
    large = [one for one, chars in zip(lists, kept, strict=True) if 2 * chars > page.all_kept_chars]
    if not large and is_listing:
        around = PageParts(page.document, None, page.kept)
        lists = [
            one
            for one in lists
            if not around.is_node_elsewhere(int(one.roots[0])) and not _is_of_cart(page, one)
        ]
        sizes = [float(page.chars(one.roots, page.nodes.end[one.roots]).sum()) for one in lists]
        large = [one for one, chars in zip(lists, sizes, strict=True) if 2 * chars >= max(sizes)]
    return max(large, key=lambda one: _rank(page, one), default=None)


def _lists(page: ShapedPage, links: Sequence[_Link]) -> Iterator[_List]:
    """Yield the links of each shape that lead to different pages, with the parts of one shape that they stand in.

    Links in sentences name nothing, so most must begin their lines.
    """
    by_shape: dict[int, list[_Link]] = defaultdict(list)
    for link in links:
        by_shape[int(page.shape[link.node])].append(link)
    for group in sorted(by_shape.values(), key=len, reverse=True)[:_GROUPS_MAX]:
        # A picture and a title may lead to one page by links of one shape.
        firsts = [
            one
            for one, before in zip(group, [None, *group], strict=False)
            if before is None or before.url != one.url
        ]
        roots = page.roots(np.array([link.node for link in firsts], np.int64))
        if len(roots):
            shape, _ = Counter(page.shape[roots].tolist()).most_common(1)[0]
            roots = roots[page.shape[roots] == shape]
        count = len(firsts)
        are_lines = 2 * sum(link.is_line for link in firsts) > count
        are_different = 2 * len({link.url for link in firsts}) >= count
        if len(roots) >= _ITEMS_MIN and are_lines and are_different:
            yield _List(firsts, roots)


def _rank(page: ShapedPage, items: _List) -> tuple[bool, int, bool, int]:
    """Return a key that is larger the more surely links name the items of a listing."""
    names = {link.name for link in items.links}
    return (
        2 * len(names) > len(items.links),
        len(items.roots),
        _is_heading(page, items.links[0].node),
        sum(map(len, names)),
    )


def _is_of_cart(page: ShapedPage, items: _List) -> bool:
    """Return whether a list is what the reader has bought, or has looked at."""
    attributes = page.nodes.attributes
    return any(
        _CART.search(attributes[node]) for node in page.around(int(items.roots[0]))[:_LEVELS]
    )


def _is_heading(page: ShapedPage, node: int) -> bool:
    """Return whether a link stands in a heading, or has one in it."""
    around = page.around(node)[:_LEVELS]
    within = range(node, min(int(page.nodes.end[node]), node + _LEVELS))
    return any(page.tags[one] in HEADING_LEVELS for one in [*around, *within])


def _shared_texts(page: ShapedPage, parts: Sequence[Stretch]) -> set[str]:
    """Return the texts that most parts have."""
    counts = Counter(
        text
        for part in parts
        for text in {page.texts[one] for one in page.segments_in(part.begin, part.end)}
    )
    return {text for text, count in counts.items() if 2 * count > len(parts)}


def _heading(page: ShapedPage, part: Stretch, shared: set[str]) -> str | None:
    """Return the text of the first heading in a part, or else the first that few parts have."""
    within = page.segments_in(part.begin, part.end)
    own = [one for one in within if page.texts[one] not in shared]
    headings = (one for one in own if page.tags[int(page.segments.owner[one])] in HEADING_LEVELS)
    return next((page.texts[one] for one in [*headings, *own]), None)


def _item(
    page: ShapedPage, part: Stretch, link: _Link, day: Day | None, shared: set[str], base: str
) -> Item:
    within = page.segments_in(part.begin, part.end)
    used = {page.segment_of(link.node), *([day.segment] if day else [])}
    price = None
    for segment in within:
        shown = _without_struck(page, segment)
        shown_price = price_in(shown) if len(shown) <= _PRICE_CHARS_MAX else None
        if shown_price is not None and shown_price.is_beside_currency:
            used.add(segment)
            price = price or shown_price
    texts = [
        page.texts[one]
        for one in within
        if one not in used
        and page.texts[one] != link.name
        and page.texts[one] not in shared
        and 2 * page.segments.link_chars[one] <= len(page.texts[one])
    ]
    return Item(
        name=link.name,
        url=link.url,
        date_published=day.date if day else None,
        price=price.number if price else None,
        price_currency=price.currency if price else None,
        image=_image(page, part, base),
        text="\n".join(texts) or None,
    )


def _without_struck(page: ShapedPage, segment: int) -> str:
    """Return the text of a segment without what is struck out in it."""
    text = page.texts[segment]
    for node in range(
        int(page.segments.inline_from[segment]), int(page.segments.inline_to[segment])
    ):
        mark = page.marks.get(node)
        if mark is not None and page.tags[node] in _STRUCK:
            text = text.replace(mark.text, " ", 1)
    return text


def _image(page: ShapedPage, part: Stretch, base: str) -> str | None:
    for node in range(part.begin, part.end):
        mark = page.marks.get(node)
        if mark is not None and page.tags[node] in IMAGES and (image := address(mark.target, base)):
            return image
    return None
