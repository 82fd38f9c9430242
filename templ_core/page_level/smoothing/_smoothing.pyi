from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from templ_core.array_types import Floats, Int32s

ValueNumbers: TypeAlias = npt.NDArray[np.uint8] | Int32s

def fill_choices(
    parent: Int32s,
    score: Floats,
    weight: Floats,
    penalty: Floats,
    values: Floats,
    choice: ValueNumbers,
) -> None: ...
def walk_down(parent: Int32s, choice: ValueNumbers) -> tuple[Int32s, Int32s]: ...
def settle(
    parent: Int32s,
    score: Floats,
    weight: Floats,
    section: Int32s,
    values: Floats,
    taken: Int32s,
    ascending: npt.NDArray[np.intp],
) -> tuple[Floats, Int32s]: ...
