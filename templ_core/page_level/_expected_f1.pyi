from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]

def best_prefix(
    order: npt.NDArray[np.intp], content: Floats, words: Floats, recall_share: float
) -> tuple[int, float]: ...
