from typing import Any

import numpy.typing as npt

from templ_core.array_types import Int32s
from templ_core.stored.columns import Column

def packed_values(
    column: Column, body: bytes, high: int, shift: int, rows_max: int
) -> Int32s | None: ...
def packed_column(values: npt.NDArray[Any], differences: bool, shift: int) -> bytes: ...
