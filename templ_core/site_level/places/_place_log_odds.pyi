from typing import TypeAlias

import numpy as np
import numpy.typing as npt

UInt64s: TypeAlias = npt.NDArray[np.uint64]
Int32s: TypeAlias = npt.NDArray[np.int32]
Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]
Bools: TypeAlias = npt.NDArray[np.bool_]
Table: TypeAlias = tuple[UInt64s, Ints]

def constant_texts(paths: Ints, text_pages: Ints, words: Ints, unknown: float) -> Bools: ...
def read_places(
    path_table: Table,
    text_table: Table,
    shape_table: Table,
    cell_table: Table,
    anchor_table: Table,
    path: UInt64s,
    text: UInt64s,
    shape: UInt64s,
    cell: UInt64s,
    anchor: UInt64s,
    words: Int32s,
    content_odds: Floats,
    unit: int,
    template_mass: int,
    unknown: float,
    margin: float,
) -> tuple[Ints, Floats, Bools, Ints, Ints, Floats, Floats]: ...
def where_repeated(path: UInt64s, text: UInt64s) -> Bools: ...
