from templ_core.array_types import Floats, Int64s, UInt64s
from templ_core.site_level.trees.labelled_tree import LabelledTree
from templ_core.site_level.trees.tree_mapping import TreeMapping
from templ_core.site_level.trees.tree_model import TreeCluster

def shared_sum(keys: UInt64s, values: Int64s, others: UInt64s) -> tuple[int, int]: ...
def place_shares(
    mapping: TreeMapping, cluster: TreeCluster, page: LabelledTree, segment_count: int
) -> tuple[Floats, Floats, Floats]: ...
