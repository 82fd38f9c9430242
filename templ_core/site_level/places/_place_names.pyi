from typing import TypeAlias

import numpy as np
import numpy.typing as npt

UInt64s: TypeAlias = npt.NDArray[np.uint64]
Int32s: TypeAlias = npt.NDArray[np.int32]

def name_places(
    kinds: UInt64s, kind: Int32s, parent: Int32s, positions: int
) -> tuple[UInt64s, UInt64s, UInt64s]: ...
def place_columns(
    path: UInt64s,
    cell: UInt64s,
    anchor: UInt64s,
    owner: Int32s,
    boxes: npt.NDArray[np.int64],
    first: npt.NDArray[np.int64],
    last: npt.NDArray[np.int64],
    words: npt.NDArray[np.float64],
) -> tuple[UInt64s, UInt64s, UInt64s, Int32s, UInt64s, Int32s, Int32s]: ...
