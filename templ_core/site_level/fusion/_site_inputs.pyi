from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Int32s: TypeAlias = npt.NDArray[np.int32]
Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]

def combine(
    page: Floats,
    place: Floats,
    near: Floats,
    best_share: Floats,
    steps: Floats,
    below: Floats,
    labels: npt.NDArray[np.bool_],
    path_pages: Ints,
    constant: npt.NDArray[np.bool_],
    text_pages: Ints,
    shape_pages: Ints,
    words: Int32s,
    place_share: Floats,
    change: Floats,
    *,
    documentation: float,
    usual: float,
    certain: float,
    pages: int,
    kind_pages: int,
    margin: float,
    long_words: int,
    doubt: float,
    open_above: float,
    open_below: float,
) -> tuple[Floats, npt.NDArray[np.bool_]]: ...
