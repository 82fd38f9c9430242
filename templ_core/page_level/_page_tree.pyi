from typing import TypedDict

from templ_core.array_types import Floats, Int64s
from templ_core.dom.document import Document

class Ranges(TypedDict):
    first: Int64s
    last: Int64s
    up: Int64s
    compressed_depth: Int64s
    above: Int64s

def read_ranges(document: Document, words: Floats, levels: int, top_share: float) -> Ranges: ...
