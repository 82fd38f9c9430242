"""The content of a site as XPath, for other readers: what a text is taken from, and what is left out of it.

The rules are fitted to what was kept of the pages of a window. They are chosen greedily among names of elements: the next one is
that which raises the mean word F1 against the kept text most. The agreement is measured on pages that
were left out, so it says how well rules can do on the site; sentences that are cut out of segments, and text whose
place says nothing, need the worker.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from templ_core.array_types import Bools, Floats, Int64s
from templ_core.dom.document import Document, attribute_values
from templ_core.metadata.dates import published_day
from templ_core.metadata.fields import Metadata
from templ_core.patterns import pattern
from templ_core.tokens import tokenise

SUFFICIENT_AGREEMENT = 0.95
"""Word F1 against the worker's own texts from which on the rules can do its work."""
_BODIES_MAX = 3
"""Alternatives for the content; a page has the first that matches."""
_STARTS = 6
"""Elements with which an alternative is begun; the best result is taken."""
_STEPS_MAX = 40
_GAIN_MIN = 0.001
"""Smallest gain in mean F1 of a rule."""
_LEFT_OUT_WEIGHT = 0.4
"""Weight of other text in an element with which an alternative is begun, since much of it is left out later."""
_LEVELS = 3
"""Elements around an element that it is named by."""
_TEXT_RANK = 4
"""Rank of names by the text of an element; content is never named by it."""
_PAGES_MAX = 200
"""The newest pages of a window are enough to fit rules to, and bound memory and time."""
_PAGES_RATIO_MIN = 0.04
_PAGES_MIN = 2
_TEXT_CHARS_MAX = 100
_FIELD_PRECISION_MIN = 0.8
_FIELD_RECALL_MIN = 0.5
_TAG = pattern(r"[a-z][a-z0-9]*")
_NUMBERED = pattern(r"(.*?[^\d])\d+")
_CLASSES = 6
"""Class names of an element that it is named by; pages of some frameworks have dozens."""
_COUNTED = frozenset(("table", "tbody", "tr", "td", "th"))
"""Elements that are named by their number, since only layouts of tables have no names; others move where readers
leave out what is before them."""
_STATED = {
    "title": "//meta[@property='og:title']/@content",
    "date": "//meta[@property='article:published_time']/@content",
    "author": "//meta[@name='author']/@content",
}
"""What readers find without knowing the site."""


class RuledPage(NamedTuple):
    """A page of a window, and what was kept of it."""

    document: Document
    kept: Bools
    """Whether each segment stays; length n_segments."""
    metadata: Metadata | None = None


class SiteRules(msgspec.Struct, frozen=True, kw_only=True):
    """XPath expressions of a site."""

    body: list[str]
    """Alternatives for the content; a page has all elements of the first that matches."""
    strip: list[str]
    """Elements that are left out of it."""
    title: list[str]
    date: list[str]
    author: list[str]
    agreement: float
    """Mean word F1 of rules against the kept texts of pages that they were not fitted to, 0 to 1."""

    @property
    def suffices(self) -> bool:
        """Whether a reader with these rules can do without the worker."""
        return self.agreement >= SUFFICIENT_AGREEMENT

    @property
    def verdict(self) -> str:
        """A sentence that says whether the rules suffice."""
        verdict = f"rules agree with the worker's texts by {self.agreement:.3f} on pages that they were not made from"
        return (
            f"{verdict}, which suffices"
            if self.suffices
            else f"{verdict}: this site needs the worker"
        )


def site_rules(pages: Sequence[RuledPage]) -> SiteRules:
    """Return the rules of a site.

    Args:
        pages: Pages of its window in order of time; at least one keeps a segment.
    """
    some = [page for page in pages if page.kept.any()][-_PAGES_MAX:]
    elements = _Elements(some)
    halves = np.arange(len(some)) % 2 == 0
    scores = np.zeros(len(some))
    for fitted in (halves, ~halves):
        if fitted.any():
            scores[~fitted] = elements.f1(_Chosen(elements, fitted).fit())[~fitted]
    chosen = _Chosen(elements, np.ones(len(some), np.bool_)).fit()
    names = elements.names
    return SiteRules(
        body=[" | ".join(names[one] for one in body) for body in chosen.bodies],
        strip=[names[one] for one in chosen.strip],
        agreement=round(float(scores.mean()), 4),
        **{name: _field(elements, some, name) for name in _STATED},
    )


def _xpaths(tag: str, attributes: str) -> Iterator[str]:
    """Yield expressions for elements of a type, the surest first."""
    identity, classes, role, item = (
        " ".join(value.split()) for value in attribute_values(attributes)
    )
    if identity and (quoted := _quoted(identity)):
        yield f"//{tag}[@id={quoted}]"
        if (numbered := _NUMBERED.fullmatch(identity)) and (start := _quoted(numbered[1])):
            yield f"//{tag}[starts-with(@id, {start})]"
    for name in list(dict.fromkeys(classes.split()))[:_CLASSES]:
        if quoted := _quoted(f" {name} "):
            yield f"//{tag}[contains(concat(' ', normalize-space(@class), ' '), {quoted})]"
    if " " in classes and (quoted := _quoted(classes)):
        yield f"//{tag}[normalize-space(@class)={quoted}]"
    for name, value in (("role", role), ("itemprop", item)):
        if value and (quoted := _quoted(value)):
            yield f"//{tag}[@{name}={quoted}]"


def _quoted(text: str) -> str | None:
    """Return a literal of XPath 1.0, which has no escapes; None for a text with both marks."""
    if '"' not in text:
        return f'"{text}"' if "'" in text else f"'{text}'"
    return None if "'" in text else f"'{text}'"


class _Elements:
    """All elements with words of some pages under all their names; elements of all pages have one numbering."""

    def __init__(self, pages: Sequence[RuledPage]) -> None:
        self.pages = len(pages)
        nodes_of_names: list[dict[str, list[int]]] = [{} for _ in range(_TEXT_RANK + 1)]
        first, columns = 0, []
        for page in pages:
            nodes, segments = page.document.nodes, page.document.segments
            size = len(nodes.end)
            counts = np.array([len(tokenise(text)) for text in segments.texts], np.float64)
            words = np.bincount(segments.owner, counts, size)
            columns.append(
                (nodes.end + first, words, np.bincount(segments.owner, counts * page.kept, size))
            )
            sums = np.append(0, np.cumsum(words))
            ends = nodes.end.tolist()
            inner: dict[str, int] = {}
            for rank, name, node in _names(page.document, sums[nodes.end] > sums[:-1]):
                if node >= inner.get(name, 0):  # not inside another element of the name
                    inner[name] = ends[node]
                    nodes_of_names[rank].setdefault(name, []).append(node + first)
            first += size
        self.end, self.words, self.kept = (
            np.concatenate(column) for column in zip(*columns, strict=True)
        )
        sizes = [len(one[0]) for one in columns]
        self.page = np.repeat(np.arange(self.pages), sizes)
        self.first = np.cumsum([0, *sizes[:-1]])
        least = max(_PAGES_MIN, _PAGES_RATIO_MIN * self.pages)
        named = [
            (name, places)
            for names in nodes_of_names
            for name, places in names.items()
            if len(places) >= least and len(np.unique(self.page[places])) >= least
        ]
        self.names = [name for name, _ in named]
        self.are_places = np.array(["[normalize-space(.)=" not in name for name in self.names])
        self.nodes = np.array([place for _, places in named for place in places], np.int64)
        owner = np.repeat(np.arange(len(named)), [len(places) for _, places in named])
        self.starts = np.searchsorted(owner, np.arange(len(named) + 1))
        pairs, self.pair = np.unique(
            owner * self.pages + self.page[self.nodes], return_inverse=True
        )
        self.pair_name, self.pair_page = pairs // self.pages, pairs % self.pages

    def places(self, name: int) -> Int64s:
        """Return the elements of a name."""
        return self.nodes[self.starts[name] : self.starts[name + 1]]

    def inside(self, names: Sequence[int]) -> Bools:
        """Return which elements are inside one of some names, or are one."""
        depth = np.zeros(len(self.end) + 1, np.int64)
        for name in names:
            places = self.places(name)
            np.add.at(depth, places, 1)
            np.add.at(depth, self.end[places], -1)
        return np.cumsum(depth)[:-1] > 0

    def in_pairs(self, weights: Floats) -> Floats:
        """Return the sum of the weights of elements inside those of each pair of a name and a page."""
        sums = np.append(0, np.cumsum(weights))
        inside = sums[self.end[self.nodes]] - sums[self.nodes]
        return _sums(self.pair, inside, len(self.pair_name))

    def by_name(self, of_pairs: Floats) -> Floats:
        """Return the sum over the pages of each name."""
        return _sums(self.pair_name, of_pairs, len(self.names))

    def by_page(self, weights: Floats) -> Floats:
        """Return the sum of the weights of the elements of each page."""
        return _sums(self.page, weights, self.pages)

    def f1(self, chosen: "_Chosen") -> Floats:
        """Return the word F1 of what is chosen on each page."""
        return chosen.f1(
            self.by_page(self.words * chosen.selected()),
            self.by_page(self.kept * chosen.selected()),
        )


def _sums(numbers: Int64s, weights: Floats, size: int) -> Floats:
    """Return the sum of the weights of each number below a size."""
    return np.bincount(numbers, weights, size).astype(np.float64, copy=False)


class _Chosen:
    """The choice of rules for some of the pages."""

    def __init__(self, elements: _Elements, fitted: Bools) -> None:
        self._elements = elements
        self._fitted = fitted
        self._wanted = elements.by_page(elements.kept)
        self.bodies: list[list[int]] = []
        self.strip: list[int] = []

    def f1(self, words: Floats, kept: Floats, pages: Int64s | slice = slice(None)) -> Floats:
        """Return the word F1 of texts with these numbers of words and of kept words."""
        return 2 * kept / np.maximum(words + self._wanted[pages], 1)

    def selected(self) -> Bools:
        """Return which elements the rules take the text of."""
        is_selected = np.zeros(len(self._elements.end), np.bool_)
        done = np.zeros(self._elements.pages, np.bool_)
        for body in self.bodies:
            own = self._elements.inside(body) & ~done[self._elements.page]
            is_selected |= own
            done[self._elements.page[own]] = True
        return is_selected & ~self._elements.inside(self.strip)

    def fit(self) -> "_Chosen":
        """Choose the rules, and return this."""
        for _ in range(_BODIES_MAX):
            left = self._fitted & (self._elements.by_page(self.selected().astype(np.float64)) == 0)
            if not left.any() or not self._begin(left):
                break
        return self

    def _begin(self, left: Bools) -> bool:
        """Add the best alternative for pages that none matches yet; return whether there is one."""
        elements = self._elements
        words, kept = elements.in_pairs(elements.words), elements.in_pairs(elements.kept)
        weighed = kept + _LEFT_OUT_WEIGHT * (words - kept)
        scores = elements.by_name(
            self.f1(weighed, kept, elements.pair_page) * left[elements.pair_page]
        )
        trials: dict[float, tuple[float, float, list[list[int]], list[int]]] = {}
        bodies, strip, covered = self.bodies, self.strip, elements.by_name(kept)
        scores *= elements.are_places
        for name in np.argsort(-scores, kind="stable").tolist():
            if len(trials) == _STARTS or scores[name] <= 0:
                break
            if scores[name] not in trials:
                self.bodies, self.strip = [*bodies, [name]], list(strip)
                self._improve()
                score = round(float(elements.f1(self)[self._fitted].mean()), 3)
                trials[scores[name]] = score, float(covered[name]), self.bodies, self.strip
        if trials:
            # Among equals prefer the content's container: a list of its parts may miss some.
            *_, self.bodies, self.strip = max(trials.values(), key=lambda trial: trial[:2])
        return bool(trials)

    def _improve(self) -> None:
        """Add elements to the last alternative, and leave others out, as long as this gains."""
        elements = self._elements
        pages, least = elements.pair_page, _GAIN_MIN * self._fitted.sum()
        for _ in range(_STEPS_MAX):
            selected = self.selected()
            reached = elements.inside(self.bodies[-1])
            open_pages = elements.by_page((selected & reached).astype(np.float64)) > 0
            free = ~selected & ~elements.inside(self.strip) & open_pages[elements.page]
            words, kept = (
                elements.by_page(one * selected) for one in (elements.words, elements.kept)
            )
            now = self.f1(words, kept)
            best = []
            for sign, mask in ((1.0, free), (-1.0, selected)):
                more, good = (
                    elements.in_pairs(one * mask) for one in (elements.words, elements.kept)
                )
                then = self.f1(words[pages] + sign * more, kept[pages] + sign * good, pages)
                gains = elements.by_name((then - now[pages]) * self._fitted[pages])
                if sign > 0:
                    gains *= elements.are_places
                name = int(gains.argmax())
                best.append((float(gains[name]), sign, name))
            gain, sign, name = max(best)
            if gain < least:
                return
            (self.bodies[-1] if sign > 0 else self.strip).append(name)


def _names(document: Document, shown: Bools) -> Iterator[tuple[int, str, int]]:
    """Yield each name of the elements with words in document order, and how sure it is; 0 is the surest.

    An element is under all names of the given forms that match it, so that a name means here what it means in XPath.
    """
    nodes, tags = document.nodes, document.nodes.tags
    own = [list(_xpaths(*one)) if _TAG.fullmatch(one[0]) else [] for one in nodes.element_types]
    texts = _only_texts(document)
    parents, types = nodes.parent.tolist(), nodes.element_type.tolist()
    steps: list[tuple[str, ...]] = []
    from_root: list[str] = []
    counts: defaultdict[tuple[int, str], int] = defaultdict(int)
    for node, (parent, tag) in enumerate(zip(parents, tags, strict=True)):
        counts[parent, tag] += 1
        is_counted, is_usual = tag in _COUNTED, _TAG.fullmatch(tag)
        steps.append(
            (tag, f"{tag}[{counts[parent, tag]}]") if is_counted else (tag,) * bool(is_usual)
        )
        around = from_root[parent] if parent >= 0 else ""
        from_root.append(f"{around}/{steps[node][-1]}" if is_usual else f"{around}/*")
        if parent < 0 or not shown[node] or not is_usual:
            continue
        yield 1, f"//{tag}", node
        for name in own[types[node]]:
            yield 0, name, node
            yield from ((2, f"{outer}/{name[2:]}", node) for outer in own[types[parent]])
        below, above = steps[node], parent
        for _ in range(_LEVELS):
            if above < 0:
                break
            for outer in own[types[above]]:
                yield from ((2, f"{outer}/{one}", node) for one in below)
            below = tuple(f"{step}/{one}" for step in steps[above] for one in below)
            above = parents[above]
        yield 3, from_root[node], node
        if node in texts:
            yield _TEXT_RANK, f"//{tag}[normalize-space(.)={texts[node]}]", node


def _only_texts(document: Document) -> dict[int, str]:
    """Return the short texts of elements without other text as literals, by the number of the element."""
    nodes, segments = document.nodes, document.segments
    counts = np.append(0, np.cumsum(np.bincount(segments.owner, minlength=len(nodes.end))))
    inside = (counts[nodes.end] - counts[:-1])[segments.owner]
    owned_texts = zip(segments.owner.tolist(), segments.texts, inside.tolist(), strict=True)
    return {
        owner: quoted
        for owner, text, texts in owned_texts
        if texts == 1
        and len(text) <= _TEXT_CHARS_MAX
        and "\n" not in text
        and (quoted := _quoted(text))
    }


def _field(elements: _Elements, pages: Sequence[RuledPage], field: str) -> list[str]:
    """Return where a field of the metadata is: on the page if its window says so, and in the markup."""
    right, has_field = np.zeros(len(elements.end), np.bool_), np.zeros(len(pages), np.bool_)
    for number, page in enumerate(pages):
        is_value = _is_value(page.metadata, field)
        if is_value is not None:
            has_field[number] = True
            owners, texts = page.document.segments.owner.tolist(), page.document.segments.texts
            value_owners = [
                owner for owner, text in zip(owners, texts, strict=True) if is_value(text)
            ]
            right[np.array(value_owners, np.int64) + elements.first[number]] = True
    _, first = np.unique(elements.pair, return_index=True)
    nodes = elements.nodes[first]
    counted = has_field[elements.pair_page]
    hits, all_hits = (
        elements.by_name(one.astype(np.float64)) for one in (right[nodes] & counted, counted)
    )
    good = (hits >= _FIELD_PRECISION_MIN * all_hits) & (hits >= _FIELD_RECALL_MIN * has_field.sum())
    best = int((np.where(good, hits, 0)).argmax()) if len(hits) else 0
    return [
        *([elements.names[best]] if len(hits) and good[best] and hits[best] else []),
        _STATED[field],
    ]


def _is_value(metadata: Metadata | None, field: str) -> Callable[[str], bool] | None:
    """Return whether a text shows a field of a page; None where the page has none."""
    if metadata is None:
        return None
    if field == "title" and metadata.title:
        title = metadata.title.casefold()
        return lambda text: " ".join(text.split()).casefold() == title
    if field == "date" and metadata.published_at:
        day = metadata.published_at[:10]
        return lambda text: len(text) <= _TEXT_CHARS_MAX and (published_day(text) or "")[:10] == day
    if field == "author" and metadata.authors:
        name = metadata.authors[0]
        return lambda text: len(text) <= _TEXT_CHARS_MAX and name in text
    return None
