import numpy as np
import numpy.typing as npt

from templ_core.array_types import Floats, Int64s, UInt8s, UInt64s

def table_size() -> int: ...
def text_sums(
    hashes: UInt64s, per_segment: Int64s, heading: Int64s, weights: npt.NDArray[np.int8]
) -> Floats: ...
def token_places(
    hashes: UInt64s, per_segment: Int64s, chosen: UInt8s, as_heading: bool
) -> tuple[Int64s, Int64s]: ...
