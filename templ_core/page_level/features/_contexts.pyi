from templ_core.array_types import Float32s, Floats, Int64s
from templ_core.page_level.config import FeatureConfig
from templ_core.page_level.features.contexts import SegmentScores
from templ_core.page_level.page_tree import PageTree

def context_columns() -> list[str]: ...
def first_guess(attribute: Floats, text: Floats, weight: float) -> Floats: ...
def fill_contexts(
    page_tree: PageTree,
    group: Int64s,
    scores: SegmentScores,
    config: FeatureConfig,
    rows: Float32s,
    column: int,
) -> int: ...
