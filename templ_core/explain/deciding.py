"""The strings and the places of trees that decide on pages of a window, as expressions that remove just that text."""

import functools
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

import msgspec
import numpy as np

from templ_core.decide import Decision
from templ_core.dom.document import Document
from templ_core.explain.elements import segment_elements
from templ_core.explain.remove_repeated import (
    Expression,
    Part,
    block_text,
    is_beside,
    matches,
    removed_parts,
)
from templ_core.explain.site_strings import string_expression, words_expression
from templ_core.page_level.features.page_features import PageFeatures
from templ_core.patterns import pattern
from templ_core.site_level.config import STRINGS_CONFIG
from templ_core.site_level.fusion.site_columns import REASON_STRING, REASON_TREE
from templ_core.site_level.strings.string_evidence import StringTable, read_prose
from templ_core.site_settings.rules import SELECTOR_CHARS_MAX, NodeMatcher, parse_selector

DECIDING_REASONS = (REASON_STRING, REASON_TREE)
"""The reasons whose removals have expressions."""
_NEIGHBOURS = (1, 2, 4)
"""Blocks before and behind a part that distinguish it from equal text that stays."""
_ANY_TEXT = ".+"
_GAPS_MAX = 3
"""Places of an expression at which any words may stand; each of them multiplies the time that a match may take."""
_ENDS = pattern(r"\W*")


class DecidedPage(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """A page, and what is removed from it for each of the reasons."""

    url: str
    document: Document
    blocks: Sequence[str]
    """The text of each segment, a space for each character of white space."""
    parts: dict[str, set[Part]]
    """What is removed, by reason."""
    patterns: dict[Part, str]
    """Expressions for the parts that strings of words cover; the words that they do not cover may differ."""

    def text(self, part: Part) -> str:
        """Return the text of a part."""
        number, first, behind = part
        return self.blocks[number][first:behind]

    def is_whole(self, part: Part) -> bool:
        """Return whether a part is a whole segment."""
        return len(self.text(part)) == len(self.blocks[part[0]])

    @functools.cached_property
    def elements(self) -> list[tuple[str, ...]]:
        """Selectors of the elements around each segment, outermost first."""
        return segment_elements(self.document)

    @functools.cached_property
    def _matcher(self) -> NodeMatcher:
        return NodeMatcher(self.document.nodes)

    @functools.cached_property
    def _selected(self) -> dict[str, frozenset[int]]:
        return {}

    def selected(self, selector: str) -> frozenset[int]:
        """Return the numbers of the segments that the elements of a selector hold directly."""
        if selector not in self._selected:
            nodes = self._matcher.matching(parse_selector(selector))
            segments = np.flatnonzero(nodes[self.document.segments.owner])
            self._selected[selector] = frozenset(segments.tolist())
        return self._selected[selector]

    def removed(self, expressions: Sequence[Expression]) -> set[Part]:
        """Return what expressions remove from the page."""
        selectors = {
            expression["selector"]
            for expression in expressions
            if expression["selector"] is not None
        }
        selected = {selector: self.selected(selector) for selector in selectors}
        return removed_parts(self.blocks, self.url, expressions, selected)


class DecidingExpressions(msgspec.Struct, frozen=True, kw_only=True):
    """What decides on the pages of a window."""

    expressions: dict[str, list[Expression]]
    """By reason; those of most pages first."""
    pages: int
    """Pages that the expressions were applied to."""
    parts: dict[str, int]
    """What is removed from them by reason, in parts: whole segments, and runs of sentences inside segments."""
    unequal_urls: list[str]
    """Pages from which the expressions do not remove exactly the parts; empty if all is well."""


def decided_page(
    url: str, document: Document, features: PageFeatures, decision: Decision, table: StringTable
) -> DecidedPage:
    """Return what is removed from a page for each of the reasons."""
    blocks = [block_text(text) for text in document.segments.texts]
    parts: dict[str, set[Part]] = {reason: set() for reason in DECIDING_REASONS}
    kept = decision.kept.tolist()
    for number, (block, reason) in enumerate(zip(blocks, decision.reasons, strict=True)):
        if reason in parts and not kept[number]:
            parts[reason].add((number, 0, len(block)))
    for number, spans in (decision.cuts or {}).items():
        if kept[number]:
            parts[REASON_STRING].update((number, *span) for span in spans)
    patterns = _patterns(blocks, features, parts[REASON_STRING], table)
    return DecidedPage(url=url, document=document, blocks=blocks, parts=parts, patterns=patterns)


def _patterns(
    blocks: Sequence[str], features: PageFeatures, parts: Iterable[Part], table: StringTable
) -> dict[Part, str]:
    """Return an expression for each part that strings of words cover but for a few short gaps."""
    if not parts:
        return {}
    words, covered = features.words, np.zeros(len(features.words.first), np.bool_)
    tokens, finder = read_prose(features).tokens, table.word_finders[0]
    borders = finder.matches(tokens, STRINGS_CONFIG.words_min, words.segment)
    for begin, end in zip(*borders, strict=True):
        covered[begin:end] = True
    starts = np.append(0, np.cumsum([len(block) + 1 for block in blocks]))
    patterns = {}
    for part in parts:
        number, first, behind = part
        begins = words.first - starts[number]
        (inside,) = np.nonzero((words.segment == number) & (begins >= first) & (begins < behind))
        free = ~covered[inside]
        changes = np.flatnonzero(np.diff(free, prepend=False, append=False))
        gaps = changes[1::2] - changes[::2]
        if 0 < len(gaps) <= _GAPS_MAX and gaps.max() <= STRINGS_CONFIG.gap_words_max:
            ends = begins + words.length
            spans = zip(begins[inside].tolist(), ends[inside].tolist(), free.tolist(), strict=True)
            patterns[part] = words_expression(blocks[number], spans)
    return patterns


def deciding_expressions(pages: Sequence[DecidedPage]) -> DecidingExpressions:
    """Return expressions that remove from each page exactly what is removed for each reason.

    Each part of a page that no expression removes yet gets the most general one that removes nothing else: of a
    string, with other words where strings do not cover it, with other case, marks and numbers, word for word, and
    beside its neighbours; of a tree, by ever more elements around it, and by its text. Where none of them distinguishes it
    from text that is not removed for the reason, the first one that does on the page itself holds for some pages.
    """
    expressions = {reason: _Chosen(pages, reason).expressions() for reason in DECIDING_REASONS}
    return DecidingExpressions(
        expressions=expressions,
        pages=len(pages),
        parts={
            reason: sum(len(page.parts[reason]) for page in pages) for reason in DECIDING_REASONS
        },
        unequal_urls=[
            page.url
            for page in pages
            if any(page.removed(some) != page.parts[reason] for reason, some in expressions.items())
        ],
    )


class _Chosen:
    """The choice of expressions for one reason."""

    def __init__(self, pages: Sequence[DecidedPage], reason: str) -> None:
        self._pages = pages
        self._wanted = [page.parts[reason] for page in pages]
        self._blocks: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for number, page in enumerate(pages):
            for block, text in enumerate(page.blocks):
                self._blocks[text].append((number, block))
        self._candidates = _by_tree if reason == REASON_TREE else _by_string

    def expressions(self) -> list[Expression]:
        """Return the expressions, those of most pages first."""
        done: list[set[Part]] = [set() for _ in self._pages]
        expressions = []
        for number, part in self._ordered():
            if part in done[number]:
                continue
            expression, hits = self._expression(number, part)
            if expression is None:
                continue
            expressions.append(expression)
            for page, parts in hits.items():
                done[page] |= parts
        return sorted(expressions, key=lambda one: (-one["pages"], one["text"]))

    def _ordered(self) -> list[tuple[int, Part]]:
        """Return all parts with the numbers of their pages, those of frequent text first."""
        parts = [(number, part) for number, own in enumerate(self._wanted) for part in sorted(own)]
        counts = Counter(self._pages[number].text(part) for number, part in parts)
        return sorted(parts, key=lambda one: -counts[self._pages[one[0]].text(one[1])])

    def _expression(
        self, number: int, part: Part
    ) -> tuple[Expression | None, dict[int, set[Part]]]:
        """Return the most general expression for a part, and what it removes by the number of the page.

        There is none if every expression removes more than the part from its own page. One that holds for some pages has precedence over one that holds for less than half as many.
        """
        of_some_pages = None
        for candidate in self._candidates(self._pages[number], part):
            hits = self._hits(candidate)
            good = [page for page, found in hits.items() if found <= self._wanted[page]]
            if number not in good or part not in hits[number]:
                continue
            candidate["pages"] = len(good)
            if len(good) < len(hits):
                candidate["urls"] = sorted(self._pages[page].url for page in good)
                of_some_pages = of_some_pages or candidate
            elif of_some_pages is None or 2 * candidate["pages"] >= of_some_pages["pages"]:
                return candidate, hits
        return of_some_pages, self._hits(of_some_pages) if of_some_pages else {}

    def _hits(self, expression: Expression) -> dict[int, set[Part]]:
        """Return what an expression removes, by the number of the page."""
        hits: defaultdict[int, set[Part]] = defaultdict(set)
        selector, urls, own = expression["selector"], set(expression["urls"]), expression["text"]
        is_literal = expression["is_whole"] and expression["expression"] == re.escape(own)
        for text in [own] if is_literal else self._blocks:
            for span in matches(expression, text):
                for number, block in self._blocks[text]:
                    page = self._pages[number]
                    if (
                        (not urls or page.url in urls)
                        and (selector is None or block in page.selected(selector))
                        and is_beside(expression, page.blocks, block)
                    ):
                        hits[number].add((block, *span))
        return hits


def _by_string(page: DecidedPage, part: Part) -> Iterator[Expression]:
    """Yield expressions for a part that a string decides, the most general ones first."""
    text = page.text(part)
    if part in page.patterns:
        yield _expression(page, part, _with_marks(page.patterns[part], page, part))
    yield _expression(page, part, _with_marks(string_expression(text), page, part))
    yield from _word_for_word(page, part, None)


def _by_tree(page: DecidedPage, part: Part) -> Iterator[Expression]:
    """Yield expressions for a part that a tree decides, the most general ones first."""
    elements = page.elements[part[0]]
    selectors = [" > ".join(elements[-depth:]) for depth in range(1, len(elements) + 1)]
    selectors = [selector for selector in selectors if len(selector) <= SELECTOR_CHARS_MAX]
    for selector in selectors:
        yield _expression(page, part, _ANY_TEXT, selector=selector)
    yield from _word_for_word(page, part, selectors[-1] if selectors else None)


def _word_for_word(page: DecidedPage, part: Part, selector: str | None) -> Iterator[Expression]:
    """Yield expressions for the very text of a part, alone and beside its neighbours."""
    for reach in (0, *_NEIGHBOURS):
        yield _expression(page, part, re.escape(page.text(part)), selector=selector, reach=reach)


def _with_marks(words: str, page: DecidedPage, part: Part) -> str:
    """Return an expression for the words of a part with the marks around them, whatever their case.

    The marks at the ends of a part of a block are those of the part, because they show where it ends.
    """
    if page.is_whole(part):
        return rf"(?i)\W*{words}\W*"
    first, last = _ENDS.match(page.text(part)), _ENDS.match(page.text(part)[::-1])
    before, behind = (one[0] if one else "" for one in (first, last))
    return rf"(?i)(?<!\w){re.escape(before)}{words}{re.escape(behind[::-1])}(?!\w)"


def _expression(
    page: DecidedPage, part: Part, expression: str, selector: str | None = None, reach: int = 0
) -> Expression:
    number = part[0]
    return Expression(
        text=page.text(part),
        pages=0,
        expression=expression,
        is_whole=page.is_whole(part),
        before=list(page.blocks[max(number - reach, 0) : number]),
        after=list(page.blocks[number + 1 : number + 1 + reach]),
        selector=selector,
        urls=[],
    )
