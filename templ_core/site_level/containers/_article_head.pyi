import numpy as np
import numpy.typing as npt

def find_headline(
    words: npt.NDArray[np.uint64],
    words_of_segment: npt.NDArray[np.int64],
    title: npt.NDArray[np.uint64],
    looked_for: int,
    owner: npt.NDArray[np.int32],
    parent: npt.NDArray[np.int32],
    kind: npt.NDArray[np.int32],
    kinds: npt.NDArray[np.uint64],
    text_start: int,
    *,
    title_share: float,
    covered_share: float,
    words_max: int,
    per_level: float,
    per_segment: float,
) -> int: ...
