from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Int32s: TypeAlias = npt.NDArray[np.int32]
Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]

def box_nodes(first: Ints, last: Ints) -> Ints: ...
def find_containers(
    first: Int32s, last: Int32s, content: Floats, words: Floats, share: float, even: float
) -> tuple[int, int]: ...
def steps_from(
    first: Ints, last: Ints, parent: Int32s, node: int, segments: int, steps_max: int
) -> Floats: ...
def usual_share(
    keys: npt.NDArray[np.uint64],
    sums: Ints,
    pages: int,
    doubt: float,
    cells: npt.NDArray[np.uint64],
    first: Ints,
    last: Ints,
    segments: int,
) -> Floats: ...
def mean_around(
    content: Floats,
    words: Floats,
    first: Ints,
    last: Ints,
    parent: Int32s,
    owner: Int32s,
    levels: int,
) -> Floats: ...
