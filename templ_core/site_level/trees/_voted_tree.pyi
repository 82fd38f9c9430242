from templ_core.array_types import Int32s, Int64s, UInt64s
from templ_core.site_level.trees.labelled_tree import LabelledTree
from templ_core.site_level.trees.tree_mapping import TreeMapping
from templ_core.site_level.trees.voted_tree import VotedColumns

def split_replaced(
    mapping: TreeMapping, voted: LabelledTree, page: LabelledTree
) -> tuple[Int32s, Int32s]: ...
def add_votes(
    left: Int32s, right: Int32s, voted: VotedColumns, page: LabelledTree
) -> tuple[UInt64s, Int32s, Int32s, Int64s, Int64s, UInt64s, Int64s]: ...
