"""Remove what a site repeats from the text of its pages, with the expressions of `templ site export`.

    python remove_repeated.py expressions.json < page.txt

Each line of the text is one block of the page: a paragraph, a list item, a heading. Only Python's
standard library, of version 3.11 or later, is needed. `templ site export` writes this file beside the
expressions. templ weighs more than these expressions, so what it removes differs in some places.
"""

import argparse
import itertools
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"[^.!?…。！？]*(?:[.!?…。！？]+\s*|$)")


def remaining_text(block: str, export: Any) -> str:
    """Return a block without the sentences that strings cover nearly whole.

    Args:
        block: The text of a block.
        export: The content of `expressions.json`.
    """
    rule = export["string_rule"]
    spans = [one.span() for one in _WORD.finditer(block)]
    if len(spans) < rule["prose_words_min"]:
        return block
    covered = _covered(block, spans, export)
    kept = []
    for sentence in _SENTENCE.finditer(block):
        words = [
            is_covered
            for (first, behind), is_covered in zip(spans, covered, strict=True)
            if sentence.start() <= first and behind <= sentence.end()
        ]
        is_long = len(words) >= rule["prose_words_min"]
        if not is_long or sum(words) < rule["sentence_ratio"] * len(words):
            kept.append(sentence[0])
    return "".join(kept).strip()


def _covered(block: str, spans: Sequence[tuple[int, int]], export: Any) -> list[bool]:
    """Return which words of a block strings cover, short gaps between them included."""
    covered = [False] * len(spans)
    for one in export["strings"]:
        for match in re.finditer(one["expression"], block, re.IGNORECASE):
            for number, (first, behind) in enumerate(spans):
                covered[number] |= match.start() <= first and behind <= match.end()
    inside = [number for number, is_covered in enumerate(covered) if is_covered]
    for one, other in itertools.pairwise(inside):
        if other - one - 1 <= export["string_rule"]["gap_words_max"]:
            covered[one:other] = [True] * (other - one)
    return covered


def ruled_blocks(blocks: Sequence[str], export: Any) -> dict[int, bool]:
    """Return the numbers of the blocks that rules of the site's settings name, and whether each stays.

    Args:
        blocks: Text of each block of the page, in order.
        export: The content of `expressions.json`.
    """
    found = {}
    for rule in export["site_settings"]["rules"]:
        if rule["expression"] is not None:
            expression = re.compile(rule["expression"], re.IGNORECASE)
            for number, block in enumerate(blocks):
                if expression.fullmatch(" ".join(block.split())):
                    found[number] = rule["action"] == "keep"
    return found


def remaining_blocks(blocks: Sequence[str], export: Any) -> list[str]:
    """Return what is left of the blocks of a page, without those of which nothing is left.

    Args:
        blocks: Text of each block of the page, in order.
        export: The content of `expressions.json`.
    """
    usual = {line.strip() for one in export["usual"] for line in one["text"].split("\n")}
    ruled = ruled_blocks(blocks, export)
    left = []
    for number, block in enumerate(blocks):
        text = "" if block.strip() in usual else remaining_text(block, export)
        if number in ruled:
            text = block if ruled[number] else ""
        if text or not block:
            left.append(text)
    return left


def main() -> None:
    """Read a text from standard input, and write what remains to standard output."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("expressions", type=Path, help="the file expressions.json")
    options = parser.parse_args()
    export = json.loads(options.expressions.read_text("utf-8"))
    sys.stdout.write("\n".join(remaining_blocks(sys.stdin.read().split("\n"), export)))


if __name__ == "__main__":
    main()
