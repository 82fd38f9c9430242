from collections.abc import Callable
from typing import Final

from templ_core.array_types import UInt64s

TAG: Final = 0
STEM: Final = 1
STYLE: Final = 2
IS_BLOCK: Final = 3
CELL: Final = 4
HEADING: Final = 5
COLUMNS: Final = 6
CELLS: Final = 16

def known_rows(
    element_types: list[tuple[str, str]], traits_of: Callable[[str], tuple[bool, int, int]]
) -> UInt64s: ...
