from templ_core.array_types import Int32s
from templ_core.site_level.trees.tree_mapping import LabelledTree

def map_nodes(
    left: LabelledTree, right: LabelledTree, run_cells_max: int, cells_max: int
) -> tuple[int, Int32s, Int32s]: ...
