from templ_core.array_types import Floats, Int64s
from templ_core.dom.document import Document

def read_ranges(
    document: Document, words: Floats, levels: int, top_share: float
) -> dict[str, Int64s]: ...
