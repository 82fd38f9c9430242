import numpy as np
import numpy.typing as npt
from lxml.etree import _Element

def flatten(
    root: _Element, host: str, aside: tuple[bytes, bytes] = (b"", b"")
) -> (
    tuple[list[tuple[str, str]], npt.NDArray[np.int32], list[str], npt.NDArray[np.int32], int, str]
    | None
): ...
