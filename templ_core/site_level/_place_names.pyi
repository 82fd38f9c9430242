from typing import TypeAlias

import numpy as np
import numpy.typing as npt

UInt64s: TypeAlias = npt.NDArray[np.uint64]
Int32s: TypeAlias = npt.NDArray[np.int32]

def name_places(
    kinds: UInt64s, kind: Int32s, parent: Int32s, positions: int
) -> tuple[UInt64s, UInt64s, UInt64s]: ...
