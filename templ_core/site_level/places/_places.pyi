from typing import Any

from templ_core.array_types import Bools, Floats, Int32s, Int64s, UInt64s
from templ_core.page_level.page_tree import PageTree
from templ_core.site_level.config import PlacesConfig
from templ_core.site_level.places.places import NodePlaces, PagePlaces, PlaceTable

def name_places(
    element_types: UInt64s, element_type: Int32s, parent: Int32s, positions_max: int
) -> tuple[UInt64s, UInt64s, UInt64s]: ...
def page_columns(nodes: NodePlaces, owner: Int32s, tree: PageTree) -> dict[str, Any]: ...
def constant_texts(
    path_sums: Int64s, text_pages: Int64s, words: Int32s, config: PlacesConfig
) -> Bools: ...
def pooled_content(
    table: PlaceTable,
    page: PagePlaces,
    content_log_odds: Floats,
    documentation: float,
    unit: int,
    config: PlacesConfig,
) -> tuple[Int64s, Floats, Floats, Int64s, Int64s, Bools]: ...
def read_columns(
    table: PlaceTable,
    page: PagePlaces,
    content_log_odds: Floats,
    documentation: float,
    unit: int,
    config: PlacesConfig,
) -> dict[str, Any]: ...
def links_again(
    path: UInt64s,
    words: Int32s,
    recurrence: Floats,
    link_density: Floats,
    density_min: float,
    least: float,
    most: float,
) -> Floats: ...
def where_repeated(path: UInt64s, text: UInt64s) -> Bools: ...
