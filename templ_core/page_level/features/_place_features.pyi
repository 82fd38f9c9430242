from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from templ_core.dom.document import Document
from templ_core.page_level.features.page_tree import PageTree

Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]
Matrix: TypeAlias = npt.NDArray[np.float32]

def path_groups(document: Document) -> tuple[Ints, Ints]: ...
def fill_groups(
    group: Ints, words: Floats, density: Floats, ends: Ints, rows: Matrix, column: int
) -> int: ...
def fill_copies(text: npt.NDArray[np.uint64], rows: Matrix, column: int) -> int: ...
def fill_main(
    tree: PageTree,
    density: Floats,
    ends: Ints,
    shares: tuple[float, ...],
    rows: Matrix,
    column: int,
) -> int: ...
def fill_position(tree: PageTree, node: int, rows: Matrix, column: int) -> int: ...
def fill_tags(
    document: Document,
    tags: dict[str, int],
    farthest: int,
    no_such_tag: int,
    rows: Matrix,
    column: int,
) -> int: ...
