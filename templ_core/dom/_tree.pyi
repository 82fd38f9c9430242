from templ_core.array_types import Int32s

def parents_and_ends(
    depth: Int32s,
) -> tuple[Int32s, Int32s]: ...
def bits_above(
    parent: Int32s,
    element_type: Int32s,
    bits: Int32s,
    at: Int32s,
) -> Int32s: ...
def tag_bits(element_types: list[tuple[str, str]], bits_of_tags: dict[str, int]) -> Int32s: ...
