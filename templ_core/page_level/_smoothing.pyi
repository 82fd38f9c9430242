from templ_core.array_types import Floats, Int32s
from templ_core.page_level.page_tree import PageTree

def smooth(
    parent: Int32s, score: Floats, weight: Floats, penalty: Floats
) -> tuple[Floats, Int32s]: ...
def smooth_text(
    page_tree: PageTree, templateness: Floats, penalty: float
) -> tuple[Floats, Int32s, Floats]: ...
