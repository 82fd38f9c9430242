from templ_core.array_types import Float32s, Int32s, UInt64s
from templ_core.page_level.config import FeatureConfig
from templ_core.page_level.features.characters import Words

def declared_columns() -> list[str]: ...
def fill_declared(
    declared: Int32s,
    words: Words,
    title: UInt64s,
    surroundings: Int32s,
    config: FeatureConfig,
    rows: Float32s,
    column: int,
) -> int: ...
