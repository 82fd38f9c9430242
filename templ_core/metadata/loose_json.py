"""JSON-LD as pages have it: JSON that is not quite JSON is mended in time that grows with its length.

Tolerant parsers do more and were tried: json-repair takes 8 s for 25 kB of open braces, chompjs and json5 know no
quotes within strings.
"""

import json
import re
from collections.abc import Callable

import msgspec

from templ_core.dom._references import without_references
from templ_core.patterns import pattern

Value = object

_WRAPPING = pattern(
    r"\A(?:\s|\ufeff|//(?=\s*<!\[CDATA\[)|/\*\s*<!\[CDATA\[\s*\*/|<!\[CDATA\[|<!--)+"
)
"""What hides a script from old browsers, before the JSON."""
_ENDINGS = ("]]>", "]]&gt;", "-->", "//", ";")
"""What stands behind the JSON, comments aside."""
_ENDINGS_MAX = 10
_ESCAPED_OR_QUOTE = pattern(r'\\.|"', re.DOTALL)
_ENDS_STRING = pattern(r'\s*+(?:[:}\]]|\Z|,\s*+(?:["{}\[\]]|-?\d|true|false|null))')
"""What is behind a quote that ends a string: a colon, a bracket, or a comma before a value."""
_ESCAPE = pattern(
    r"\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(u[dD][89a-fA-F][\da-fA-F]{2})|.)",
    re.DOTALL,
)
"""An escape; the group has a surrogate without its partner, as a description that was cut within an emoji has."""
_BAD_ESCAPE = pattern(r'\\(?!["\\/bfnrtu])')
_COMMENT = pattern(r'("(?:[^"\\]|\\.)*+(?:"|\Z))|/\*.*?(?:\*/|\Z)|(?<!:)//[^\n]*', re.DOTALL)
_TRAILING_COMMA = pattern(r",\s*+(?=[}\]])")
_STRING_OR_BRACKET = pattern(r'"(?:[^"\\]|\\.)*+("?)|[{}\[\]]', re.DOTALL)
_CLOSING = {"{": "}", "[": "]"}
_DEPTH_MAX = 50
"""Brackets that are closed at the end of a script that was cut."""
_VALUES_MAX = 500
"""Values in a row that are read."""


def read_json(script: bytes) -> list[Value]:
    r"""Return the values in a script of JSON, one after the other; empty where there is none.

    Forgiven are comments, CDATA, trailing commas, control characters, references to characters around it, quotes
    within strings, a missing end, and half characters, which no text that leaves templ may have.

    >>> read_json(b'// <![CDATA[\n{"a": "b"},\n// ]]&gt;')
    [{'a': 'b'}]
    >>> read_json(b'{"a": "the "old" mill",}{"b": 1};')
    [{'a': 'the "old" mill'}, {'b': 1}]
    >>> read_json(rb'{"a": "cut \ud83d"}')
    [{'a': 'cut ?'}]
    >>> read_json(b'[{"a": "b"}, {"c": "d')
    [[{'a': 'b'}, {'c': 'd'}]]
    """
    text = _ESCAPE.sub(_whole_character, script.decode("utf-8", "replace"))
    try:
        return [msgspec.json.decode(text)]
    except (msgspec.DecodeError, RecursionError):
        pass
    text = _WRAPPING.sub("", text)
    repairs: tuple[Callable[[str], str], ...] = (
        _without_ending,
        lambda text: _TRAILING_COMMA.sub("", _without_ending(_COMMENT.sub(r"\1", text))),
        lambda text: _with_quotes_escaped(_BAD_ESCAPE.sub(r"\\\\", text)),
        without_references,
        _closed,
    )
    best: list[Value] = []
    for repair in repairs:
        text = repair(text)
        values, is_whole = _values(text)
        if is_whole:
            return values
        best = max(best, values, key=len)
    return best


def _whole_character(escape: re.Match[str]) -> str:
    """Return an escape, or what `encodable` has for half a character."""
    return "?" if escape[1] else escape[0]


def _without_ending(text: str) -> str:
    text = text.strip()
    for _ in range(_ENDINGS_MAX):
        ending = next((one for one in _ENDINGS if text.endswith(one)), None)
        if ending is None:
            break
        text = text.removesuffix(ending).rstrip()
    return text


def _with_quotes_escaped(text: str) -> str:
    """Return a text with a backslash before the quotes within strings, which are those that end nothing."""
    parts: list[str] = []
    start, is_inside = 0, False
    for match in _ESCAPED_OR_QUOTE.finditer(text):
        if match[0] != '"':
            continue
        if not is_inside or _ENDS_STRING.match(text, match.end()):
            is_inside = not is_inside
        else:
            parts += [text[start : match.start()], "\\"]
            start = match.start()
    return "".join([*parts, text[start:]])


def _closed(text: str) -> str:
    """Return a text that was cut with what closes its last string and its brackets; as it is where it is closed, or too deep."""
    open_brackets: list[str] = []
    is_cut = False
    for match in _STRING_OR_BRACKET.finditer(text):
        if match[0] in _CLOSING:
            open_brackets.append(match[0])
        elif match[0] in {"}", "]"}:
            if not open_brackets:
                return text
            open_brackets.pop()
        else:
            is_cut = not match[1]
    if not 0 < len(open_brackets) <= _DEPTH_MAX or ":" not in text:
        return text
    end = "".join(_CLOSING[one] for one in reversed(open_brackets))
    return f'{text}"{end}' if is_cut else f"{text.rstrip(' ,')}{end}"


def _values(text: str) -> tuple[list[Value], bool]:
    """Return the values in a row, and whether there is nothing else behind them."""
    decoder, at = json.JSONDecoder(strict=False), 0
    values: list[Value] = []
    try:
        while at < len(text) and len(values) < _VALUES_MAX:
            value, at = decoder.raw_decode(text, at)
            values.append(value)
            at = _after_separators(text, at)
    except (ValueError, RecursionError):
        return values, False
    return values, True


def _after_separators(text: str, at: int) -> int:
    while at < len(text) and (text[at].isspace() or text[at] in ",;"):
        at += 1
    return at
