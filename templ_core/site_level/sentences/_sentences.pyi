from typing import TypedDict

from templ_core.array_types import Int32s, UInt64s
from templ_core.page_level.features.characters import Words

class SentenceColumns(TypedDict):
    segment: Int32s
    first: Int32s
    words: Int32s
    keys: UInt64s

def read_sentences(
    words: Words, calendar: UInt64s, words_min: int, named_words_min: int, plain_words_min: int
) -> SentenceColumns: ...
