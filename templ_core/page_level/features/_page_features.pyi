from typing import Any, TypedDict

from templ_core.array_types import Float32s, Floats, Int64s
from templ_core.dom.document import Document
from templ_core.page_level.features._characters import CharacterColumns
from templ_core.page_level.features.page_features import TextAndTree

class RowColumns(TypedDict):
    group: Int64s
    link_density: Floats
    rows: Float32s

def row_names() -> dict[str, Any]: ...
def fill_rows(
    document: Document,
    characters: CharacterColumns,
    columns: TextAndTree,
    owner_tags: dict[str, int],
    semantic_tags: dict[str, int],
) -> RowColumns: ...
