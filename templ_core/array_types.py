"""Names for the array types of the core, by the types of their items."""

import numpy as np
import numpy.typing as npt

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Float32s = npt.NDArray[np.float32]
Int64s = npt.NDArray[np.int64]
Int32s = npt.NDArray[np.int32]
UInt64s = npt.NDArray[np.uint64]
UInt32s = npt.NDArray[np.uint32]
UInt16s = npt.NDArray[np.uint16]
UInt8s = npt.NDArray[np.uint8]
