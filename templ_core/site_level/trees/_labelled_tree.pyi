from typing import TypeAlias

import numpy as np
import numpy.typing as npt

UInt64s: TypeAlias = npt.NDArray[np.uint64]
Int32s: TypeAlias = npt.NDArray[np.int32]

def closed_tree(label: UInt64s, depth: Int32s) -> tuple[UInt64s, Int32s]: ...
def page_tree(
    kinds: UInt64s,
    kind: Int32s,
    parent: Int32s,
    owner: Int32s,
    inline_to: Int32s,
    texts: UInt64s,
) -> tuple[UInt64s, UInt64s, Int32s, Int32s, Int32s, UInt64s]: ...
