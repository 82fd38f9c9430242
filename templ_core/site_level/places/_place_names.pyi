from templ_core.array_types import Floats, Int32s, Int64s, UInt64s

def name_places(
    element_types: UInt64s, element_type: Int32s, parent: Int32s, positions: int
) -> tuple[UInt64s, UInt64s, UInt64s]: ...
def place_columns(
    path: UInt64s,
    cell: UInt64s,
    anchor: UInt64s,
    owner: Int32s,
    boxes: Int64s,
    first: Int64s,
    last: Int64s,
    words: Floats,
) -> tuple[UInt64s, UInt64s, UInt64s, Int32s, UInt64s, Int32s, Int32s]: ...
