from collections.abc import Sequence

from templ_core.array_types import Bools, Int32s, Int64s, UInt16s, UInt64s
from templ_core.page_level.features.characters import Words
from templ_core.site_level.strings.suffix_array import SuffixArray

def word_tokens(words: Words, is_wanted: Bools, calendar: UInt64s) -> UInt16s: ...
def uncovered_runs(
    tokens: UInt16s,
    segments: Int64s,
    is_wanted: Bools,
    is_covered: Bools,
    size: int,
    every: int,
) -> UInt16s: ...
def numbered(ascending: UInt64s, keys: UInt64s, first: int) -> UInt16s: ...
def frequent_prefixes(
    suffixes: SuffixArray,
    part_column: Int32s,
    bits: UInt64s,
    least_documents: Sequence[int],
    tokens_min: int,
) -> tuple[Int32s, Int32s]: ...
def maximal_strings(
    tokens: UInt16s, starts: Int32s, lengths: Int32s, numbers: Int32s
) -> UInt16s: ...
