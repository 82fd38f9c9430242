"""Program code without the numbers of its lines, and the numbers of list items."""

import re
from collections.abc import Sequence

from templ_core.patterns import pattern
from templ_core.rendering.outline import Outline

_LANGUAGE = pattern(r"(?:^|\s)(?:lang(?:uage)?-|highlight-source-|brush:\s*)([\w+#.-]{1,20})")
_NUMBERS = pattern(r"\s*\d+(?:\s+\d+)*\s*")
_NUMBERED = pattern(r"(?:^|[\s_-])(?:line-?no|line-?num|gutter|ln(?:t|um)?(?=$|\s))")
_NUMBER = pattern(r"^[ \t]*\d+", re.MULTILINE)
_FIRST_COLUMN = pattern(r"^\S", re.MULTILINE)
_FIRST_BLANK = pattern(r"^[ \t]", re.MULTILINE)
_LEVELS = 3
"""Elements around a `pre` in which its class is looked for."""


def code_language(outline: Outline, pre: int) -> str:
    """Return the language that a `pre`, the first element in it, or the one around it is named after; empty = none.

    Args:
        outline: The kept parts of the page.
        pre: Number of the `pre`.
    """
    nodes = outline.document.nodes
    near = [pre, pre + 1 if pre + 1 < nodes.end[pre] else pre, int(nodes.parent[pre])]
    for node in near:
        language = _LANGUAGE.search(_attributes(outline, node).lower())
        if language:
            return language[1]
    return ""


def without_line_numbers(outline: Outline, pre: int, texts: Sequence[str]) -> str:
    """Return the texts of a `pre` without the numbers of its lines; empty where it has nothing else.

    They are numbers in an element whose class says so, or numbers that count on in a cell beside another one.

    Args:
        outline: The kept parts of the page.
        pre: Number of the `pre`.
        texts: The texts in it.
    """
    text = "\n".join(texts)
    if not _NUMBER.match(text):
        return text
    if _NUMBERS.fullmatch(text):
        around, counts = pre, _counts_on(text)
        for _ in range(_LEVELS):
            above = int(outline.document.nodes.parent[around])
            is_beside = counts and outline.tag(around) == "td" and len(outline.cells(above)) > 1
            if is_beside or _is_numbered(outline, around):
                return ""
            around = above
        return text
    inside = range(pre + 1, int(outline.document.nodes.end[pre]))
    lines = [line for line in text.split("\n") if line.strip()]
    if all(map(_NUMBER.match, lines)) and any(_is_numbered(outline, one) for one in inside):
        text = _NUMBER.sub("", text)
        return text if _FIRST_COLUMN.search(text) else _FIRST_BLANK.sub("", text)
    return text


def _counts_on(text: str) -> bool:
    numbers = [int(number) for number in text.split()]
    return numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def _is_numbered(outline: Outline, node: int) -> bool:
    return _NUMBERED.search(_attributes(outline, node).lower()) is not None


def _attributes(outline: Outline, node: int) -> str:
    nodes = outline.document.nodes
    return nodes.element_types[nodes.element_type[node]][1] if node >= 0 else ""


def item_numbers(outline: Outline, of_list: int) -> dict[int, int]:
    """Return the number that a browser shows before each item of an ordered list, by the items' elements.

    Args:
        outline: The kept parts of the page.
        of_list: Number of the `ol`.
    """
    nodes = outline.document.nodes
    items = []
    node, end = of_list + 1, int(nodes.end[of_list])
    while node < end:
        tag = outline.tag(node)
        if tag == "li":
            items.append(node)
        node = int(nodes.end[node]) if tag in {"li", "ol", "ul"} else node + 1
    start, _, order = outline.numbers(of_list).partition(" ")
    step = -1 if order else 1
    number = int(start) if start else len(items) if order else 1
    numbers = {}
    for item in items:
        value, _, _ = outline.numbers(item).partition(" ")
        number = int(value) if value else number
        numbers[item] = number
        number += step
    return numbers
