"""A slow twin of `templ_core.page_level.features.characters`: one numpy operation after the other."""

import functools

import msgspec
import numpy as np

from templ_core.letters import (
    CLOSER,
    DIGIT,
    KNOWN,
    SENTENCE_END,
    SPACE,
    UNSPACED,
    UPPER,
    WORD,
    letter_tables,
)
from templ_core.page_level.features.characters import Characters, Words, mix

_SPREAD = np.uint64(0x9E3779B97F4A7C15)


def read_characters(texts):
    """Return the characters of at least one segment; none of the texts is empty."""
    lengths = np.array([len(text) for text in texts], np.int64)
    joined = "\n".join([*texts, ""])
    points = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), "<u4")
    place = np.minimum(points, KNOWN)
    classes, lower = letter_tables()
    bits = classes[place]
    return Characters(
        classes=np.where(bits & UNSPACED, bits | WORD, bits),
        lower=np.where(points < KNOWN, lower[place], points),
        starts=np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths + 1)[:-1]]),
        lengths=lengths,
    )


def read_words(characters):
    """Return the words of the characters."""
    is_word, alone = characters.has(WORD), characters.has(UNSPACED)
    joins = is_word[1:] & is_word[:-1] & ~alone[1:] & ~alone[:-1]
    begins = is_word.copy()
    begins[1:] &= ~joins
    ends = is_word.copy()
    ends[:-1] &= ~joins
    first = np.flatnonzero(begins)
    length = np.flatnonzero(ends) + 1 - first
    segment = np.searchsorted(characters.starts, first, side="right") - 1
    per_segment = np.bincount(segment, minlength=len(characters.starts))
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(per_segment)])
    digits = np.concatenate([np.zeros(1, np.int64), np.cumsum(characters.has(DIGIT))])
    return Words(
        first=first,
        length=length,
        segment=segment,
        place=np.arange(len(first)) - before[segment],
        hashes=_word_hashes(characters.lower[is_word], length),
        numeric=digits[first + length] > digits[first],
        capital=characters.has(UPPER)[first],
        ends=_ends(characters, first + length, segment),
        per_segment=per_segment,
    )


def _ends(characters, behind, segment):
    """Return whether what follows each word ends a sentence, a line or the segment."""
    marks, closers, space = (characters.has(bits) for bits in (SENTENCE_END, CLOSER, SPACE))
    is_word = characters.has(WORD)
    result = np.zeros(len(behind), np.bool_)
    for word, at in enumerate(behind.tolist()):
        is_last = word + 1 == len(behind) or segment[word + 1] != segment[word]
        pending = is_border = False
        while not is_last and not is_border and not is_word[at]:
            if marks[at]:
                is_border = characters.lower[at] >= 0x3000
                pending = True
            elif space[at]:
                is_border = pending or characters.lower[at] == ord("\n")
            elif not closers[at]:
                pending = False
            at += 1  # noqa: PLW2901
        result[word] = is_last or is_border
    return result


def text_hashes(words):
    """Return a hash of each segment's words and their order; length n_segments."""
    turned = words.hashes * _powers()[np.minimum(words.place, len(_powers()) - 1)]
    before = np.concatenate([np.zeros(1, np.uint64), np.cumsum(turned)])
    ends = np.cumsum(words.per_segment)
    return mix(before[ends] - before[ends - words.per_segment])


def shape_hashes(words):
    """Return hashes like `text_hashes` in which all words with digits are equal."""
    plain = np.where(words.numeric, _SPREAD, words.hashes)
    return text_hashes(msgspec.structs.replace(words, hashes=plain))


def _word_hashes(letters, length):
    ends = np.cumsum(length)
    starts = ends - length
    place = np.arange(len(letters)) - np.repeat(starts, length)
    powers = _powers()
    turned = letters.astype(np.uint64) * powers[np.minimum(place, len(powers) - 1)]
    before = np.concatenate([np.zeros(1, np.uint64), np.cumsum(turned)])
    return mix(before[ends] - before[starts])


@functools.cache
def _powers():
    """Return odd factors by place; places further on share the last one."""
    return np.cumprod(np.full(1024, _SPREAD, np.uint64), dtype=np.uint64)
