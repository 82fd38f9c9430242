from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Classes: TypeAlias = npt.NDArray[np.uint16]
Points: TypeAlias = npt.NDArray[np.uint32]
Ints: TypeAlias = npt.NDArray[np.int64]
UInt64s: TypeAlias = npt.NDArray[np.uint64]

def read_characters(texts: list[str]) -> tuple[Classes, Points, Ints, Ints]: ...
def read_words(
    classes: Classes, lower: Points, starts: Ints
) -> tuple[Ints, Ints, Ints, Ints, UInt64s, npt.NDArray[np.bool_], Ints]: ...
def text_hashes(hashes: UInt64s, per_segment: Ints) -> UInt64s: ...
