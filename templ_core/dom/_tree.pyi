import numpy as np
import numpy.typing as npt

def parents_and_ends(
    depth: npt.NDArray[np.int32],
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]: ...
