from templ_core.array_types import Int32s, UInt64s

def closed_tree(label: UInt64s, depth: Int32s) -> tuple[UInt64s, Int32s]: ...
def page_tree(
    element_types: UInt64s,
    element_type: Int32s,
    parent: Int32s,
    owner: Int32s,
    inline_to: Int32s,
    texts: UInt64s,
) -> tuple[UInt64s, UInt64s, Int32s, Int32s, Int32s, UInt64s]: ...
