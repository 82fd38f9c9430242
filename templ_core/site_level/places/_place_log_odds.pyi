from typing import TypeAlias

from templ_core.array_types import Bools, Floats, Int32s, Int64s, UInt64s

Table: TypeAlias = tuple[UInt64s, Int64s]

def constant_texts(paths: Int64s, text_pages: Int64s, words: Int64s, unknown: float) -> Bools: ...
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
    content_log_odds: Floats,
    unit: int,
    template_mass: int,
    unknown: float,
    margin: float,
) -> tuple[Int64s, Floats, Bools, Int64s, Int64s, Floats, Floats]: ...
def where_repeated(path: UInt64s, text: UInt64s) -> Bools: ...
