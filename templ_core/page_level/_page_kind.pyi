import numpy as np
import numpy.typing as npt

def weighted_sums(
    rows: npt.NDArray[np.float32], weight: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]: ...
