from templ_core.array_types import Bools, Floats, Int32s, Int64s, UInt16s, UInt64s
from templ_core.dom.document import Document
from templ_core.site_level.trees.tree_mapping import LabelledTree, TreeMapping
from templ_core.site_level.trees.tree_model import TreeCluster

def closed_tree(label: UInt64s, depth: Int32s) -> tuple[UInt64s, Int32s]: ...
def page_blocks(document: Document, element_types: UInt64s) -> tuple[UInt16s, Int32s]: ...
def labelled(
    tags: UInt16s, depths: Int32s, texts: UInt64s
) -> tuple[UInt64s, UInt64s, Int32s, Int32s, UInt64s]: ...
def align(
    mapping: TreeMapping, reference: LabelledTree, page: LabelledTree, segment_count: int
) -> tuple[Int32s, Bools, Int32s]: ...
def pool(
    cluster: TreeCluster,
    places: Int32s,
    equal: Bools,
    words: Int32s,
    mass: Int64s,
    unit: int,
    prior_words: float,
    margin: float,
) -> tuple[Int64s, Int64s, Floats]: ...
