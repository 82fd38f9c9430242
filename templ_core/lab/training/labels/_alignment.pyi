from templ_core.array_types import Bools, Int32s, UInt8s

def aligned(
    page: Int32s, gold: Int32s, page_joins: UInt8s, gold_joins: UInt8s, match: int, run_match: int
) -> Bools: ...
