"""The segments of a page that the rules of a site's settings name, by text or by CSS selector.

cssselect parses a selector, and each of its parts is evaluated for all nodes at once. So every selector
takes time proportional to its length and the number of nodes, whatever it looks like. Names are looked up
in an index of the document, and values of attributes in one text of all of them, so that many selectors
need not look at every element each. A document keeps the attributes `id`, `class`, `role` and `itemprop` of
its visible elements; selectors that ask for more are refused.
"""

import functools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
import numpy as np
from cssselect import SelectorError, parse
from cssselect.parser import (
    Attrib,
    Class,
    CombinedSelector,
    Element,
    Hash,
    Matching,
    Negation,
    SpecificityAdjustment,
    Tree,
)

from templ_core.array_types import Bools, Int64s
from templ_core.dom._tree import sums_above
from templ_core.dom.document import Document, Nodes
from templ_core.errors import RuleError
from templ_core.site_settings.site_settings import SiteRule, has_pieces

_ATTRIBUTES = ("id", "class", "role", "itemprop")
"""Attributes of an element type, in the order in which `Nodes.element_types` holds them."""
SELECTOR_CHARS_MAX = 500
_PARTS_MAX = 50
_DEPTH_MAX = 20
"""Deepest nesting of a selector, so that evaluating it cannot exhaust the stack."""

_OPERATORS = {
    "=": ("\n{}\n",),
    "|=": ("\n{}\n", "\n{}-"),
    "^=": ("\n{}",),
    "$=": ("{}\n",),
    "*=": ("{}",),
}
"""What to look for in the values of an attribute, each between two line feeds; `~=` looks for words."""


class Selector(msgspec.Struct, frozen=True):
    """A group of selectors that was parsed and checked."""

    text: str
    trees: tuple[Any, ...]
    """The parsed selector between each two commas."""


def parse_selector(text: str) -> Selector:
    """Return a selector that can be matched against documents.

    Args:
        text: Selectors of elements, classes, ids and attributes with combinators, `:not`, `:is` and `:where`.

    Raises:
        RuleError: It is no selector, or asks for something that documents do not keep.

    >>> parse_selector("p::before")
    Traceback (most recent call last):
    templ_core.errors.RuleError: the selector 'p::before' has ::before, and documents have no pseudo-elements
    """
    if len(text) > SELECTOR_CHARS_MAX:
        raise RuleError(f"a selector has at most {SELECTOR_CHARS_MAX} characters")
    try:
        groups = parse(text)
    except (
        SelectorError,
        RuntimeError,
    ) as error:  # RuntimeError: no end of `:is(`, or deep nesting
        raise RuleError(f"{text!r} is no CSS selector: {error}") from None
    parts = 0
    for group in groups:
        if group.pseudo_element:
            raise RuleError(
                f"the selector {text!r} has ::{group.pseudo_element}, and documents have no pseudo-elements"
            )
        parts += _checked_parts(group.parsed_tree, text, 0)
    if parts > _PARTS_MAX:
        raise RuleError(f"the selector {text!r} has more than {_PARTS_MAX} parts")
    return Selector(text, tuple(group.parsed_tree for group in groups))


def _checked_parts(tree: Tree, text: str, depth: int) -> int:
    """Return the number of parts of a selector after checking each."""
    if depth > _DEPTH_MAX:
        raise RuleError(f"the selector {text!r} is nested too deeply")
    inner: list[Tree]
    match tree:
        case Element():
            inner = []
        case Class() | Hash():
            inner = [tree.selector]
        case Attrib():
            if tree.attrib.lower() not in _ATTRIBUTES:
                raise RuleError(
                    f"the selector {text!r} asks for the attribute {tree.attrib}, and documents keep only "
                    f"{', '.join(_ATTRIBUTES)}"
                )
            if tree.operator not in ("exists", "~=", *_OPERATORS):
                raise RuleError(f"the selector {text!r} has the unknown operator {tree.operator}")
            inner = [tree.selector]
        case Negation() | CombinedSelector():
            inner = [tree.selector, tree.subselector]
        case Matching() | SpecificityAdjustment():
            inner = [tree.selector, *tree.selector_list]
        case _:
            raise RuleError(
                f"the selector {text!r} has a pseudo-class other than :not, :is and :where, which cannot "
                "be used here"
            )
    return 1 + sum(_checked_parts(argument, text, depth + 1) for argument in inner)


def _any(columns: Iterable[Bools]) -> Bools:
    result: Bools = np.logical_or.reduce(list(columns))
    return result


class NodeMatcher:
    """The nodes of one document, as selectors see them; serves any number of selectors.

    >>> from templ_core.dom.document import parse_document
    >>> nodes = parse_document("<div class='ad top'><p>Buy</div><p>News", "").nodes
    >>> found = NodeMatcher(nodes).matching(parse_selector(".ad > p"))
    >>> [nodes.tags[node] for node in found.nonzero()[0]]
    ['p']
    """

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self._types_of_tag: defaultdict[str, list[int]] = defaultdict(list)
        for number, (tag, _) in enumerate(nodes.element_types):
            self._types_of_tag[tag].append(number)
        values = nodes.attribute_values
        self._values = {
            name: _AttributeValues([value[number] for value in values])
            for number, name in enumerate(_ATTRIBUTES)
        }

    def matching(self, selector: Selector) -> Bools:
        """Return which elements a selector matches; length n_nodes."""
        return _any(self._matches(tree) for tree in selector.trees)

    def _matches(self, tree: Tree) -> Bools:
        """Return which nodes a checked selector matches; length n_nodes."""
        match tree:
            case Element(element=element):
                if element is None:
                    return np.ones(len(self._nodes.parent), np.bool_)
                return self._of_types(self._types_of_tag.get(element.lower(), []))
            case Class(class_name=name):
                own = self._of_types(self._values["class"].with_word(name))
            case Hash(id=name):
                own = self._of_types(self._values["id"].like("=", name))
            case Attrib():
                value = str(tree.value.value if tree.value else "")
                values = self._values[tree.attrib.lower()]
                own = self._of_types(values.like(tree.operator, value))
            case Negation(subselector=other):
                own = ~self._matches(other)
            case Matching(selector_list=others) | SpecificityAdjustment(selector_list=others):
                own = _any(self._matches(selector) for selector in others)
            case CombinedSelector():
                left = self._matches(tree.selector)
                return self._matches(tree.subselector) & self._related(tree.combinator, left)
            case _:
                raise RuleError(f"{tree!r} was not checked")
        return own & self._matches(tree.selector)

    def _of_types(self, numbers: Iterable[int]) -> Bools:
        """Return which nodes have one of some element types."""
        wanted = np.zeros(len(self._nodes.element_types), np.bool_)
        wanted[list(numbers)] = True
        result: Bools = wanted[self._nodes.element_type]
        return result

    def _related(self, combinator: str, left: Bools) -> Bools:
        """Return the nodes that stand to a matched node as a combinator says."""
        parent = self._nodes.parent
        if combinator == ">":
            result: Bools = (parent >= 0) & left[parent]
            return result
        if combinator == " ":
            above: Bools = sums_above(self._nodes.end, left.astype(np.float64)) - left > 0
            return above
        order, rank = self._siblings()
        matched = left[order]
        if combinator == "+":
            before = np.concatenate([[False], matched[:-1]]) & (rank > 0)
        else:
            so_far = np.concatenate([[0], np.cumsum(matched)])
            starts = np.arange(len(order)) - rank
            before = so_far[:-1] > so_far[starts]
        result = np.zeros(len(parent), np.bool_)
        result[order] = before
        return result

    def _siblings(self) -> tuple[Int64s, Int64s]:
        """Return the nodes with siblings beside each other, and the place of each among its siblings."""
        order = np.argsort(self._nodes.parent, kind="stable")
        sorted_parents = self._nodes.parent[order]
        starts = np.searchsorted(sorted_parents, sorted_parents)
        return order, np.arange(len(order)) - starts


class _AttributeValues:
    """The values of one attribute by the numbers of their element types."""

    def __init__(self, values: Sequence[str]) -> None:
        self._values = values
        self._text = "\n".join(["", *values, ""])
        self._ends = np.cumsum([len(value) + 1 for value in values])

    @functools.cached_property
    def _words(self) -> dict[str, list[int]]:
        words: defaultdict[str, list[int]] = defaultdict(list)
        for number, value in enumerate(self._values):
            for word in value.split():
                words[word].append(number)
        return words

    def with_word(self, word: str) -> list[int]:
        """Return the numbers of the values that have a word."""
        return self._words.get(word, [])

    def like(self, operator: str, wanted: str) -> list[int]:
        """Return the numbers of the values that are to a text as an operator of CSS says."""
        if operator == "~=":
            return self.with_word(wanted)
        if operator == "exists":  # an empty attribute is not kept
            return [number for number, value in enumerate(self._values) if value]
        if not wanted or "\n" in wanted:
            return []
        return [
            number for form in _OPERATORS[operator] for number in self._with(form.format(wanted))
        ]

    def _with(self, piece: str) -> Iterator[int]:
        """Yield the numbers of the values in which a piece of the text is."""
        at = self._text.find(piece)
        while at >= 0:
            inside = at + (piece[0] == "\n")
            number = int(np.searchsorted(self._ends, inside - 1, "right"))
            yield number
            at = self._text.find(piece, int(self._ends[number]))


RULE_TEXT_CHARS_MAX = 500
NO_RULE = -1
"""Number of the rule of a segment that no rule names."""


class RuledSegments(msgspec.Struct, frozen=True):
    """The segments that rules name; columns of length n_segments."""

    rule: Int64s
    """Number of the rule that decides each segment; NO_RULE where none does."""
    kept: Bools
    """Whether that rule keeps the segment."""

    @property
    def named(self) -> Bools:
        """Whether a rule decides each segment."""
        result: Bools = self.rule != NO_RULE
        return result


def check_rule(rule: SiteRule) -> None:
    """Check that a rule can be used.

    Raises:
        RuleError: It cannot; the message says why.

    >>> check_rule(SiteRule("remove", text="**"))
    Traceback (most recent call last):
    templ_core.errors.RuleError: the text '**' matches every text; name some of its characters
    """
    _compiled(rule)


def ruled_segments(document: Document, rules: tuple[SiteRule, ...]) -> RuledSegments:
    """Return the segments of a page that rules name.

    Raises:
        RuleError: A rule cannot be used.

    >>> from templ_core.dom.document import parse_document
    >>> page = parse_document("<aside><p>Buy it<p>Correction: the bridge is open</aside>", "")
    >>> rules = SiteRule("remove", selector="aside"), SiteRule("keep", text="correction:*")
    >>> ruled_segments(page, rules).kept.tolist()
    [False, True]
    """
    texts = document.segments.texts
    rule_number = np.full(len(texts), NO_RULE)
    kept = np.zeros(len(texts), np.bool_)
    folded: list[str] = []
    matcher = NodeMatcher(document.nodes)
    for number, (rule, compiled) in enumerate(zip(rules, _all_compiled(rules), strict=True)):
        if isinstance(compiled, Selector):
            named = _inside(document, matcher.matching(compiled))
        else:
            folded = folded or [_folded(text) for text in texts]
            named = np.array([has_pieces(text, compiled) for text in folded], np.bool_)
        rule_number[named], kept[named] = number, rule.action == "keep"
    return RuledSegments(rule_number, kept)


def _inside(document: Document, elements: Bools) -> Bools:
    """Return the segments whose block element is one of these elements or inside one."""
    around = sums_above(document.nodes.end, elements.astype(np.float64)) > 0
    result: Bools = around[document.segments.owner]
    return result


@functools.lru_cache(maxsize=1024)
def _all_compiled(rules: tuple[SiteRule, ...]) -> tuple[Selector | tuple[str, ...], ...]:
    return tuple(_compiled(rule) for rule in rules)


def _compiled(rule: SiteRule) -> Selector | tuple[str, ...]:
    """Return a selector, or the pieces of a text between its asterisks."""
    if (rule.selector is None) == (rule.text is None):
        raise RuleError("a rule has either a selector or a text")
    if rule.selector is not None:
        return parse_selector(rule.selector)
    text = rule.text or ""
    if len(text) > RULE_TEXT_CHARS_MAX:
        raise RuleError(f"the text of a rule has at most {RULE_TEXT_CHARS_MAX} characters")
    pieces = tuple(_folded(text).split("*"))
    if not any(piece.strip() for piece in pieces):
        raise RuleError(f"the text {text!r} matches every text; name some of its characters")
    return pieces


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
