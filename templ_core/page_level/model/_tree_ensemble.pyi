import numpy as np
import numpy.typing as npt

def tree_sums(
    rows: npt.NDArray[np.float32],
    feature: npt.NDArray[np.int32],
    threshold: npt.NDArray[np.float32],
    left: npt.NDArray[np.int32],
    right: npt.NDArray[np.int32],
    value: npt.NDArray[np.float32],
    roots: npt.NDArray[np.int32],
) -> npt.NDArray[np.float64]: ...
def leaf_sums(
    rows: npt.NDArray[np.float32],
    feature: npt.NDArray[np.int32],
    threshold: npt.NDArray[np.float32],
    right_leaves: npt.NDArray[np.uint32],
    ends: npt.NDArray[np.int32],
    leaf_values: npt.NDArray[np.float32],
) -> npt.NDArray[np.float64]: ...
