import numpy as np
import numpy.typing as npt

def surest_copies(
    text: npt.NDArray[np.uint64], odds: npt.NDArray[np.float64]
) -> npt.NDArray[np.int64]: ...
