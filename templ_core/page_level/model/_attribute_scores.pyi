import numpy as np
import numpy.typing as npt

from templ_core.array_types import Floats, Int32s

def attribute_sums(
    element_types: list[tuple[str, str]],
    element_type: Int32s,
    parent: Int32s,
    end: Int32s,
    owner: Int32s,
    inline_from: Int32s,
    inline_to: Int32s,
    weights: npt.NDArray[np.int8],
    unit: float,
) -> Floats: ...
