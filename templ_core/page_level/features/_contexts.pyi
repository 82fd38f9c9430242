import numpy as np
import numpy.typing as npt

from templ_core.array_types import Float32s, Floats, Int64s
from templ_core.page_level.features.page_tree import PageTree

def first_guess(attribute: Floats, text: Floats, weight: float) -> Floats: ...
def fill_contexts(
    tree: PageTree,
    group: Int64s,
    attribute: Floats,
    text: Floats,
    p0: Floats,
    order: npt.NDArray[np.intp],
    weight: float,
    recall_share: float,
    rows: Float32s,
    column: int,
) -> int: ...
