from collections.abc import Callable
from typing import Final

from templ_core.array_types import UInt64s

TAG: Final = 0
STEM: Final = 1
IS_BLOCK: Final = 2
CELL: Final = 3
HEADING: Final = 4
COLUMNS: Final = 5
CELLS: Final = 16

def known_rows(
    element_types: list[tuple[str, str]], traits_of: Callable[[str], tuple[bool, int, int]]
) -> UInt64s: ...
