from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from templ_core.page_level.features.page_tree import PageTree

Floats: TypeAlias = npt.NDArray[np.float64]

def first_guess(attribute: Floats, text: Floats, weight: float) -> Floats: ...
def fill_contexts(
    tree: PageTree,
    group: npt.NDArray[np.int64],
    attribute: Floats,
    text: Floats,
    p0: Floats,
    order: npt.NDArray[np.intp],
    weight: float,
    recall_share: float,
    rows: npt.NDArray[np.float32],
    column: int,
) -> int: ...
