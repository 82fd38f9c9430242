from typing import Any

import numpy.typing as npt

from templ_core.array_types import Int32s
from templ_core.stored.columns import Column

def is_as_declared(
    values: npt.NDArray[Any], low: int, high: int | None, ascends: bool, strictly: bool
) -> bool: ...
def packed_values(
    column: Column, body: bytes, high: int, shift: int, rows_max: int
) -> Int32s | None: ...
def packed_column(values: npt.NDArray[Any], differences: bool, shift: int) -> bytes: ...
