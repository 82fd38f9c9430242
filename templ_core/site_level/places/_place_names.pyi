from templ_core.array_types import Int32s, UInt64s

def name_places(
    element_types: UInt64s, element_type: Int32s, parent: Int32s, positions_max: int
) -> tuple[UInt64s, UInt64s, UInt64s]: ...
