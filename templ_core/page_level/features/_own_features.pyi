from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from templ_core.dom.document import Document, Segments
from templ_core.page_level.features.characters import Characters, Words

Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]
Matrix: TypeAlias = npt.NDArray[np.float32]

def sentence_ends(characters: Characters) -> Ints: ...
def link_density(characters: Characters, link_chars: npt.NDArray[np.int32]) -> Floats: ...
def fill_text(
    characters: Characters, words: Words, ends: Ints, rows: Matrix, column: int
) -> int: ...
def fill_links(segments: Segments, density: Floats, rows: Matrix, column: int) -> int: ...
def fill_owners(
    document: Document, compressed_depth: Ints, tags: dict[str, int], rows: Matrix, column: int
) -> int: ...
