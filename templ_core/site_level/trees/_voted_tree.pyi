from templ_core.array_types import Int32s, Int64s, UInt8s, UInt64s

def split_replaced(
    left: Int32s,
    right: Int32s,
    label: UInt64s,
    end: Int32s,
    segment: Int32s,
    page_label: UInt64s,
    page_segment: Int32s,
) -> tuple[Int32s, Int32s]: ...
def add_vote(
    left: Int32s,
    right: Int32s,
    label: UInt64s,
    depth: Int32s,
    segment: Int32s,
    support: Int64s,
    number: Int64s,
    start: Int64s,
    text: UInt64s,
    text_pages: Int64s,
    page_label: UInt64s,
    page_depth: Int32s,
    page_segment: Int32s,
    next_number: int,
) -> tuple[
    tuple[UInt64s, Int32s, Int32s],
    Int64s,
    Int64s,
    tuple[Int64s, UInt64s, Int64s],
    tuple[Int64s, Int64s, UInt64s],
    int,
]: ...
def take_texts(
    start: Int64s,
    text: UInt64s,
    text_pages: Int64s,
    label: UInt64s,
    places: Int64s,
    taken: UInt64s,
) -> None: ...
def kept_texts(
    start: Int64s, text: UInt64s, text_pages: Int64s, kept: UInt8s
) -> tuple[Int64s, UInt64s, Int64s]: ...
def recurring_texts(
    start: Int64s, text: UInt64s, text_pages: Int64s, most: int
) -> tuple[Int64s, UInt64s, Int64s]: ...
