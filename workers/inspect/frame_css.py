"""The style sheets of a crawled page, written anew from what is known to be harmless.

Only rules for layout and type stay. Nothing that stays can fetch, and nothing hides text: a page is
looked at for what was decided about all of its text.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import tinycss2


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


PROPERTIES = word_set(
    """
    align-content align-items align-self background-color border border-block border-bottom
    border-bottom-color border-bottom-style border-bottom-width border-collapse border-color border-inline
    border-left border-left-color border-left-style border-left-width border-radius border-right
    border-right-color border-right-style border-right-width border-spacing border-style border-top
    border-top-color border-top-style border-top-width border-width box-sizing clear color column-count
    column-gap column-width columns direction display flex flex-basis flex-direction flex-flow flex-grow
    flex-shrink flex-wrap float font font-family font-size font-style font-variant font-weight gap
    grid-area grid-auto-flow grid-column grid-column-end grid-column-start grid-row grid-row-end
    grid-row-start grid-template grid-template-areas grid-template-columns grid-template-rows
    justify-content justify-items justify-self letter-spacing line-height list-style-type margin
    margin-block margin-bottom margin-inline margin-left margin-right margin-top max-width min-height
    min-width order overflow-wrap padding padding-block padding-bottom padding-inline padding-left
    padding-right padding-top row-gap table-layout text-align text-decoration text-transform
    vertical-align white-space width word-break word-spacing
    """
)
"""The properties that stay."""
FUNCTIONS = word_set("calc clamp fit-content hsl hsla max min minmax repeat rgb rgba var")
"""The functions that values may use; none of them fetches anything."""
_PSEUDO_FUNCTIONS = frozenset(["is", "not", "nth-child", "nth-last-child", "nth-of-type", "where"])
_VALUE_TOKENS = frozenset(
    ["ident", "number", "dimension", "percentage", "hash", "whitespace", "string", "comment"]
)
_SELECTOR_TOKENS = frozenset(
    ["ident", "hash", "whitespace", "string", "comment", "number", "dimension"]
)
_SELECTOR_MARKS = frozenset(".>+~*:,=|^$")
_MEDIA_MARKS = frozenset(":,<>=")
_MOVING = ("letter-spacing", "margin", "word-spacing")
_NEGATIVE = re.compile(r"(?<![\w-])-[\d.]")
_CSS_CHARS_MAX = 1 << 20
_OWN_ROOTS = {"html": ".templ-html", "body": ".templ-body", ":root": ".templ-html"}


def harmless_sheet(sheets: Iterable[str]) -> str:
    """Return the harmless rules of style sheets as one sheet.

    >>> harmless_sheet(
    ...     ["p { color: red; background: url(//a.example/x) } @import '//b.example/y';"]
    ... )
    'p{color:red}'

    Args:
        sheets: Style sheets as crawled.
    """
    out: list[str] = []
    room = _CSS_CHARS_MAX
    for sheet in sheets:
        room -= len(sheet)
        if room < 0:
            break
        rules = tinycss2.parse_stylesheet(sheet, skip_comments=True, skip_whitespace=True)
        with suppress(RecursionError):  # blocks inside blocks, deeper than any page needs
            out += _rules(rules)
    return _unmarked("".join(out))


def harmless_style(style: str) -> str:
    """Return the harmless declarations of a style attribute.

    >>> harmless_style("float: left; position: fixed; width: expression(alert(1))")
    'float:left'
    """
    with suppress(RecursionError):
        return _unmarked(_declarations(tinycss2.parse_blocks_contents(style, skip_comments=True)))
    return ""


def _unmarked(css: str) -> str:
    """Return CSS in which no markup can begin: a style element would end at its end tag."""
    return css.replace("<", "\\3c ").replace("\0", "")


def _rules(rules: Sequence[Any]) -> Iterator[str]:
    for rule in rules:
        if rule.type == "qualified-rule":
            selector = _selector(rule.prelude)
            body = _declarations(tinycss2.parse_blocks_contents(rule.content, skip_comments=True))
            if selector and body:
                yield f"{selector}{{{body}}}"
        elif rule.type == "at-rule" and rule.lower_at_keyword == "media" and rule.content:
            condition = _tokens(rule.prelude, frozenset(), _SELECTOR_TOKENS, _MEDIA_MARKS)
            inside = tinycss2.parse_rule_list(
                rule.content, skip_comments=True, skip_whitespace=True
            )
            body = "".join(_rules([one for one in inside if one.type == "qualified-rule"]))
            if condition and "print" not in condition and body:
                yield f"@media {condition}{{{body}}}"


def _declarations(content: Sequence[Any]) -> str:
    found = []
    for one in content:
        if one.type != "declaration":
            continue
        name = one.lower_name
        if name == "background" and len(_solid(one.value)) == 1:
            name = "background-color"
        is_variable = name.startswith("--")
        if name not in PROPERTIES and not is_variable:
            continue
        value = _tokens(one.value, FUNCTIONS, _VALUE_TOKENS, frozenset(",/"))
        if value and not _hides(name, value):
            label = one.name if is_variable else name
            found.append(f"{label}:{value}{' !important' if one.important else ''}")
    return ";".join(found)


def _hides(name: str, value: str) -> bool:
    """Return whether a declaration may take text out of sight."""
    if name == "display" or name.startswith("--"):
        return value.lower() in {"none", "contents"}
    return "-" in value and name.startswith(_MOVING) and _NEGATIVE.search(value) is not None


def _solid(tokens: Sequence[Any]) -> list[Any]:
    return [one for one in tokens if one.type not in {"whitespace", "comment"}]


def _selector(tokens: Sequence[Any]) -> str:
    """Return a selector in which the page's root elements are those of the frame."""
    text = _tokens(tokens, _PSEUDO_FUNCTIONS, _SELECTOR_TOKENS, _SELECTOR_MARKS)
    if not text or "templ-" in text:
        return ""
    parts, before = [], ""
    for one in _solid_or_space(tokens):
        part = one.serialize()
        is_type = one.type == "ident" and before not in {".", ":", "#"}
        parts.append(_OWN_ROOTS.get(part.lower(), part) if is_type else part)
        before = part
    return "".join(parts).strip().replace(":root", _OWN_ROOTS[":root"])


def _solid_or_space(tokens: Sequence[Any]) -> list[Any]:
    return [one for one in tokens if one.type != "comment"]


def _tokens(
    tokens: Sequence[Any], functions: frozenset[str], types: frozenset[str], marks: frozenset[str]
) -> str:
    """Return the text of tokens that are all allowed; nothing if one of them is not."""
    for one in tokens:
        if one.type == "literal":
            is_allowed = one.value in marks or one.value in {"<=", ">="}
        elif one.type == "function":
            is_allowed = one.lower_name in functions and bool(
                _tokens(one.arguments, functions, types, marks | frozenset("+-*/,"))
                or not one.arguments
            )
        elif one.type in {"() block", "[] block"}:
            inside = _tokens(one.content, functions, types, marks | frozenset("+-*/,^$~|="))
            is_allowed = bool(inside)
        else:
            is_allowed = one.type in types
        if not is_allowed:
            return ""
    return str(tinycss2.serialize(_solid_or_space(tokens))).strip()
