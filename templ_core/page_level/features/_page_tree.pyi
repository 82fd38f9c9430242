from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Int32s: TypeAlias = npt.NDArray[np.int32]
Ints: TypeAlias = npt.NDArray[np.int64]

def read_ranges(
    parent: Int32s,
    owner: Int32s,
    inline_to: Int32s,
    words: npt.NDArray[np.float64],
    levels: int,
    top_share: float,
) -> tuple[Ints, Ints, Ints, Ints, Ints]: ...
