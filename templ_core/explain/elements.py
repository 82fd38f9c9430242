"""How the elements around a segment can be named, and the rules that name it."""

import re
from collections.abc import Sequence
from typing import Literal

from templ_core.dom.document import Document, attribute_values
from templ_core.patterns import pattern
from templ_core.site_settings.rules import RULE_TEXT_CHARS_MAX, ruled_segments
from templ_core.site_settings.site_settings import SiteRule

_LEVELS = 4
"""Elements around a segment that are named."""
_CLASSES = 2
"""Classes of an element that are named."""
_IDENTIFIER = pattern(r"-?[A-Za-z_][\w-]*", re.ASCII)
"""Names that need no escapes in a selector."""


def named_rules(document: Document, rules: tuple[SiteRule, ...]) -> list[str]:
    """Return for each segment the rule that decides it as text; empty where none does."""
    if not rules:
        return [""] * len(document.segments.texts)
    numbers = ruled_segments(document, rules).rule.tolist()
    return [str(rules[number]) if number >= 0 else "" for number in numbers]


def segment_elements(document: Document) -> list[tuple[str, ...]]:
    """Return for each segment simple selectors of the elements around it, outermost first.

    >>> from templ_core.dom.document import parse_document
    >>> page = parse_document("<body><aside id=x class='ad top'><p>Buy it</p></aside>", "")
    >>> segment_elements(page)
    [('html', 'body', 'aside#x.ad.top', 'p')]
    """
    nodes = document.nodes
    names = [_name(tag, attributes) for tag, attributes in nodes.element_types]
    types, parents = nodes.element_type.tolist(), nodes.parent.tolist()
    selectors = []
    for node in document.segments.owner.tolist():
        around: list[str] = []
        while node >= 0 and len(around) < _LEVELS:
            around.append(names[types[node]])
            node = parents[node]  # noqa: PLW2901 - goes up from the segment
        selectors.append(tuple(reversed(around)))
    return selectors


def proposed_rule(
    action: Literal["keep", "remove"], elements: Sequence[str], text: str
) -> SiteRule:
    """Return a rule for segments like one: by the nearest elements with a name, or else by its text.

    Args:
        action: What the rule does.
        elements: Simple selectors of the elements around the segment, outermost first.
        text: Text of the segment.

    >>> str(proposed_rule("keep", ("html", "body", "aside#x.ad", "p"), "Buy it"))
    'keep selector aside#x.ad > p'
    >>> str(proposed_rule("remove", ("html", "body", "p"), "Buy it"))
    'remove text Buy it'
    """
    named = [number for number, one in enumerate(elements) if "." in one or "#" in one]
    if not named and len(text) <= RULE_TEXT_CHARS_MAX:
        return SiteRule(action, text=text)
    return SiteRule(action, selector=" > ".join(elements[named[-1] if named else 0 :]))


def _name(tag: str, attributes: str) -> str:
    identity, classes, *_ = attribute_values(attributes)
    own = f"#{identity}" if _IDENTIFIER.fullmatch(identity) else ""
    usable = [name for name in classes.split() if _IDENTIFIER.fullmatch(name)][:_CLASSES]
    return tag + own + "".join(f".{name}" for name in usable)
