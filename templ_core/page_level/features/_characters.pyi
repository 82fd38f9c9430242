from typing import TypedDict

from templ_core.array_types import Bools, Int64s, UInt16s, UInt32s, UInt64s

class CharacterColumns(TypedDict):
    classes: UInt16s
    lower: UInt32s
    starts: Int64s
    lengths: Int64s

class WordColumns(TypedDict):
    first: Int64s
    length: Int64s
    segment: Int64s
    place: Int64s
    hashes: UInt64s
    numeric: Bools
    capital: Bools
    ends: Bools
    per_segment: Int64s

def read_characters(texts: list[str]) -> CharacterColumns: ...
def read_words(classes: UInt16s, lower: UInt32s, starts: Int64s) -> WordColumns: ...
def read_words_and_title(characters: CharacterColumns) -> tuple[WordColumns, UInt64s]: ...
def text_hashes(hashes: UInt64s, per_segment: Int64s) -> UInt64s: ...
