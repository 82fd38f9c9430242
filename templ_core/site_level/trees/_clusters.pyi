from templ_core.array_types import Floats, Int32s, Int64s, UInt64s

def shared_sum(keys: UInt64s, values: Int64s, others: UInt64s) -> tuple[int, int]: ...
def changed_counts(
    keys: UInt64s, values: Int64s, others: UInt64s, change: int
) -> tuple[UInt64s, Int64s]: ...
def place_evidence(
    left: Int32s,
    right: Int32s,
    cluster_segment: Int32s,
    segment: Int32s,
    label: UInt64s,
    pages: int,
    support: Int64s,
    different: Int64s,
    text_place: Int64s,
    text: UInt64s,
    text_pages: Int64s,
    segments: int,
) -> Floats: ...
