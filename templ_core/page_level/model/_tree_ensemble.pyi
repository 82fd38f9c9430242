from templ_core.array_types import Float32s, Floats
from templ_core.page_level.model.tree_ensemble import LeafMasks

def leaf_sums(rows: Float32s, masks: LeafMasks, base: float) -> Floats: ...
