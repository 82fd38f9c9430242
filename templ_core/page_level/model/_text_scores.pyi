from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from templ_core.dom.document import Document

Ints: TypeAlias = npt.NDArray[np.int64]
UInt64s: TypeAlias = npt.NDArray[np.uint64]

def text_sums(
    hashes: UInt64s, per_segment: Ints, heading: Ints, weights: npt.NDArray[np.int8]
) -> npt.NDArray[np.float64]: ...
def token_places(
    hashes: UInt64s, per_segment: Ints, chosen: npt.NDArray[np.uint8], as_heading: bool
) -> tuple[Ints, Ints]: ...
def last_headings(document: Document, headings: dict[str, int]) -> Ints: ...
