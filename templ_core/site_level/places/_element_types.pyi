from typing import Final

from templ_core.array_types import UInt64s
from templ_core.dom.document import Document

TAG: Final = 0
STEM: Final = 1
IS_BLOCK: Final = 2
CELL: Final = 3
HEADING: Final = 4
COLUMNS: Final = 5
CELLS: Final = 16

def element_type_rows(document: Document) -> UInt64s: ...
