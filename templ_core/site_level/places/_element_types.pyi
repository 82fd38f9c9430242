from collections.abc import Callable

import numpy as np
import numpy.typing as npt

def known_rows(
    kinds: list[tuple[str, str]], row_of: Callable[[str, str], bytes]
) -> npt.NDArray[np.uint64]: ...
