from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]

def best_cut(
    odds: Floats, left_out: npt.NDArray[np.bool_], words: Floats, recall_share: float
) -> tuple[npt.NDArray[np.bool_], float]: ...
