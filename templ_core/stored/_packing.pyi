from typing import Any

import numpy.typing as npt

def packed_column(values: npt.NDArray[Any], differences: bool, shift: int) -> bytes: ...
