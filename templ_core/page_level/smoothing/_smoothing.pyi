import numpy as np
import numpy.typing as npt

from templ_core.array_types import Floats, Int32s, Int64s
from templ_core.page_level.page_tree import PageTree

def best_of_values(
    parent: Int32s,
    score: Floats,
    weight: Floats,
    penalty: Floats,
    values_column: Floats,
) -> tuple[Int32s, Int32s]: ...
def settle(
    parent_column: Int32s,
    score_column: Floats,
    weight_column: Floats,
    section_column: Int32s,
    values_column: Floats,
    taken_column: Int32s,
    ascending: npt.NDArray[np.intp],
) -> tuple[Floats, Int32s]: ...
def smooth_text(
    page_tree: PageTree, templateness: Floats, penalty: float, grid: Floats
) -> tuple[Floats, Int32s, Floats]: ...
def text_tree(first: Int64s, last: Int64s, words: Floats) -> tuple[Int32s, Int32s, Floats]: ...
