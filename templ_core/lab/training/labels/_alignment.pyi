import numpy as np
import numpy.typing as npt

def aligned(
    page: npt.NDArray[np.int32],
    gold: npt.NDArray[np.int32],
    page_joins: npt.NDArray[np.uint8],
    gold_joins: npt.NDArray[np.uint8],
    match: int,
    run_match: int,
) -> npt.NDArray[np.bool_]: ...
