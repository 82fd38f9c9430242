import numpy as np
import numpy.typing as npt

def sums_of(
    keys: npt.NDArray[np.uint64], sums: npt.NDArray[np.int64], wanted: npt.NDArray[np.uint64]
) -> npt.NDArray[np.int64]: ...
