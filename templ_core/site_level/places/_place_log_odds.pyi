from typing import Any

from templ_core.array_types import Bools, Floats, Int32s, Int64s, UInt64s
from templ_core.site_level.config import PlacesConfig, StringsConfig
from templ_core.site_level.places.place_table import PlaceTable
from templ_core.site_level.places.places import PagePlaces

def constant_texts(
    path_sums: Int64s, text_pages: Int64s, words: Int32s, config: PlacesConfig
) -> Bools: ...
def read_columns(
    table: PlaceTable, page: PagePlaces, content_log_odds: Floats, unit: int, config: PlacesConfig
) -> dict[str, Any]: ...
def links_again(
    path: UInt64s,
    words: Int32s,
    recurrence: Floats,
    link_density: Floats,
    config: StringsConfig,
    most: float,
) -> Floats: ...
def where_repeated(path: UInt64s, text: UInt64s) -> Bools: ...
