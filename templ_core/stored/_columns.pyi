from typing import Any

import numpy.typing as npt

from templ_core.array_types import Int32s
from templ_core.stored.columns import Column

def packed_values(
    column: Column, body: bytes, high: int, shift: int, rows_max: int
) -> Int32s | None: ...
def packed(values: npt.NDArray[Any]) -> bytes: ...
def packed_differences(values: npt.NDArray[Any], shift: int = 0) -> bytes: ...
