from typing import TypedDict

from templ_core.array_types import Floats, Int32s, Int64s

class TextTreeColumns(TypedDict):
    parent: Int32s
    leaf: Int32s
    words: Floats

def text_tree(first: Int64s, last: Int64s, words: Floats) -> TextTreeColumns: ...
def smoothing_columns(
    leaf: Int32s, words: Floats, templateness: Floats, penalty: float
) -> tuple[Floats, Floats, Floats]: ...
def of_segments(
    leaf: Int32s, words: Floats, score: Floats, section: Int32s
) -> tuple[Floats, Floats]: ...
