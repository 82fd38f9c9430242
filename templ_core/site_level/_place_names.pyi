import numpy as np
import numpy.typing as npt

def names_down(
    steps: npt.NDArray[np.uint64], factors: npt.NDArray[np.uint64], parent: npt.NDArray[np.int32]
) -> npt.NDArray[np.uint64]: ...
