"""Remove what strings of a site decide from the text of its pages, with the expressions of `templ site export`.

    python remove_repeated.py expressions.json --url URL < page.txt

Each line of the text is one block of the page: a paragraph, a list item, a heading. Only Python's
standard library, of version 3.11 or later, is needed. `templ site export` writes this file beside the
expressions. Expressions of trees need the page's elements, so a program that has only its text cannot
apply them; `removed_parts` takes them as well.
"""

import argparse
import functools
import json
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypedDict

Part = tuple[int, int, int]
"""Number of a block of a page, a part's first character in it, and the one behind the part."""


class Expression(TypedDict):
    """An expression that removes some text of a site."""

    text: str
    """What it removes from the first page."""
    pages: int
    """Pages of the window from which it removes something."""
    expression: str
    """An expression for Python's `re`; each white space of a block is one space."""
    is_whole: bool
    """Whether it matches whole blocks; else each of its matches in a block goes."""
    before: list[str]
    """The texts of the blocks before it; empty = any."""
    after: list[str]
    """The texts of the blocks behind it; empty = any."""
    selector: str | None
    """CSS selector of the elements that hold the blocks directly; None = any."""
    urls: list[str]
    """The only pages from which it removes something; empty = all."""


compiled = functools.cache(re.compile)


def block_text(text: str) -> str:
    """Return the text of a block as expressions see it: a space for each character of white space."""
    return re.sub(r"\s", " ", text)


def matches(expression: Expression, block: str) -> Iterator[tuple[int, int]]:
    """Yield what an expression matches in a block, whatever stands beside it."""
    pattern = compiled(expression["expression"])
    if expression["is_whole"]:
        if pattern.fullmatch(block):
            yield 0, len(block)
        return
    for match in pattern.finditer(block):
        yield match.span()


def is_beside(expression: Expression, blocks: Sequence[str], number: int) -> bool:
    """Return whether the neighbours of a block are those that an expression asks for."""
    before, after = expression["before"], expression["after"]
    first, behind = number - len(before), number + 1 + len(after)
    return (
        first >= 0
        and list(blocks[first:number]) == before
        and list(blocks[number + 1 : behind]) == after
    )


def removed_parts(
    blocks: Sequence[str],
    url: str,
    expressions: Iterable[Expression],
    selected: Mapping[str, Collection[int]] | None = None,
) -> set[Part]:
    """Return what expressions remove from a page.

    Args:
        blocks: Text of each block of the page, in order, as `block_text` returns it.
        url: Address of the page.
        expressions: `strings` or `trees` of `expressions.json`.
        selected: For each selector, the numbers of the blocks that its elements hold directly; None =
            expressions with selectors remove nothing.
    """
    removed: set[Part] = set()
    for expression in expressions:
        if expression["urls"] and url not in expression["urls"]:
            continue
        selector = expression["selector"]
        numbers = range(len(blocks)) if selector is None else (selected or {}).get(selector, ())
        for number in numbers:
            for span in matches(expression, blocks[number]):
                if is_beside(expression, blocks, number):
                    removed.add((number, *span))
    return removed


def remaining_blocks(blocks: Sequence[str], parts: Iterable[Part]) -> list[str]:
    """Return what is left of the blocks of a page; blocks with nothing left are dropped."""
    goes = {(number, at) for number, first, behind in parts for at in range(first, behind)}
    left = [
        "".join(one for at, one in enumerate(block) if (number, at) not in goes)
        for number, block in enumerate(blocks)
    ]
    return [
        after.strip() for before, after in zip(blocks, left, strict=True) if after or not before
    ]


def main() -> None:
    """Read a text from standard input, and write what remains to standard output."""
    parser = argparse.ArgumentParser(description=__doc__)
    readable = argparse.FileType(encoding="utf-8")
    parser.add_argument("expressions", type=readable, help="the file expressions.json")
    parser.add_argument("--url", default="", help="the address of the page")
    options = parser.parse_args()
    with options.expressions as file:
        export = json.load(file)
    blocks = [block_text(line) for line in sys.stdin.read().split("\n")]
    parts = removed_parts(blocks, options.url, export["strings"])
    sys.stdout.write("\n".join(remaining_blocks(blocks, parts)))


if __name__ == "__main__":
    main()
