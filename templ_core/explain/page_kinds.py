"""The kinds of page of a site: their template, their fields and records, and what each page has of its own."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from templ_core.array_types import Bools
from templ_core.dom.document import Document
from templ_core.explain.site_names import element_path
from templ_core.patterns import pattern
from templ_core.records.fields import find_fields
from templ_core.records.siblings import ShapedPage
from templ_core.site_level.site_model import SiteModel
from templ_core.site_level.trees.tree_mapping import label_page, likeness

_TEMPLATE_RATIO = 0.8
"""Share of a kind's pages, 0 to 1, that have a removed text of its template."""
_RECORDS_MIN = 2
_EXAMPLES = 4
_NAMES = pattern(r"[#.][^ ]*")
_PART_TAGS = frozenset(("li", "tr"))


class KeptPage(NamedTuple):
    """A page of a window, and what is kept of it."""

    url: str
    document: Document
    kept: Bools


class TemplateText(msgspec.Struct, frozen=True, kw_only=True):
    """A text that is removed on nearly all pages of a kind."""

    text: str
    path: str
    """Elements from below `body` down to the one that holds it."""
    pages: int


class KindField(msgspec.Struct, frozen=True, kw_only=True):
    """A label that pages of a kind have, with the values that it leaves open."""

    name: str
    pages: int
    value_count: int
    """Number of different values."""
    values: list[str]
    """Those on most pages, at most four."""


class KindRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Elements of one shape that pages of a kind repeat."""

    path: str
    pages: int
    count: float
    """Mean number on a page that has them."""
    example: list[str]
    """The texts of one of them."""


class KindText(msgspec.Struct, frozen=True, kw_only=True):
    """Kept text at one place."""

    path: str
    pages: int
    value_count: int
    """Number of different texts; 1 is a heading that all pages keep."""
    example: str


class KindOfPage(msgspec.Struct, frozen=True, kw_only=True):
    """What pages that share a tree template have in common, and what they leave open; most pages first."""

    pages: int
    example_url: str
    """The newest of them."""
    template: list[TemplateText]
    fields: list[KindField]
    records: list[KindRecord]
    texts: list[KindText]


def kinds_of_pages(pages: Sequence[KeptPage], model: SiteModel) -> list[KindOfPage]:
    """Return the kinds of page of a site; pages that are like no tree template are a kind of their own.

    Args:
        pages: Pages with text, in order of arrival.
        model: The site model, whose clusters name the kinds.
    """
    groups: defaultdict[int, list[KeptPage]] = defaultdict(list)
    for page in pages:
        paths = label_page(page.document).paths
        like = [likeness(cluster.reference.paths, paths) for cluster in model.trees.clusters]
        groups[int(np.argmax(like)) if any(like) else -1].append(page)
    return sorted(map(_kind, groups.values()), key=lambda kind: -kind.pages)


def _kind(pages: Sequence[KeptPage]) -> KindOfPage:
    records: dict[str, _Group] = defaultdict(_Group)
    texts: dict[str, _Group] = defaultdict(_Group)
    fields: list[dict[str, str]] = []
    for number, read in enumerate(pages):
        page = ShapedPage(read.document, read.kept)
        values = find_fields(page, is_product=False)
        fields.append({one.name: one.value for one in values})
        shown = {
            text for one in values for text in (one.name, one.value, f"{one.name}: {one.value}")
        }
        free = [one for one in np.flatnonzero(page.kept).tolist() if page.texts[one] not in shown]
        for root, segments in _divided(page, free).items():
            group = records if root is not None else texts
            for place, some in _placed(page, root, segments).items():
                group[place].add(number, [page.texts[one] for one in some])
    return KindOfPage(
        pages=len(pages),
        example_url=pages[-1].url,
        template=_template(pages),
        fields=_fields(fields),
        records=[
            KindRecord(path=path, pages=len(one.pages), count=one.mean, example=one.example)
            for path, one in _by_pages(records)
        ],
        texts=[
            KindText(
                path=path,
                pages=len(one.pages),
                value_count=len(one.different),
                example=one.example[0],
            )
            for path, one in _by_pages(texts)
        ],
    )


def _without_digits(name: re.Match[str]) -> str:
    return "".join(char for char in name[0] if not char.isdigit())


class _Group:
    """Records, or texts, at one path."""

    def __init__(self) -> None:
        self.pages: set[int] = set()
        self.example: list[str] = []
        self.different: set[str] = set()
        self._count = 0

    def add(self, page: int, texts: list[str]) -> None:
        self.pages.add(page)
        self.example = texts
        self.different.update(texts)
        self._count += 1

    @property
    def mean(self) -> float:
        return round(self._count / len(self.pages), 1)


def _by_pages(groups: Mapping[str, _Group]) -> list[tuple[str, _Group]]:
    return sorted(groups.items(), key=lambda named: -len(named[1].pages))


def _placed(page: ShapedPage, root: int | None, segments: list[int]) -> dict[str, list[int]]:
    """Return segments by the path of the record that they are in, or else of their own elements."""
    placed: defaultdict[str, list[int]] = defaultdict(list)
    for segment in segments:
        node = int(page.segments.owner[segment]) if root is None else root
        placed[_NAMES.sub(_without_digits, element_path(page.document, node))].append(segment)
    return placed


def _divided(page: ShapedPage, segments: list[int]) -> dict[int | None, list[int]]:
    """Return segments by the element of the record that each stands in; None for those in no record."""
    roots = _record_roots(page, segments)
    divided: defaultdict[int | None, list[int]] = defaultdict(list)
    for segment in segments:
        around = page.around(int(page.segments.owner[segment]))
        divided[next((node for node in reversed(around) if node in roots), None)].append(segment)
    return divided


def _record_roots(page: ShapedPage, segments: list[int]) -> set[int]:
    """Return the elements of one shape, at least two, that have several texts, or are items or rows."""
    by_shape: defaultdict[int, set[int]] = defaultdict(set)
    for segment in segments:
        owner = int(page.segments.owner[segment])
        by_shape[int(page.shape[owner])].add(owner)
    record_roots: set[int] = set()
    for owners in by_shape.values():
        roots = set(page.roots(np.array(sorted(owners), np.int64)).tolist()) if owners else set()
        parts = {root for root in roots if root not in owners or page.tags[root] in _PART_TAGS}
        if len(parts) >= _RECORDS_MIN and len({int(page.shape[part]) for part in parts}) == 1:
            record_roots |= parts
    return record_roots


def _template(pages: Sequence[KeptPage]) -> list[TemplateText]:
    counts: Counter[str] = Counter()
    paths: dict[str, str] = {}
    for page in pages:
        segments = page.document.segments
        removed = {
            segments.texts[segment]: segment for segment in np.flatnonzero(~page.kept).tolist()
        }
        counts.update(removed.keys())
        for text, segment in removed.items():
            if text not in paths:
                paths[text] = element_path(page.document, int(segments.owner[segment]))
    least = max(2, _TEMPLATE_RATIO * len(pages))
    return [
        TemplateText(text=text, path=paths[text], pages=count)
        for text, count in counts.items()
        if count >= least
    ]


def _fields(pages: Sequence[dict[str, str]]) -> list[KindField]:
    values: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for page in pages:
        for name, value in page.items():
            values[name][value] += 1
    fields = [
        KindField(
            name=name,
            pages=counts.total(),
            value_count=len(counts),
            values=[value for value, _ in counts.most_common(_EXAMPLES)],
        )
        for name, counts in values.items()
        if counts.total() > 1 or len(pages) == 1
    ]
    return sorted(fields, key=lambda field: -field.pages)
