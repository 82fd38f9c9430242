from templ_core.array_types import Float32s, Floats, Int64s, UInt64s
from templ_core.dom.document import Document
from templ_core.page_level.features.page_tree import PageTree

def path_groups(document: Document) -> tuple[Int64s, Int64s]: ...
def fill_groups(
    group: Int64s, words: Floats, density: Floats, ends: Int64s, rows: Float32s, column: int
) -> int: ...
def fill_copies(text: UInt64s, rows: Float32s, column: int) -> int: ...
def fill_main(
    tree: PageTree,
    density: Floats,
    ends: Int64s,
    shares: tuple[float, ...],
    rows: Float32s,
    column: int,
) -> int: ...
def fill_position(tree: PageTree, node: int, rows: Float32s, column: int) -> int: ...
def fill_tags(
    document: Document,
    tags: dict[str, int],
    farthest: int,
    no_such_tag: int,
    rows: Float32s,
    column: int,
) -> int: ...
