from templ_core.array_types import Bools, Int32s

def sweep(
    common_column: Int32s,
    document_column: Int32s,
    change_column: Bools,
    documents: int,
    documents_min: int,
) -> Int32s: ...
