from templ_core.array_types import Floats, Int32s, Int64s

def read_ranges(
    parent: Int32s,
    owner: Int32s,
    inline_to: Int32s,
    words: Floats,
    levels: int,
    top_share: float,
) -> tuple[Int64s, Int64s, Int64s, Int64s, Int64s]: ...
