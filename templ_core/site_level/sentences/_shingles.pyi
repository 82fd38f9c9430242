from templ_core.array_types import Bools, Int64s, UInt64s
from templ_core.page_level.features.characters import Words

def read_shingles(
    words: Words, wanted: Bools, size: int, named_min: int, window: int
) -> tuple[Int64s, UInt64s]: ...
