from templ_core.array_types import Float32s, Floats, Int32s, UInt32s

def tree_sums(
    rows: Float32s,
    feature: Int32s,
    threshold: Float32s,
    left: Int32s,
    right: Int32s,
    value: Float32s,
    roots: Int32s,
) -> Floats: ...
def leaf_sums(
    rows: Float32s,
    feature: Int32s,
    threshold: Float32s,
    right_leaves: UInt32s,
    ends: Int32s,
    leaf_values: Float32s,
) -> Floats: ...
