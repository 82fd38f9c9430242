"""The segments of a page that the rules of a site's settings name."""

import functools

import msgspec
import numpy as np

from templ_core.array_types import Bools, Int64s
from templ_core.dom._tree import sums_above
from templ_core.dom.document import Document
from templ_core.errors import RuleError
from templ_core.site_settings.selectors import NodeMatcher, Selector, parse_selector
from templ_core.site_settings.site_settings import SiteRule, has_pieces

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
    rule = np.full(len(texts), NO_RULE)
    kept = np.zeros(len(texts), np.bool_)
    folded: list[str] = []
    matcher = NodeMatcher(document.nodes)
    for number, (one, compiled) in enumerate(zip(rules, _all_compiled(rules), strict=True)):
        if isinstance(compiled, Selector):
            named = _inside(document, matcher.matching(compiled))
        else:
            folded = folded or [_folded(text) for text in texts]
            named = np.array([has_pieces(text, compiled) for text in folded], np.bool_)
        rule[named], kept[named] = number, one.action == "keep"
    return RuledSegments(rule, kept)


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
