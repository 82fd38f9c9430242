from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Int32s: TypeAlias = npt.NDArray[np.int32]
Floats: TypeAlias = npt.NDArray[np.float64]
Choice: TypeAlias = npt.NDArray[np.uint8] | npt.NDArray[np.int32]

def fill_choices(
    parent: Int32s, score: Floats, weight: Floats, penalty: Floats, values: Floats, choice: Choice
) -> None: ...
def walk_down(parent: Int32s, choice: Choice) -> tuple[Int32s, Int32s]: ...
def settle(
    parent: Int32s,
    score: Floats,
    weight: Floats,
    section: Int32s,
    values: Floats,
    taken: Int32s,
    ascending: npt.NDArray[np.intp],
) -> tuple[Floats, Int32s]: ...
