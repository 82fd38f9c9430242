"""Remove what a site repeats from the text of its pages, with the expressions of `templ site export`.

    python remove_repeated.py expressions.json < page.txt

Each line of the text is one block of the page: a paragraph, a list item, a heading. Only Python's
standard library, of version 3.11 or later, is needed. `templ site export` writes this file beside the
expressions; use its functions for pages whose headings and line breaks are known.
"""

import argparse
import itertools
import json
import re
import sys
from bisect import bisect_right
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

Span = tuple[int, int]
"""Index of the first character, and the index behind the last one."""
Found = tuple[int, int, int, int]
"""Block of a sentence, its span in the block, and its number in the export."""


def phrase_spans(text: str, export: Any) -> list[Span]:
    """Return the spans of a text that phrases cover, in order and apart from each other.

    Args:
        text: Text of a page with a line for each block and for each part of it between line breaks; a
            block of code is one line.
        export: The content of `expressions.json`.
    """
    found = []
    for one in export["phrases"]:
        expression = re.compile(one["expression"])
        match = expression.search(text)
        while match:  # occurrences may overlap
            found.append(match.span())
            match = expression.search(text, match.start() + 1)
    return union(found)


def sentence_spans(
    blocks: Sequence[str],
    export: Any,
    *,
    other_blocks: Collection[int] = (),
    is_record_page: bool = False,
) -> list[list[Span]]:
    """Return the parts of each block that go because the site repeats their sentences.

    Args:
        blocks: Text of each block of the page, in order.
        export: The content of `expressions.json`.
        other_blocks: Numbers of the blocks that are headings, code or lines of links. Nothing in them goes.
        is_record_page: Whether the page is documentation or a thread.
    """
    rule = export["sentence_rule"]
    gone: list[Found] = []
    for run in runs_of(_sentences_of(blocks, export, other_blocks)):
        words = sum(count_words(blocks[block][begin:end], rule) for block, begin, end, _ in run)
        if not stays(run, words, export, is_record_page=is_record_page):
            gone += run
    return [
        _parts(block, [(one[1], one[2]) for one in gone if one[0] == number], rule)
        for number, block in enumerate(blocks)
    ]


def varied_blocks(
    blocks: Sequence[str],
    export: Any,
    *,
    other_blocks: Collection[int] = (),
    is_record_page: bool = False,
) -> list[int]:
    """Return the numbers of the blocks that go because the site repeats them with some words changed.

    Args:
        blocks: Text of each block of the page, in order.
        export: The content of `expressions.json`.
        other_blocks: Numbers of the blocks that are headings, code or lines of links. They stay.
        is_record_page: Whether the page is documentation or a thread.
    """
    rule, word = export["shingle_rule"], export["sentence_rule"]["word"]
    words = [[match.start() for match in re.finditer(word, block)] for block in blocks]
    wanted = [
        number
        for number, some in enumerate(words)
        if len(some) >= rule["words_min"] and number not in other_blocks and not is_record_page
    ]
    found = _shingles_of([blocks[number] for number in wanted], export)
    sentences = _sentences_of(blocks, export, other_blocks)
    gone, mean_pages = [], []
    for number, shingles in zip(wanted, found, strict=True):
        inside = [(begin, end) for block, begin, end, _ in sentences if block == number]
        firsts, on_pages = [], []
        for start, pages in sorted(shingles):
            if not any(begin <= start < end for begin, end in inside):
                firsts.append(bisect_right(words[number], start) - 1)
                on_pages.append(pages)
        covered = _covered_words(firsts, rule)
        if len(firsts) >= rule["shingles_min"] and covered >= rule["covered_ratio_min"] * len(
            words[number]
        ):
            gone.append(number)
            mean_pages.append(sum(on_pages) / len(on_pages))
    if not gone or gone[-1] - gone[0] < len(gone):
        return gone
    certain_pages = max(rule["certain_pages_min"], rule["certain_ratio"] * export["pages"])
    return [one for one, pages in zip(gone, mean_pages, strict=True) if pages >= certain_pages]


def ruled_blocks(blocks: Sequence[str], export: Any) -> dict[int, bool]:
    """Return the blocks that rules of the site's settings name by their text, and whether they stay.

    Args:
        blocks: Text of each block of the page, in order.
        export: The content of `expressions.json`.
    """
    found = {}
    for rule in export["site_settings"]["rules"]:
        if rule["expression"] is None:
            continue
        for number, block in enumerate(blocks):
            if re.fullmatch(rule["expression"], " ".join(block.split()), re.IGNORECASE):
                found[number] = rule["action"] == "keep"
    return found


def runs_of(found: Sequence[Found]) -> list[list[Found]]:
    """Return repeated sentences in runs: a run ends before a block that no repeated sentence precedes."""
    runs: list[list[Found]] = []
    for one in found:
        if not runs or one[0] - runs[-1][-1][0] > 1:
            runs.append([])
        runs[-1].append(one)
    return runs


def stays(run: Sequence[Found], words: int, export: Any, *, is_record_page: bool) -> bool:
    """Return whether a run of repeated sentences is kept, because it belongs to a record or a series."""
    rule, pages = export["sentence_rule"], export["pages"]
    sentences = [export["sentences"][number] for *_, number in run]
    first, last = sentences[0], sentences[-1]
    alike = max(
        first["pages_behind_one_text"] / first["pages"],
        last["pages_before_one_text"] / last["pages"],
    )
    certain_pages = max(rule["certain_pages_min"], rule["certain_ratio"] * pages)
    is_rare = min(one["pages"] for one in sentences) < certain_pages
    if is_record_page and words < rule["record_words_min"]:
        return True
    return alike >= rule["constant_ratio"] and (is_rare or is_record_page)


def count_words(text: str, rule: Any) -> int:
    """Return the number of words of a text."""
    return sum(1 for _ in re.finditer(rule["word"], text))


def union(spans: Sequence[Span]) -> list[Span]:
    """Return spans in order, with those that overlap or touch made one."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def without(text: str, spans: Sequence[Span]) -> str:
    """Return a text without some spans."""
    kept: list[str] = []
    place = 0
    for start, end in spans:
        kept.append(text[place:start])
        place = end
    return "".join([*kept, text[place:]]).strip()


def _sentences_of(blocks: Sequence[str], export: Any, other_blocks: Collection[int]) -> list[Found]:
    """Return the sentences of a page that the site repeats, in order."""
    starts = [0]
    for block in blocks:
        starts.append(starts[-1] + len(block) + 1)
    found: list[Found] = []
    for number, one in enumerate(export["sentences"]):
        for match in re.finditer(one["expression"], "\n".join(blocks)):
            place = bisect_right(starts, match.start(1)) - 1
            if place not in other_blocks:
                begin, end = match.start(1) - starts[place], match.end(1) - starts[place]
                found.append((place, begin, end, number))
    return sorted(found)


def _shingles_of(blocks: Sequence[str], export: Any) -> list[list[tuple[int, int]]]:
    """Return where the shingles of each block start, and their pages; those found once only."""
    found: list[list[tuple[int, int]]] = [[] for _ in blocks]
    for one in export["shingles"]:
        expression, places = re.compile(one["expression"]), []
        for number, block in enumerate(blocks):
            match = expression.search(block)
            while match:  # occurrences may overlap
                places.append((number, match.start()))
                match = expression.search(block, match.start() + 1)
        if len(places) == 1:
            found[places[0][0]].append((places[0][1], one["pages"]))
    return found


def _covered_words(firsts: Sequence[int], rule: Any) -> int:
    """Return the words in shingles and in the short gaps between them, by their first words."""
    size: int = rule["shingle_words"]
    longest = size + rule["gap_words_max"]
    steps = [after - first for first, after in itertools.pairwise(firsts)]
    return sum(step if step <= longest else size for step in steps) + size * bool(firsts)


def _parts(block: str, sentences: Sequence[Span], rule: Any) -> list[Span]:
    """Return the parts of a block that go with these sentences: all of it, or cuts at their borders."""
    repeated = sum(count_words(block[begin:end], rule) for begin, end in sentences)
    if not repeated:
        return []
    if repeated >= rule["whole_ratio"] * count_words(block, rule):
        return [(0, len(block))]
    parts: list[Span] = []
    words_gone = 0
    for begin, end in sentences:
        words = [match.end() for match in re.finditer(rule["word"], block[:begin])]
        start = _border(block, words[-1], rule) if words else 0
        if parts and len(words) - words_gone <= rule["gap_words_max"]:
            start = parts.pop()[0]
        parts.append((start, _border(block, end, rule)))
        words_gone = len(words) + count_words(block[begin:end], rule)
    return parts


def _border(block: str, word_end: int, rule: Any) -> int:
    """Return where the marks and the space behind a word end."""
    found = re.compile(rule["marks_behind"]).match(block, word_end)
    return found.end() if found else word_end


def main() -> None:
    """Print the text on standard input without what the site repeats."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("expressions", type=Path, help="the file expressions.json of an export")
    parser.add_argument("--records", action="store_true", help="documentation or a thread")
    parser.add_argument("--phrases", action="store_true", help="remove the phrases too")
    options = parser.parse_args()
    export = json.loads(options.expressions.read_text("utf-8"))
    blocks = sys.stdin.read().splitlines()
    parts = sentence_spans(blocks, export, is_record_page=options.records)
    gone = varied_blocks(blocks, export, is_record_page=options.records)
    for number in gone:
        parts[number] = [(0, len(blocks[number]))]
    ruled = ruled_blocks(blocks, export)
    for number, is_kept in ruled.items():
        parts[number] = [] if is_kept else [(0, len(blocks[number]))]
    text = "\n".join(map(without, blocks, parts))
    if options.phrases:
        text = without(text, phrase_spans(text, export))
    sys.stdout.write("".join(f"{line}\n" for line in text.split("\n") if line.strip()))


if __name__ == "__main__":
    main()
