from templ_core.array_types import Bools, Floats, Int32s, Int64s, UInt64s
from templ_core.site_level.config import PlacesConfig, StringsConfig

def constant_texts(
    path_sums: Int64s, text_pages: Int64s, words: Int32s, config: PlacesConfig
) -> Bools: ...
def pooled_log_odds(
    totals: Int64s, keys: UInt64s, words: Int32s, mass: Int64s, unit: int, margin: float
) -> Floats: ...
def links_again(
    path: UInt64s,
    words: Int32s,
    recurrence: Floats,
    link_density: Floats,
    config: StringsConfig,
    most: float,
) -> Floats: ...
def where_repeated(path: UInt64s, text: UInt64s) -> Bools: ...
