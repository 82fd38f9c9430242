import numpy as np
import numpy.typing as npt

def network_odds(
    rows: npt.NDArray[np.float32],
    mean: npt.NDArray[np.float32],
    scale: npt.NDArray[np.float32],
    clip: float,
    weights: list[npt.NDArray[np.float32]],
    biases: list[npt.NDArray[np.float32]],
) -> npt.NDArray[np.float64]: ...
