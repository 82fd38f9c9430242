from templ_core.array_types import Float32s, Floats, Int64s
from templ_core.page_level.model.page_type import PageType
from templ_core.page_level.page_tree import PageTree

def context_columns() -> list[str]: ...
def with_contexts(
    features: Float32s,
    page_tree: PageTree,
    group: Int64s,
    attribute: Floats,
    text: Floats,
    page_type: PageType,
) -> Float32s: ...
