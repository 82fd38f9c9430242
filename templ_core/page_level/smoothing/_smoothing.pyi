import numpy as np
import numpy.typing as npt

from templ_core.array_types import Floats, Int32s

def best_of_values(
    parent: Int32s,
    score: Floats,
    weight: Floats,
    penalty: Floats,
    values_column: Floats,
) -> tuple[Int32s, Int32s]: ...
def settle(
    parent_column: Int32s,
    score_column: Floats,
    weight_column: Floats,
    section_column: Int32s,
    values_column: Floats,
    taken_column: Int32s,
    ascending: npt.NDArray[np.intp],
) -> tuple[Floats, Int32s]: ...
