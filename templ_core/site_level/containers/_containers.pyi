from templ_core.array_types import Floats, Int32s, Int64s, UInt64s

def container_nodes(first: Int64s, last: Int64s) -> Int64s: ...
def find_containers(
    first: Int32s, last: Int32s, content: Floats, words: Floats, share: float
) -> tuple[int, int]: ...
def steps_from(
    first: Int64s, last: Int64s, parent: Int32s, node: int, segments: int, steps_max: int
) -> Floats: ...
def usual_share(
    keys: UInt64s,
    sums: Int64s,
    pages: int,
    doubt: float,
    cells: UInt64s,
    first: Int64s,
    last: Int64s,
    segments: int,
) -> Floats: ...
def mean_around(
    content: Floats,
    words: Floats,
    first: Int64s,
    last: Int64s,
    parent: Int32s,
    owner: Int32s,
    levels: int,
) -> Floats: ...
