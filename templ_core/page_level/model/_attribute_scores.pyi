from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Int32s: TypeAlias = npt.NDArray[np.int32]

def attribute_sums(
    kinds: list[tuple[str, str]],
    kind: Int32s,
    parent: Int32s,
    end: Int32s,
    owner: Int32s,
    inline_from: Int32s,
    inline_to: Int32s,
    weights: npt.NDArray[np.int8],
    unit: float,
) -> npt.NDArray[np.float64]: ...
