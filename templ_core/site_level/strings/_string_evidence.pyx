"""Compiled search for the strings of a site on one of its pages; see `string_evidence.py`."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t

import numpy as np

from templ_core._arrays cimport items
from templ_core.site_level.strings._tokens cimport BORDER, BREAK, is_seed

cdef enum:
    BUCKET_BITS = 6     # low bits of a token that its bucket of suffixes leaves open
    BUCKETS = 65536 >> BUCKET_BITS
    FIRST_SHAPE = 2     # as in `string_evidence.py`
    LEVELS = 3          # strings of few, some and many pages
    ROWS = 6            # columns of `read_page` with a value for each segment


cdef struct Interval:
    Py_ssize_t low      # the first rank
    Py_ssize_t high     # the rank behind the last one


cdef class StringFinder:
    """Finds the longest strings of a text that also stand in some known strings.

    Args:
        corpus: The known strings as uint16, each behind a `BREAK`, and one at the end.
    """

    cdef object corpus_column, starts_column
    cdef const uint16_t *corpus
    cdef int32_t *starts        # of the suffixes that begin inside strings, sorted
    cdef Py_ssize_t size
    cdef int32_t bucket[BUCKETS + 1]    # first rank of the suffixes whose first token has these high bits

    def __init__(self, corpus):
        self.corpus_column = corpus
        self.corpus = <const uint16_t *>items(corpus, 2)
        cdef Py_ssize_t at, length = len(corpus)
        if not length or self.corpus[length - 1] != BREAK:
            raise ValueError("the last string has no end")
        self.starts_column = np.empty((2, length), np.int32)
        self.starts = <int32_t *>items(self.starts_column, 4, True)
        for at in range(length):
            if self.corpus[at] > BORDER:
                self.starts[self.size] = <int32_t>at
                self.size += 1
        self._sort(self.starts, self.starts + length, self.size)
        cdef Py_ssize_t rank = 0, number
        for number in range(BUCKETS + 1):
            while rank < self.size and self.corpus[self.starts[rank]] >> BUCKET_BITS < number:
                rank += 1
            self.bucket[number] = <int32_t>rank

    cdef void _sort(self, int32_t *starts, int32_t *spare, Py_ssize_t count) noexcept:
        """Sort suffixes by merging. The strings of a site are few, and each stands here once."""
        cdef Py_ssize_t half = count // 2, left = 0, right, at
        if count < 2:
            return
        self._sort(starts, spare, half)
        self._sort(starts + half, spare, count - half)
        for at in range(half):
            spare[at] = starts[at]
        right = half
        at = 0
        while left < half and right < count:
            if self._is_before(starts[right], spare[left]):
                starts[at] = starts[right]
                right += 1
            else:
                starts[at] = spare[left]
                left += 1
            at += 1
        while left < half:
            starts[at] = spare[left]
            left += 1
            at += 1

    cdef inline bint _is_before(self, Py_ssize_t one, Py_ssize_t other) noexcept:
        while self.corpus[one] == self.corpus[other] and self.corpus[one] > BORDER:
            one += 1
            other += 1
        return self.corpus[one] < self.corpus[other]

    cdef inline bint _may_start(self, uint16_t token) noexcept:
        """Return whether a suffix may begin with a token; breaks and borders begin none."""
        return self.bucket[token >> BUCKET_BITS] < self.bucket[(token >> BUCKET_BITS) + 1]

    cdef Interval _refined(self, Interval interval, Py_ssize_t depth, uint16_t token) noexcept:
        """Return the ranks of an interval whose suffixes have `token` behind `depth` tokens."""
        cdef Py_ssize_t low, high, middle
        cdef Interval result
        if not depth:
            interval.low = self.bucket[token >> BUCKET_BITS]
            interval.high = self.bucket[(token >> BUCKET_BITS) + 1]
        low, high = interval.low, interval.high
        while low < high:
            middle = (low + high) // 2
            if self.corpus[self.starts[middle] + depth] < token:
                low = middle + 1
            else:
                high = middle
        result.low = result.high = low
        high = interval.high
        if low == high or self.corpus[self.starts[low] + depth] != token:
            return result
        while low < high:
            middle = (low + high) // 2
            if self.corpus[self.starts[middle] + depth] <= token:
                low = middle + 1
            else:
                high = middle
        result.high = low
        return result

    cdef Interval _interval_of(self, const uint16_t *token, Py_ssize_t count) noexcept:
        cdef Interval interval
        cdef Py_ssize_t depth = 0
        interval.low, interval.high = 0, self.size
        while depth < count and interval.low < interval.high:
            interval = self._refined(interval, depth, token[depth])
            depth += 1
        return interval

    def matches(self, tokens, int tokens_min, owners=None):
        """Return the first token, and the one behind the last, of each longest known string of a text.

        No match is part of another one, so both columns ascend. Both are int32.

        Args:
            tokens: A text as uint16; a `BREAK` is in no string.
            tokens_min: Tokens of the shortest string that counts.
            owners: Number of the text that each token is in, ascending, as int64; no match runs over two
                texts. None = all are in one.
        """
        cdef Py_ssize_t count = len(tokens), found
        cdef const int64_t *owner = NULL if owners is None else <const int64_t *>items(owners, 8)
        rows = np.empty((2, count + 1), np.int32)
        cdef int32_t *first = <int32_t *>items(rows, 4, True)
        found = self._find(
            <const uint16_t *>items(tokens, 2), count, tokens_min, owner, first, first + count + 1
        )
        return rows[0, :found], rows[1, :found]

    cdef Py_ssize_t _find(
        self, const uint16_t *token, Py_ssize_t count, int tokens_min, const int64_t *owner,
        int32_t *first, int32_t *behind,
    ) noexcept:
        """Write what `matches` returns, and return how many matches there are, at most `count`."""
        cdef Py_ssize_t end, start = 0, low, high, middle, found = 0
        cdef Interval interval, longer
        cdef bint is_other
        interval.low, interval.high = 0, self.size
        for end in range(count + 1):
            if start == end < count and not self._may_start(token[end]):
                start = end + 1
                continue
            is_other = owner != NULL and start < end < count and owner[end] != owner[start]
            if end < count and token[end] > BORDER and not is_other:
                longer = self._refined(interval, end - start, token[end])
                if longer.low < longer.high:
                    interval = longer
                    continue
            if end - start >= tokens_min:
                first[found] = <int32_t>start
                behind[found] = <int32_t>end
                found += 1
            if end == count:
                break
            # The longest string that ends with this token, if it is in any.
            low, high = end if is_other else start + 1, end + 1
            if token[end] <= BORDER:
                low = high
            while low < high:
                middle = (low + high) // 2
                longer = self._interval_of(token + middle, end + 1 - middle)
                if longer.low < longer.high:
                    high = middle
                else:
                    low = middle + 1
            start = low
            interval = self._interval_of(token + start, end + 1 - start)
        return found

    cdef Py_ssize_t _find_inside(
        self, const uint16_t *token, int32_t start, int32_t end, int tokens_min, const int64_t *owner,
        int32_t *first, int32_t *behind,
    ) noexcept:
        """Write the matches among the tokens from `start` to `end` - 1, and return how many there are."""
        cdef Py_ssize_t match, found = self._find(
            token + start, end - start, tokens_min, owner + start, first, behind
        )
        for match in range(found):
            first[match] += start
            behind[match] += start
        return found


def read_page(features, prose, table, config):
    """Return what the strings of a site say about a page with at least one segment.

    Returns:
        The columns of `StringEvidence`: `usual_words`; an array of shape (6, n_segments) with `few.share`,
        `few.run_words`, `some.share`, `some.run_words`, `alike` and `listed`; `is_covered`.
    """
    words, finders, around = features.words, table.word_finders, table.alike
    shapes = table.segment_tokens(features.shape)
    cdef Py_ssize_t count = len(words.segment), segments = len(shapes), known = len(table.shapes)
    cdef const int64_t *owner = <const int64_t *>items(words.segment, 8)
    cdef const int64_t *length = <const int64_t *>items(words.per_segment, 8)
    cdef const uint16_t *token = <const uint16_t *>items(prose.tokens, 2)
    cdef const uint16_t *shape = <const uint16_t *>items(shapes, 2)
    cdef const uint8_t *alike = <const uint8_t *>items(around, 1)
    cdef Py_ssize_t room = max(count, segments) + 1, found, level, at, run, start, end
    spare = np.empty((4, room), np.int32)
    cdef int32_t *first = <int32_t *>items(spare, 4, True)
    cdef int32_t *behind = first + room
    cdef int32_t *span_first = behind + room
    cdef int32_t *span_behind = span_first + room

    usual = np.zeros(segments, np.int32)
    cdef int32_t *longest = <int32_t *>items(usual, 4, True)
    cdef StringFinder finder = table.usual_finder
    cdef int64_t total
    found = finder._find(shape, segments, 1, NULL, first, behind)
    for run in range(found):
        total = 0
        for at in range(first[run], behind[run]):
            total += max(length[at], <int64_t>1)
        for at in range(first[run], behind[run]):
            longest[at] = <int32_t>max(<int64_t>longest[at], total)

    covers, sums = np.zeros((LEVELS, count), np.bool_), np.zeros((LEVELS, segments))
    cdef uint8_t *is_covered = <uint8_t *>items(covers, 1, True)
    cdef double *covered = <double *>items(sums, 8, True)
    cdef int words_min = config.words_min
    cdef Py_ssize_t spans = 1, span
    span_first[0], span_behind[0] = 0, <int32_t>count
    for level in range(LEVELS):
        finder, found = finders[level], 0
        for span in range(spans):
            found += finder._find_inside(
                token, span_first[span], span_behind[span], words_min, owner, first + found, behind + found
            )
        if level == 0:  # What more pages have is part of what few have.
            spans = _joined(first, behind, found, span_first, span_behind)
        _cover(is_covered + level * count, first, behind, found, owner, config.gap_words_max)
        for at in range(count):
            covered[level * segments + owner[at]] += is_covered[level * count + at]

    columns = np.zeros((ROWS, segments))
    cdef double *row = <double *>items(columns, 8, True)
    cdef double *share
    cdef double ratio = config.repeated_ratio, run_words
    for level in range(2):
        share = row + 2 * level * segments
        for at in range(segments):
            share[at] = covered[level * segments + at] / max(length[at], <int64_t>1)
            share[segments + at] = covered[level * segments + at]
        found = _runs(share, segments, ratio, first, behind)
        for run in range(found):
            run_words = 0
            for at in range(first[run], behind[run]):
                run_words += share[segments + at]
            for at in range(first[run], behind[run]):
                share[segments + at] = run_words

    # From here on, runs are those of prose that some pages repeat.
    cdef uint8_t beside
    cdef int series = 0
    is_series = np.empty(found, np.bool_)
    cdef uint8_t *whole = <uint8_t *>items(is_series, 1, True)
    for run in range(found):
        whole[run] = 1
        for at in range(first[run], behind[run]):
            whole[run] &= (
                covered[2 * segments + at] < ratio * max(length[at], <int64_t>1) and shape[at] < FIRST_SHAPE
            )
        series += whole[run]
    for run in range(found):
        start, end, beside = shape[first[run]] - FIRST_SHAPE, shape[behind[run] - 1] - FIRST_SHAPE, 0
        if start >= 0:
            beside = alike[start]
        if end >= 0:
            beside = max(beside, alike[known + end])
        for at in range(first[run], behind[run]):
            row[4 * segments + at] = 1 if whole[run] and series > 1 else beside / 255.0
    _list(row + 5 * segments, token, owner, count, segments, config)
    return usual, columns, covers[1]


cdef Py_ssize_t _joined(
    const int32_t *first, const int32_t *behind, Py_ssize_t matches, int32_t *span_first, int32_t *span_behind
) noexcept:
    """Write the spans of matches, those that overlap as one, and return how many there are."""
    cdef Py_ssize_t match, spans = 0
    for match in range(matches):
        if not spans or first[match] >= span_behind[spans - 1]:
            span_first[spans] = first[match]
            spans += 1
        span_behind[spans - 1] = behind[match]
    return spans


cdef void _cover(
    uint8_t *is_covered, const int32_t *first, const int32_t *behind, Py_ssize_t matches,
    const int64_t *owner, Py_ssize_t gap_max,
) noexcept:
    """Mark the words of each match, and those of a short gap between two matches of one segment."""
    cdef Py_ssize_t match, at, begin, last = -1
    for match in range(matches):
        begin = first[match]
        if last >= 0 and owner[last] == owner[begin] and begin - last - 1 <= gap_max:
            begin = last + 1
        for at in range(begin, behind[match]):
            is_covered[at] = 1
        last = behind[match] - 1


cdef Py_ssize_t _runs(
    const double *share, Py_ssize_t segments, double ratio, int32_t *first, int32_t *behind
) noexcept:
    """Write the first segment of each run of repeated ones, and the one behind its last; return their number."""
    cdef Py_ssize_t at, found = 0
    for at in range(segments):
        if share[at] < ratio:
            continue
        if not found or behind[found - 1] != at:
            first[found] = <int32_t>at
            found += 1
        behind[found - 1] = <int32_t>(at + 1)
    return found


cdef int _list(
    double *listed, const uint16_t *token, const int64_t *owner, Py_ssize_t count, Py_ssize_t segments, config
) except -1:
    """Set the share of each segment's runs of words that the page has more than once, 0 to 1."""
    cdef int size = config.words_min, every = config.runs_per_seed
    cdef Py_ssize_t at, slot, slots = 2
    while slots < 2 * count:
        slots *= 2
    table, found = np.zeros((2, slots), np.uint32), np.empty(count, np.int64)
    cdef uint32_t *key_of = <uint32_t *>items(table, 4, True)
    cdef uint32_t *times = key_of + slots
    cdef int64_t *slot_of = <int64_t *>items(found, 8, True)
    runs = np.zeros(segments)
    cdef double *number = <double *>items(runs, 8, True)
    cdef uint32_t key
    for at in range(count):
        slot_of[at] = -1
    for at in range(count - size + 1):
        if token[at] == BREAK or owner[at] != owner[at + size - 1]:
            continue
        if is_seed(token + at, size, every, &key):
            slot = (key >> 1) & (slots - 1)
            while times[slot] and key_of[slot] != key:
                slot = (slot + 1) & (slots - 1)
            key_of[slot] = key
            times[slot] += 1
            slot_of[at] = slot
            number[owner[at]] += 1
    for at in range(count):
        if slot_of[at] >= 0 and times[slot_of[at]] > 1:
            listed[owner[at]] += 1
    for at in range(segments):
        listed[at] /= max(number[at], 1.0)
    return 0


def sentence_runs(words, share, is_covered, double ratio):
    """Return the runs of sentences that strings cover, in segments that they cover partly.

    Args:
        share: Share of each segment that strings cover; float64.
        ratio: Share that makes a sentence or a segment covered.

    Returns:
        For each run its segment, its first word, its last word and the number of words that are covered.
    """
    cdef Py_ssize_t count = len(words.segment), word, start = 0, first = -1, last = -1
    cdef const int64_t *owner = <const int64_t *>items(words.segment, 8)
    cdef const uint8_t *ends = <const uint8_t *>items(words.ends, 1)
    cdef const double *of_segment = <const double *>items(share, 8)
    cdef const uint8_t *mark = <const uint8_t *>items(is_covered, 1)
    cdef int64_t covered = 0, in_run = 0
    cdef bint goes_on
    runs = []
    for word in range(count):
        covered += mark[word]
        if not ends[word]:
            continue
        goes_on = 0 < of_segment[owner[word]] < ratio and covered >= ratio * (word + 1 - start)
        if first >= 0 and not (goes_on and owner[first] == owner[word]):
            runs.append((owner[last], first, last, in_run))
            first = -1
        if goes_on:
            if first < 0:
                first, in_run = start, 0
            last = word
            in_run += covered
        start, covered = word + 1, 0
    if first >= 0:
        runs.append((owner[last], first, last, in_run))
    return runs
