"""How two texts of a page differ: signs that only one of them has, and breaks of lines and words.

White space is one blank, or one line break if it has any. Letter case counts.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple
from unicodedata import category

NO_SPACE, BLANK, CELL_BORDER, LINE_BREAK = range(4)
"""What stands before a sign; a tab, which is the border of a cell, is a blank but for what a line is."""
_SPACES = ("", " ", "\t", "\n")

_CHUNK = re.compile(r"(\s*)(\S+)")
_WORD = re.compile(r"\w+|\W")
_LINE_BREAK = re.compile(r"[\n\r\v\f\u2028\u2029\x85]")
_SHINGLES = (8, 4, 2, 1)
"""Numbers of words in a row by which two texts are laid side by side where each has them once."""
_GAP_MAX = 1000
"""Signs of a longer piece between equal words are not compared one by one, which takes their square."""
_RUN_MIN = 3
"""Fewer equal signs in a row are chance, unless the pieces are alike."""
_AROUND = 30
"""Signs of an example before and behind the place."""
_ANCHORS = frozenset("¶#§🔗⚓")
"""Links of headings to themselves, which show only under the pointer and are left out in reading."""
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]+")

SPACES = {
    (LINE_BREAK, NO_SPACE): "torn word",
    (LINE_BREAK, BLANK): "torn line",
    (BLANK, NO_SPACE): "split word",
    (NO_SPACE, BLANK): "glued words",
    (NO_SPACE, LINE_BREAK): "glued lines",
    (BLANK, LINE_BREAK): "joined lines",
}
"""Names of the differences of white space: what we have, what is shown."""
CAUSES = (
    *("lost sign", "lost text", "cut line"),
    *SPACES.values(),
    *("hidden text", "invisible sign", "sign not shown", "other"),
)
"""Names of all differences."""


class Signs(NamedTuple):
    """A text without its white space."""

    text: str
    before: list[int]
    """What stands before each sign."""
    words: list[tuple[int, int]]
    """First sign of each word, and the one behind it; a sign that is no letter or digit is a word."""

    def piece(self, start: int, end: int) -> str:
        """Return a piece of the text with its white space, also that before its first sign."""
        return "".join(
            _SPACES[before] + sign
            for before, sign in zip(self.before[start:end], self.text[start:end], strict=True)
        )


class Difference(NamedTuple):
    """A place at which two texts differ."""

    cause: str
    """One of `CAUSES`."""
    count: int
    """Signs that only one of them has; a difference of white space is one."""
    differs: str
    """These signs, or the words around the white space."""
    around: str
    """Our text around the place; the place itself stands in double brackets."""


def signs_of(text: str) -> Signs:
    """Return the signs of a text."""
    parts, before, words = [], [], []
    for found in _CHUNK.finditer(text):
        space, chunk = found.groups()
        at = len(before)
        first = BLANK if space else NO_SPACE
        first = CELL_BORDER if "\t" in space else first
        first = LINE_BREAK if _LINE_BREAK.search(space) else first
        before += [first, *([NO_SPACE] * (len(chunk) - 1))]
        words += [(at + one.start(), at + one.end()) for one in _WORD.finditer(chunk)]
        parts.append(chunk)
    return Signs("".join(parts), before, words)


def partners(ours: Signs, shown: Signs) -> list[int]:
    """Return for each of our signs the number of the same sign in what is shown; -1 = it is not there."""
    partners = [-1] * len(ours.text)
    our_words = [ours.text[start:end] for start, end in ours.words]
    shown_words = [shown.text[start:end] for start, end in shown.words]
    for a, b in _equal_items(our_words, shown_words):
        start, end = ours.words[a]
        partners[start:end] = range(shown.words[b][0], shown.words[b][1])
    for start, end, other_start, other_end in list(_gaps(partners, len(shown.text))):
        first, second = ours.text[start:end], shown.text[other_start:other_end]
        for a, b, size in _equal_runs(first, second):
            partners[start + a : start + a + size] = range(other_start + b, other_start + b + size)
    return partners


def differences(
    ours: Signs, shown: Signs, partner: Sequence[int], kept: Sequence[bool]
) -> Iterator[Difference]:
    """Yield the differences within kept text.

    What stands between kept and removed text is on the border and does not count.

    Args:
        ours: All text of the page as we read it.
        shown: What the browser shows of it.
        partner: What `partners` returned.
        kept: Whether each of our signs is kept.
    """
    yield from _cut_lines(ours, shown, partner, kept)
    last = -1
    for place in [*(at for at, other in enumerate(partner) if other >= 0), len(partner)]:
        first, behind = last + 1, place
        other_first = partner[last] + 1 if last >= 0 else 0
        other_behind = partner[place] if place < len(partner) else len(shown.text)
        is_inside = last >= 0 and place < len(partner) and kept[last] and kept[place]
        last = place
        mine = "".join(ours.text[at] for at in range(first, behind) if kept[at])
        theirs = shown.text[other_first:other_behind] if is_inside else ""
        if not is_inside and not mine:
            continue
        if is_inside and not all(kept[first:behind]):
            theirs = ""
        yield from _signs_that_differ(mine, theirs, ours, first, behind)
        if is_inside and not (mine and theirs) and all(kept[first:behind]):
            we_have = _space(ours.before[first : behind + 1])
            they_have = _space(shown.before[other_first : other_behind + 1])
            if we_have != they_have:
                yield Difference(SPACES[we_have, they_have], 1, *_words_around(ours, first, behind))


def _space(before: Sequence[int]) -> int:
    widest = max(before)
    return BLANK if widest == CELL_BORDER else widest


def _cut_lines(
    ours: Signs, shown: Signs, partner: Sequence[int], kept: Sequence[bool]
) -> Iterator[Difference]:
    """Yield what is removed between two kept signs that stand on one line of the browser, and in one cell."""
    last = -1
    for place, other in enumerate(partner):
        if other < 0 or not kept[place]:
            continue
        if last >= 0 and not all(kept[last + 1 : place]):
            between = shown.before[partner[last] + 1 : other + 1]
            if max(between) <= BLANK:
                removed = shown.text[partner[last] + 1 : other]
                left = ours.piece(max(last + 1 - _AROUND, 0), last + 1)
                around = f"{left}[[{removed[:60]}]]{ours.piece(place, place + _AROUND)}"
                yield Difference("cut line", max(len(removed), 1), removed, around)
        last = place


def _signs_that_differ(
    mine: str, theirs: str, ours: Signs, first: int, behind: int
) -> Iterator[Difference]:
    left = ours.piece(max(first - _AROUND, 0), first)
    around = f"{left}[[{{}}]]{ours.piece(behind, behind + _AROUND)}"
    if mine and theirs:
        both = f"{mine[:40]} for {theirs[:40]}"
        yield Difference("other", len(mine) + len(theirs), both, around.replace("{}", both))
    elif theirs in _ANCHORS:
        return
    elif theirs and not all(category(sign) == "Cf" for sign in theirs):
        cause = "lost text" if re.search(r"\w", theirs) else "lost sign"
        yield Difference(cause, len(theirs), theirs, around.replace("{}", theirs[:60]))
    elif mine:
        cause = "hidden text" if re.search(r"\w", mine) else "sign not shown"
        cause = "invisible sign" if _INVISIBLE.fullmatch(mine) else cause
        yield Difference(cause, len(mine), mine, around.replace("{}", mine[:60]))


def _words_around(ours: Signs, first: int, behind: int) -> tuple[str, str]:
    left = ours.text[max(first - _AROUND, 0) : first]
    right = ours.text[behind : behind + _AROUND]
    words = [*_WORD.findall(left)[-1:], ours.text[first:behind][:20], *_WORD.findall(right)[:1]]
    around = f"{ours.piece(max(first - _AROUND, 0), first)}[[{ours.piece(first, behind)}]]"
    return "|".join(words), around + ours.piece(behind, behind + _AROUND)


def _gaps(partners: Sequence[int], other_size: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield the pieces without a partner that stand between two equal signs, on both sides."""
    last = -1
    for place in [*(at for at, other in enumerate(partners) if other >= 0), len(partners)]:
        other_first = partners[last] + 1 if last >= 0 else 0
        other_behind = partners[place] if place < len(partners) else other_size
        if last + 1 < place and other_first < other_behind:
            yield last + 1, place, other_first, other_behind
        last = place


def _equal_runs(first: str, second: str) -> Iterator[tuple[int, int, int]]:
    """Yield runs of equal signs of two short pieces: where they begin in each of them, and their length."""
    if max(len(first), len(second)) > _GAP_MAX:
        return
    are_alike = max(len(first), len(second)) <= 2 * min(len(first), len(second))
    for block in SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks():
        if block.size >= (1 if are_alike else _RUN_MIN):
            yield block.a, block.b, block.size


def _equal_items(first: Sequence[str], second: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield pairs of equal items in order, as a patience diff finds them."""
    todo = [(0, len(first), 0, len(second))]
    while todo:
        start, end, other, other_end = todo.pop()
        while start < end and other < other_end and first[start] == second[other]:
            yield start, other
            start, other = start + 1, other + 1
        while start < end and other < other_end and first[end - 1] == second[other_end - 1]:
            end, other_end = end - 1, other_end - 1
            yield end, other_end
        if start == end or other == other_end:
            continue
        anchors = _anchors(first[start:end], second[other:other_end])
        place, other_place = start, other
        for a, b in anchors:
            todo.append((place, start + a, other_place, other + b))
            place, other_place = start + a, other + b
        if anchors:
            todo.append((place, end, other_place, other_end))


def _anchors(first: Sequence[str], second: Sequence[str]) -> list[tuple[int, int]]:
    """Return the places of rows of items that each side has once, in an order that both sides have."""
    for size in _SHINGLES:
        places = [_once(one, size) for one in (first, second)]
        pairs = [(at, places[1][row]) for row, at in places[0].items() if row in places[1]]
        if pairs:
            return _increasing(pairs)
    return []


def _once(items: Sequence[str], size: int) -> dict[tuple[str, ...], int]:
    rows = [tuple(items[at : at + size]) for at in range(len(items) - size + 1)]
    counts = Counter(rows)
    return {row: at for at, row in enumerate(rows) if counts[row] == 1}


def _increasing(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest part of pairs, which are in order of the first, that is in order of the second, too."""
    ends: list[int] = []
    last: list[int] = []
    previous = []
    for number, (_, other) in enumerate(pairs):
        length = bisect_left(ends, other)
        ends[length : length + 1] = [other]
        last[length : length + 1] = [number]
        previous.append(last[length - 1] if length else -1)
    differences = []
    number = last[-1] if last else -1
    while number >= 0:
        differences.append(pairs[number])
        number = previous[number]
    return differences[::-1]
