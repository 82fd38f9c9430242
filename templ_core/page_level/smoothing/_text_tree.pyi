from typing import TypedDict

from templ_core.array_types import Floats, Int32s, Int64s

class TextTreeColumns(TypedDict):
    parent: Int32s
    leaf: Int32s
    words: Floats

def text_tree(first: Int64s, last: Int64s, words: Floats) -> TextTreeColumns: ...
