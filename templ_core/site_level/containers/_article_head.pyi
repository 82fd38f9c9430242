from templ_core.array_types import Int32s, Int64s, UInt64s

def find_headline(
    words: UInt64s,
    words_of_segment: Int64s,
    title: UInt64s,
    looked_for: int,
    owner: Int32s,
    parent: Int32s,
    element_type: Int32s,
    element_types: UInt64s,
    text_start: int,
    *,
    title_share: float,
    covered_share: float,
    words_max: int,
    per_level: float,
    per_segment: float,
) -> int: ...
