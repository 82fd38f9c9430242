"""CSS selectors over the nodes of a document.

cssselect parses a selector, and each of its parts is evaluated for all nodes at once. So every selector
takes time proportional to its length and the number of nodes, whatever it looks like. A document keeps
the attributes `id`, `class`, `role` and `itemprop` of its visible elements; selectors that ask for more
are refused.
"""

from collections.abc import Callable, Iterable
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
from templ_core.dom.document import Nodes
from templ_core.dom.tree import sums_above
from templ_core.errors import RuleError

_ATTRIBUTES = ("id", "class", "role", "itemprop")
"""Attributes of an element type, in the order in which `Nodes.element_types` holds them."""
SELECTOR_CHARS_MAX = 500
_PARTS_MAX = 50
_DEPTH_MAX = 20
"""Deepest nesting of a selector, so that evaluating it cannot exhaust the stack."""

_OPERATORS: dict[str, Callable[[str, str], bool]] = {
    "=": str.__eq__,
    "~=": lambda have, want: bool(want) and want in have.split(),
    "|=": lambda have, want: have == want or have.startswith(f"{want}-"),
    "^=": lambda have, want: bool(want) and have.startswith(want),
    "$=": lambda have, want: bool(want) and have.endswith(want),
    "*=": lambda have, want: bool(want) and want in have,
}


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
    except (SelectorError, RecursionError) as error:
        raise RuleError(f"{text!r} is no CSS selector: {error}") from None
    parts = 0
    for one in groups:
        if one.pseudo_element:
            raise RuleError(
                f"the selector {text!r} has ::{one.pseudo_element}, and documents have no pseudo-elements"
            )
        parts += _checked_parts(one.parsed_tree, text, 0)
    if parts > _PARTS_MAX:
        raise RuleError(f"the selector {text!r} has more than {_PARTS_MAX} parts")
    return Selector(text, tuple(one.parsed_tree for one in groups))


def _checked_parts(tree: Tree, text: str, depth: int) -> int:
    """Return the number of parts of a selector, each of which is known and asks for what there is."""
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
            if tree.operator not in ("exists", *_OPERATORS):
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
    return 1 + sum(_checked_parts(one, text, depth + 1) for one in inner)


def matching_nodes(selector: Selector, nodes: Nodes) -> Bools:
    """Return which elements a selector matches; length n_nodes.

    >>> from templ_core.dom.document import parse_document
    >>> page = parse_document("<div class='ad top'><p>Buy</div><p>News", "")
    >>> found = matching_nodes(parse_selector(".ad > p"), page.nodes)
    >>> [page.nodes.tags[node] for node in found.nonzero()[0]]
    ['p']
    """
    return NodeMatcher(nodes).matching(selector)


def _any(columns: Iterable[Bools]) -> Bools:
    result: Bools = np.logical_or.reduce(list(columns))
    return result


class NodeMatcher:
    """The nodes of one document, as selectors see them; it remembers what names match."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self._named: dict[tuple[str, str], Bools] = {}
        self._types = [
            (tag, dict(zip(_ATTRIBUTES, text.split("\n"), strict=False)))
            for tag, text in nodes.element_types
        ]

    def matching(self, selector: Selector) -> Bools:
        """Return which elements a selector matches; length n_nodes."""
        return _any(self._matches(tree) for tree in selector.trees)

    def _matches(self, tree: Tree) -> Bools:
        """Return which nodes a checked selector matches; length n_nodes."""
        match tree:
            case Element(element=element):
                if element is None:
                    return np.ones(len(self._nodes.parent), np.bool_)
                wanted = element.lower()
                return self._of_name("tag", wanted, lambda tag, _: tag == wanted)
            case Class(class_name=name):
                own = self._of_name(
                    "class", name, lambda _, held: name in held.get("class", "").split()
                )
            case Hash(id=name):
                own = self._of_name("id", name, lambda _, held: held.get("id") == name)
            case Attrib():
                own = self._attribute(tree)
            case Negation(subselector=other):
                own = ~self._matches(other)
            case Matching(selector_list=others) | SpecificityAdjustment(selector_list=others):
                own = _any(self._matches(one) for one in others)
            case CombinedSelector():
                left = self._matches(tree.selector)
                return self._matches(tree.subselector) & self._related(tree.combinator, left)
            case _:
                raise RuleError(f"{tree!r} was not checked")
        return own & self._matches(tree.selector)

    def _of_name(
        self, kind: str, name: str, is_wanted: Callable[[str, dict[str, str]], bool]
    ) -> Bools:
        """Return which nodes have a tag, a class or an id."""
        if (kind, name) not in self._named:
            self._named[kind, name] = self._of_types(is_wanted)
        return self._named[kind, name]

    def _of_types(self, is_wanted: Callable[[str, dict[str, str]], bool]) -> Bools:
        """Return which nodes have an element type that a test accepts."""
        wanted = np.array([is_wanted(*one) for one in self._types], np.bool_)
        result: Bools = wanted[self._nodes.element_type]
        return result

    def _attribute(self, tree: Attrib) -> Bools:
        name = tree.attrib.lower()
        if tree.operator == "exists":  # an empty attribute is not kept
            return self._of_types(lambda _, held: bool(held.get(name)))
        compare, value = _OPERATORS[tree.operator], str(tree.value.value if tree.value else "")
        return self._of_types(lambda _, held: bool(held.get(name)) and compare(held[name], value))

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
