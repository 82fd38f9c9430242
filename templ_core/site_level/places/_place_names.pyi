from typing import Any

from templ_core.array_types import Int32s, UInt64s
from templ_core.page_level.page_tree import PageTree
from templ_core.site_level.places.places import NodePlaces

def name_places(
    element_types: UInt64s, element_type: Int32s, parent: Int32s, positions_max: int
) -> tuple[UInt64s, UInt64s, UInt64s]: ...
def page_columns(nodes: NodePlaces, owner: Int32s, tree: PageTree) -> dict[str, Any]: ...
