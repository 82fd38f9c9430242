from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from templ_core.array_types import Int32s

Hashes: TypeAlias = npt.NDArray[np.uint64]

def map_nodes(
    left_label: Hashes,
    left_identity: Hashes,
    left_end: Int32s,
    right_label: Hashes,
    right_identity: Hashes,
    right_end: Int32s,
    replace: int,
    insert: int,
    delete: int,
    cells_max: int,
    cells_total_max: int,
) -> tuple[int, Int32s, Int32s]: ...
