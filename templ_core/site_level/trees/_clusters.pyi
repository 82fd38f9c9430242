from typing import TypeAlias

import numpy as np
import numpy.typing as npt

UInt64s: TypeAlias = npt.NDArray[np.uint64]
Int64s: TypeAlias = npt.NDArray[np.int64]
Int32s: TypeAlias = npt.NDArray[np.int32]

def shared_sum(keys: UInt64s, values: Int64s, others: UInt64s) -> tuple[int, int]: ...
def changed_counts(
    keys: UInt64s, values: Int64s, others: UInt64s, change: int
) -> tuple[UInt64s, Int64s]: ...
def place_evidence(
    left: Int32s,
    right: Int32s,
    kind_segment: Int32s,
    segment: Int32s,
    label: UInt64s,
    pages: int,
    support: Int64s,
    different: Int64s,
    text_place: Int64s,
    text: UInt64s,
    text_pages: Int64s,
    segments: int,
) -> npt.NDArray[np.float64]: ...
