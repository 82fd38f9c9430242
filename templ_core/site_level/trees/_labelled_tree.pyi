from templ_core.array_types import Int32s, UInt64s
from templ_core.dom.document import Document

def closed_tree(label: UInt64s, depth: Int32s) -> tuple[UInt64s, Int32s]: ...
def page_tree(
    document: Document, element_types: UInt64s, texts: UInt64s
) -> tuple[UInt64s, UInt64s, Int32s, Int32s, Int32s, UInt64s]: ...
