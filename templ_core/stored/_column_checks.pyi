from typing import Any

import numpy.typing as npt

def is_as_declared(
    values: npt.NDArray[Any], low: int, high: int | None, ascends: bool, strictly: bool
) -> bool: ...
