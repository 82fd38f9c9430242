import numpy as np
import numpy.typing as npt

def parents_and_ends(
    depth: npt.NDArray[np.int32],
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]: ...
def bits_above(
    parent: npt.NDArray[np.int32],
    kind: npt.NDArray[np.int32],
    bits: npt.NDArray[np.int32],
    at: npt.NDArray[np.int32],
) -> npt.NDArray[np.int32]: ...
def tag_bits(
    kinds: list[tuple[str, str]], bits_of_tags: dict[str, int]
) -> npt.NDArray[np.int32]: ...
