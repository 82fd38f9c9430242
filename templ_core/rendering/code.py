"""What stands around program code: its language, and the numbers of its lines."""

import re
from collections.abc import Sequence

from templ_core.rendering.outline import Outline

_LANGUAGE = re.compile(r"(?:^|\s)(?:lang(?:uage)?-|highlight-source-|brush:\s*)([\w+#.-]{1,20})")
_NUMBERS = re.compile(r"\s*\d+(?:\s+\d+)*\s*")
_NUMBERED = re.compile(r"(?:^|[\s_-])(?:line-?no|line-?num|gutter|ln(?:t|um)?(?=$|\s))")
_NUMBER = re.compile(r"^[ \t]*\d+", re.MULTILINE)
_LEVELS = 3
"""Elements around a `pre` in which its class is looked for."""


def code_language(found: Outline, pre: int) -> str:
    """Return the language that a `pre`, the first element in it, or the one around it is named after; empty = none.

    Args:
        found: The kept parts of the page.
        pre: Number of the `pre`.
    """
    nodes = found.document.nodes
    near = [pre, pre + 1 if pre + 1 < nodes.end[pre] else pre, int(nodes.parent[pre])]
    for one in near:
        language = _LANGUAGE.search(_attributes(found, one).lower())
        if language:
            return language[1]
    return ""


def without_line_numbers(found: Outline, pre: int, texts: Sequence[str]) -> str:
    """Return the texts of a `pre` without the numbers of its lines; empty where it has nothing else.

    Only an element whose class names line numbers has some.

    Args:
        found: The kept parts of the page.
        pre: Number of the `pre`.
        texts: The texts in it.
    """
    text = "\n".join(texts)
    if not _NUMBER.match(text):
        return text
    if _NUMBERS.fullmatch(text):
        around, is_named = pre, False
        for _ in range(_LEVELS):
            is_named = is_named or _is_numbered(found, around)
            around = int(found.document.nodes.parent[around])
        return "" if is_named else text
    inside = range(pre + 1, int(found.document.nodes.end[pre]))
    lines = [line for line in text.split("\n") if line.strip()]
    if all(map(_NUMBER.match, lines)) and any(_is_numbered(found, one) for one in inside):
        return _NUMBER.sub("", text)
    return text


def _is_numbered(found: Outline, node: int) -> bool:
    return _NUMBERED.search(_attributes(found, node).lower()) is not None


def _attributes(found: Outline, node: int) -> str:
    nodes = found.document.nodes
    return nodes.element_types[nodes.element_type[node]][1] if node >= 0 else ""
