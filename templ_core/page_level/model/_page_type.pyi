from templ_core.array_types import Float32s, Floats, Int64s
from templ_core.page_level.model.page_type import PageTypeModel

def page_statistics(
    rows: Float32s, words: Floats, attribute: Floats, text: Floats, weight: float
) -> Floats: ...
def page_type_shares(
    statistics: Floats, names: Int64s, model: PageTypeModel, clip: float, decimals: int
) -> list[float]: ...
