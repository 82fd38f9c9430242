import numpy as np
import numpy.typing as npt

def page_statistics(
    rows: npt.NDArray[np.float32],
    words: npt.NDArray[np.float64],
    attribute: npt.NDArray[np.float64],
    text: npt.NDArray[np.float64],
    weight: float,
) -> npt.NDArray[np.float64]: ...
def kind_shares(
    statistics: npt.NDArray[np.float64],
    mean: npt.NDArray[np.float32],
    scale: npt.NDArray[np.float32],
    weights: npt.NDArray[np.float32],
    biases: npt.NDArray[np.float32],
    clip: float,
    decimals: int,
) -> list[float]: ...
