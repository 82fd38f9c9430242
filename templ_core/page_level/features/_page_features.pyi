from typing import Any

from templ_core.dom.document import Document

def row_names() -> dict[str, Any]: ...
def fill_rows(
    document: Document,
    characters: dict[str, Any],
    columns: dict[str, Any],
    numbers: tuple[dict[str, int], ...],
) -> dict[str, Any]: ...
