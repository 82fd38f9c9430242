import numpy as np
import numpy.typing as npt

def read_constancy(
    paths: npt.NDArray[np.int64],
    text_pages: npt.NDArray[np.int64],
    words: npt.NDArray[np.int64],
    unknown: float,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]: ...
def pooled_odds(
    keys: npt.NDArray[np.uint64],
    sums: npt.NDArray[np.int64],
    wanted: npt.NDArray[np.uint64],
    words: npt.NDArray[np.int64],
    mass: npt.NDArray[np.int64],
    unit: int,
    margin: float,
) -> npt.NDArray[np.float64]: ...
