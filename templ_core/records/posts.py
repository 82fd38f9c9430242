"""The posts of a thread: parts of a page that each name an author, and have a text of their own.

Elements that name an author are looked for, those of one shape together. The largest element around each that has no
other of them in it is its post. The text of a post is that of the elements of one shape that have most words in all
posts and hold neither author nor day.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from templ_core.array_types import Int64s
from templ_core.metadata.dates import MAY_BE_YEAR, without_days
from templ_core.patterns import pattern
from templ_core.records.days import Day, days_of_parts
from templ_core.records.records import RECORDS_MAX, Post
from templ_core.records.siblings import ShapedPage, Stretch

_NAMED = pattern(
    r"(?:.*[-_])?(?:authors?|autor|auteur|users?|poster|nick|member|creator|name|byline|pseudo|benutzer|verfasser)"
    r"(?:[-_]?(?:name|link|title|author|id|url|info|information|details))?|\w*(?:[uU]ser[nN]ame|[aA]uthor(?:[nN]ame)?|[pP]oster)|author name",
)
"""Names of elements that name an author."""
_PROFILE = pattern(
    r"member\.php|profile?\b|/users?[/.]|[?&;/]u=\d|\buid[=-]?\d|/u/|/members?/|/people/|/author/|showuser|user(?:info|id)"
    r"|/@|mod=space|/benutzer|/utilisateur|/usuario|/autor",
    re.IGNORECASE,
)
"""Addresses of pages about an author."""
_NO_PROFILE = pattern(
    r"search|editprofile|register|login|privmsg|sendmessage|report", re.IGNORECASE
)
_SIGNATURE = pattern(
    r"(?:.*[-_])?(?:sig|signature|signatur)(?:[-_].*)?|\w*[sS]ignature", re.IGNORECASE
)
_RULE = pattern(r"[-_=–—*~.]{5,}\s*")
"""A line of signs, below which a signature stands."""
_BY = pattern(
    r"(?:^|\s)(?:by|von|par|por|door|di|av|af|od|от|автор|autor|author|verfasst von|posted by)\b\s*:?\s+(.+)",
    re.IGNORECASE,
)
_NAME_CHARS_MAX = 60
_NAME_WORDS_MAX = 6
_OF_FORMS = frozenset(
    ("body", "html", "form", "label", "input", "select", "option", "button", "textarea")
)
_EDGES = " \t:,;|•·»«–—-@()[]\"'\n"


class _Anchor(NamedTuple):
    """An element that may name the author of a post."""

    node: int
    name: str
    rank: int
    """2 for a link to an author in an element that is named after one, else 1."""


class _Group(NamedTuple):
    """Elements of one shape that may name the authors of all posts."""

    anchors: list[_Anchor]
    roots: Int64s


class _Thread(NamedTuple):
    """The posts of a thread, and where their authors, days and texts stand."""

    parts: list[Stretch]
    anchors: list[_Anchor]
    days: list[Day | None]
    bodies: Int64s
    """Numbers of the elements that hold the texts of the posts, ascending."""


def find_posts(
    page: ShapedPage,
    times: Sequence[tuple[dict[str, str], str]],
    language: str,
) -> list[Post]:
    """Return the first posts of a thread in the order of the page, one more than are given; none where most of what it keeps stands in no posts.

    Args:
        page: The page of a thread.
        times: Attributes and text of each `time` element in its markup, in order.
        language: Language tag of the page; empty = not known.
    """
    anchors = _anchors(page)
    group = (
        _authors(page, anchors)
        or _authors(page, anchors, with_siblings=True)
        or _only_author(page, anchors)
    )
    if group is None:
        return []
    group = _with_others(page, group, anchors)
    thread = _thread(page, group, group.roots, times, language)
    if unnamed := _unnamed(page, group.roots):
        roots = np.union1d(group.roots, unnamed)
        whole = _thread(page, group, roots, times, language)
        is_post = np.array([_is_post(page, whole, number) for number in range(len(roots))])
        is_post |= np.isin([part.root for part in whole.parts], group.roots)
        if is_post.sum() > len(group.roots):
            thread = _thread(page, group, roots[is_post], times, language)
    if _is_of_links(page, thread):
        return []
    return list(islice(_posts(page, thread), RECORDS_MAX + 1))


def _is_of_links(page: ShapedPage, thread: _Thread) -> bool:
    """Return whether most of the texts, or of what is kept beside them, is text of links, as in a list of threads."""
    of_parts = [one for part in thread.parts for one in page.segments_in(part.begin, part.end)]
    texts = sorted(page.segments_of(thread.bodies.tolist()))
    return any(
        2 * int(page.segments.link_chars[some].sum()) > sum(len(page.texts[one]) for one in some)
        for some in (texts, [one for one in of_parts if page.kept[one]])
    )


def _thread(
    page: ShapedPage,
    group: _Group,
    roots: Int64s,
    times: Sequence[tuple[dict[str, str], str]],
    language: str,
) -> _Thread:
    parts = page.parts(roots)
    days = days_of_parts(page, parts, times, language)
    return _Thread(parts, group.anchors, days, _bodies(page, parts, group.anchors, days))


def _unnamed(page: ShapedPage, roots: Int64s) -> list[int]:
    """Return the siblings of posts that have their shape, but no author."""
    known, shapes = set(roots.tolist()), set(page.shape[roots].tolist())
    parents = set(page.nodes.parent[roots].tolist()) if len(roots) > 1 else set()
    return [
        child
        for parent in parents
        for child in page.children(parent)
        if child not in known and int(page.shape[child]) in shapes
    ]


def _is_post(page: ShapedPage, thread: _Thread, number: int) -> bool:
    """Return whether a part without an author has day and text where the others have them."""
    bodies = _within(thread.bodies, thread.parts[number])
    return thread.days[number] is not None and len(page.segments_of(bodies)) > 0


def _anchors(page: ShapedPage) -> list[_Anchor]:
    nodes, linked = page.nodes, {}
    for node, mark in page.marks.items():
        if page.tags[node] != "a" or not mark.text or not _PROFILE.search(mark.target):
            continue
        if not _NO_PROFILE.search(mark.target) and (name := _name(mark.text)):
            linked[node] = name
    is_named = np.array([_is_named(one) for one in nodes.attribute_values], np.bool_)
    is_named &= np.array([tag not in _OF_FORMS for tag, _ in nodes.element_types], np.bool_)
    named = np.flatnonzero(is_named[nodes.element_type])
    links = np.array(sorted(linked), np.int64)
    anchors = {node: _Anchor(node, name, 1) for node, name in linked.items()}
    for node in named.tolist():
        first, behind = links.searchsorted([node, nodes.end[node]]).tolist()
        for link in links[first:behind].tolist():
            anchors[link] = _Anchor(link, linked[link], 2)
        if first == behind and (name := _name_in(page, node)):
            anchors[node] = _Anchor(node, name, 1)
    return [anchors[node] for node in sorted(anchors)]


def _is_named(values: tuple[str, str, str, str]) -> bool:
    identity, classes, _, item = values
    names = [re.sub(r"\d+", "", identity), *classes.split(), item]
    return any(map(_NAMED.fullmatch, names))


def _name_in(page: ShapedPage, node: int) -> str | None:
    """Return the name that stands in an element that is named after an author."""
    end = int(page.nodes.end[node])
    for inner in range(node, min(end, node + 5)):
        mark = page.marks.get(inner)
        if mark is not None and mark.text and page.tags[inner] != "img":
            return _name(mark.text)
    within = page.segments_within(node)
    segment = within[0] if within else page.segment_of(node)
    if segment >= len(page.texts):
        return None
    text = without_days(page.texts[segment].partition("\n")[0])
    match = _BY.search(text)
    return _name(match[1] if match else text)


def _name(text: str) -> str | None:
    """Return a text as the name of an author; None where it cannot be one."""
    name = text.strip(_EDGES)
    is_name = (
        0 < len(name) <= _NAME_CHARS_MAX
        and len(name.split()) <= _NAME_WORDS_MAX
        and any(map(str.isalpha, name))
        and not MAY_BE_YEAR.search(name[-4:] if len(name) > 20 else "")
    )
    return name if is_name else None


def _authors(
    page: ShapedPage, anchors: Sequence[_Anchor], *, with_siblings: bool = False
) -> _Group | None:
    """Return the elements of one shape that name the authors of most of what is kept, in as many parts as possible.

    Args:
        page: The page.
        anchors: The elements that may name authors.
        with_siblings: Whether the text of a part may stand beside its root.
    """
    by_shape: dict[int, list[_Anchor]] = defaultdict(list)
    for anchor in anchors:
        by_shape[int(page.shape[anchor.node])].append(anchor)
    best, best_key = None, None
    for group in by_shape.values():
        nodes = np.array([anchor.node for anchor in group], np.int64)
        roots = page.roots(nodes)
        if len(roots) < 2:
            continue
        ends = page.nodes.end[roots]
        names = {anchor.name for anchor in group}
        has_text = page.chars(roots, ends) > max(map(len, names))
        parts = (
            page.parts(roots)
            if with_siblings
            else [
                Stretch(root, root, end)
                for root, end in zip(roots.tolist(), ends.tolist(), strict=True)
            ]
        )
        begins, ends = (
            np.array([part.begin for part in parts]),
            np.array([part.end for part in parts]),
        )
        kept = page.kept_chars(begins, ends)
        others = np.array(_unnamed(page, roots), np.int64)
        of_all = kept.sum() + page.kept_chars(others, page.nodes.end[others]).sum()
        if 2 * of_all < page.all_kept_chars:
            continue
        of_shape = Counter(page.shape[roots[has_text | with_siblings]].tolist()).most_common(1)
        alike = of_shape[0][1] if of_shape else 0
        key = (alike, int((kept > 0).sum()), group[0].rank, sum(map(len, names)), -group[0].node)
        if alike > 1 and (best_key is None or key > best_key):
            best, best_key = _Group(group, roots), key
    return best


def _only_author(page: ShapedPage, anchors: Sequence[_Anchor]) -> _Group | None:
    """Return the author around whose name most of what is kept stands in the smallest element."""
    best, best_chars = None, 0.0
    for anchor in anchors:
        root = anchor.node
        while (
            root >= 0 and 2 * page.kept_chars(root, int(page.nodes.end[root])) < page.all_kept_chars
        ):
            root = int(page.nodes.parent[root])
        chars = float(page.chars(max(root, 0), int(page.nodes.end[max(root, 0)])))
        if root >= 0 and (best is None or chars < best_chars):
            best, best_chars = _Group([anchor], np.array([root], np.int64)), chars
    return best


def _with_others(page: ShapedPage, group: _Group, anchors: Sequence[_Anchor]) -> _Group:
    """Return a group with the siblings of its posts that have an author whose element is of another shape."""
    nodes, roots = page.nodes, set(group.roots.tolist())
    places = np.array([anchor.node for anchor in anchors], np.int64)
    shapes, more = {int(page.shape[root]) for root in roots}, []
    for parent in {int(nodes.parent[root]) for root in roots} if len(roots) > 1 else ():
        for child in page.children(parent):
            first, behind = places.searchsorted([child, nodes.end[child]]).tolist()
            if child not in roots and int(page.shape[child]) in shapes and first < behind:
                roots.add(child)
                more.append(max(anchors[first:behind], key=lambda one: one.rank))
    return _Group(sorted([*group.anchors, *more]), np.array(sorted(roots), np.int64))


def _bodies(
    page: ShapedPage,
    parts: Sequence[Stretch],
    anchors: Sequence[_Anchor],
    days: Sequence[Day | None],
) -> Int64s:
    """Return the numbers of the elements that hold the texts of the posts, ascending."""
    nodes = page.nodes
    is_free = np.zeros(len(nodes.end), np.bool_)
    for part in parts:
        is_free[part.begin : part.end] = True
    for holder in [anchor.node for anchor in anchors] + [day.node for day in days if day]:
        is_free[page.around(holder)] = False
    (free,) = is_free.nonzero()
    chars = np.bincount(page.shape[free], page.kept_chars(free, nodes.end[free]))
    if not chars.any():
        chars = np.bincount(page.shape[free], page.chars(free, nodes.end[free]))
    if not chars.any():
        return np.zeros(0, np.int64)
    best = np.flatnonzero(chars == chars.max())
    shape = min(best, key=lambda one: nodes.depth[free[page.shape[free] == one][0]])
    bodies: Int64s = free[page.shape[free] == shape]
    return bodies


def _posts(page: ShapedPage, thread: _Thread) -> Iterator[Post]:
    """Yield the posts that have a text."""
    nodes = page.nodes
    places = np.array([anchor.node for anchor in thread.anchors], np.int64)
    around = set(page.shape[nodes.parent[places]].tolist())
    types = page.nodes.attribute_values
    is_signature = np.array(
        [any(map(_SIGNATURE.fullmatch, f"{one[0]} {one[1]}".split())) for one in types]
    )
    signatures = np.flatnonzero(is_signature[page.nodes.element_type])
    for part, day in zip(thread.parts, thread.days, strict=True):
        named = _within(places, part)[:1]
        author = thread.anchors[int(places.searchsorted(part.begin))].name if named else None
        if author is None:
            holders = [
                node for node in range(part.begin, part.end) if int(page.shape[node]) in around
            ]
            author = _name_in(page, holders[0]) if holders else None
        signed = page.segments_of(_within(signatures, part))
        texts = page.segments_of(_within(thread.bodies, part)) - signed
        lines = "\n".join(page.texts[one] for one in sorted(texts)).split("\n")
        text, below = _split_at_rule(lines)
        signature = [page.texts[one] for one in sorted(signed)] or below
        if any(text):
            yield Post(
                text="\n".join(text).strip(),
                author=author,
                date_published=day.date if day else None,
                signature="\n".join(signature).strip() or None,
            )


def _within(nodes: Int64s, part: Stretch) -> list[int]:
    """Return those of some elements, ascending, that stand in a part."""
    first, behind = nodes.searchsorted([part.begin, part.end])
    inside: list[int] = nodes[first:behind].tolist()
    return inside


def _split_at_rule(lines: list[str]) -> tuple[list[str], list[str]]:
    """Return the lines of a post before the last line of signs, and those below it."""
    for at in range(len(lines) - 1, 0, -1):
        if _RULE.fullmatch(lines[at]):
            return lines[:at], lines[at + 1 :]
    return lines, []
