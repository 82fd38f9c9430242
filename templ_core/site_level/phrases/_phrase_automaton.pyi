from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Int32s: TypeAlias = npt.NDArray[np.int32]

UNKNOWN: int

class PhraseAutomaton:
    def __init__(self, sequences: Iterable[Sequence[int]]) -> None: ...
    def lengths(self, numbers: Int32s) -> Int32s: ...
    def covered(self, numbers: Int32s) -> npt.NDArray[np.bool_]: ...
    def shares(
        self, numbers: Int32s, owners: Int32s, *, count: int, border: int
    ) -> npt.NDArray[np.float64]: ...
