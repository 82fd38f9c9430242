from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Int32s: TypeAlias = npt.NDArray[np.int32]

def token_spans(text: str, *, markup: bool) -> npt.NDArray[np.int64]: ...

class TokenNumbers:
    def __init__(
        self, number_of: Callable[[str], int], *, border: int, remembered_max: int
    ) -> None: ...
    def read(self, texts: list[str], *, markup: bool = ...) -> tuple[Int32s, Int32s]: ...
