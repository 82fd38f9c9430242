from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from templ_core.array_types import Bools, Int64s, UInt64s

Classes: TypeAlias = npt.NDArray[np.uint16]
Points: TypeAlias = npt.NDArray[np.uint32]

def read_characters(texts: list[str]) -> tuple[Classes, Points, Int64s, Int64s]: ...
def read_words(
    classes: Classes, lower: Points, starts: Int64s
) -> tuple[Int64s, Int64s, Int64s, Int64s, UInt64s, Bools, Int64s]: ...
def text_hashes(hashes: UInt64s, per_segment: Int64s) -> UInt64s: ...
