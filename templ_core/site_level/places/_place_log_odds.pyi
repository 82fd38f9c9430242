from templ_core.array_types import Bools, Floats, Int32s, Int64s, UInt64s
from templ_core.site_level.config import PlacesConfig

def constant_texts(
    path_sums: Int64s, text_pages: Int64s, words: Int32s, config: PlacesConfig
) -> tuple[Floats, Bools]: ...
def pooled_log_odds(
    known: Int64s, keys: UInt64s, words: Int32s, mass: Int64s, unit: int, margin: float
) -> Floats: ...
def where_repeated(path: UInt64s, text: UInt64s) -> Bools: ...
