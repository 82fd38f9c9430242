"""What the columns of stored values must hold, and how they are read from bytes.

Compiled code reads columns with bounds checks off. So a column is handed on only if its length, the
range of its values and their order are as declared; everything else is refused while it is decoded.
"""

import functools
from collections.abc import Mapping
from typing import Any, Literal, get_type_hints

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.array_types import Int32s, Int64s
from templ_core.stored._columns import packed_values
from templ_core.stored.compact import INT32_MAX, ROWS_MAX

DEPTH_MAX = 2048
"""Largest depth of a node in a stored tree; libxml2 gives up at this depth, and code that is recursive
needs no more stack than for a parsed page."""

PACKED = "packed"
"""Form of a column whose first byte is the number of bytes of each value, 1, 2 or 4."""
BITS = "bits"
"""Form of a column of truth values, eight in a byte."""

Values = npt.NDArray[Any]


class Column(msgspec.Struct, frozen=True, kw_only=True):
    """What one stored column must be; it annotates the field that holds the column's bytes.

    Names of lengths, such as `nodes`, are chosen by the codec.
    """

    rows: str
    """Name of the length that all columns of the same rows share."""
    form: str = PACKED
    """`PACKED`, `BITS`, or NumPy's name of a little-endian integer type, such as `<u4`."""
    low: int = 0
    """Smallest value."""
    high: int | str | None = INT32_MAX
    """Largest value; or the name of a length, below which all values are; None = no limit."""
    order: Literal["any", "sorted", "increasing"] = "any"
    """`sorted`: no value is smaller than the one before; `increasing`: each is larger."""
    differences: bool = False
    """Whether each stored value is the difference from the value before, and may not be negative."""
    shift: str = ""
    """Name of a length that was added to each stored value, for differences that may be negative."""
    dtype: str = "i4"
    """NumPy's name of the type of the values that are handed on."""


def hashes(rows: str, *, increasing: bool = False) -> Column:
    """Return the declaration of a column of 64-bit hashes, which may have any value.

    >>> hashes("segments").form
    '<u8'
    """
    order: Literal["any", "increasing"] = "increasing" if increasing else "any"
    return Column(rows=rows, form="<u8", high=None, order=order, dtype="u8")


def read_columns(stored: msgspec.Struct, lengths: Mapping[str, int]) -> dict[str, Values]:
    """Return the columns of a stored value by the names of their fields.

    The first column of some rows gives their length unless `lengths` has it.

    >>> from typing import Annotated
    >>> class Points(msgspec.Struct):
    ...     x: Annotated[bytes, Column(rows="points")]
    ...     y: Annotated[bytes, Column(rows="points", high=9)]
    >>> read_columns(Points(bytes([1, 3, 4]), bytes([1, 8, 9])), {})["y"].tolist()
    [8, 9]
    >>> read_columns(Points(bytes([1, 3, 4]), bytes([1, 8, 10])), {})
    Traceback (most recent call last):
    ValueError: column `y` holds 10, and 9 is the most
    >>> read_columns(Points(bytes([1, 3, 4]), bytes([1, 8])), {})
    Traceback (most recent call last):
    ValueError: column `y` has 1 values, not 2

    Args:
        stored: A struct in which a `Column` annotates each field that holds a column.
        lengths: Lengths that are known already, by their names.

    Raises:
        ValueError: A column is not as declared.
    """
    known = dict(lengths)
    return {
        name: read_column(name, column, getattr(stored, name), known)
        for name, column in _declared(type(stored))
    }


def read_column(name: str, column: Column, body: bytes, lengths: dict[str, int]) -> Values:
    """Return the values of one column.

    Compiled code reads most columns; where it finds one that is not as declared, the rest says why.

    Args:
        name: What the column is called in error messages.
        column: What it must be.
        body: Its bytes.
        lengths: The lengths that are known; that of the column is added if it is the first.

    Raises:
        ValueError: The column is not as declared.
    """
    high = _largest(column, lengths)
    shift = lengths[column.shift] if column.shift else 0
    if column.form == PACKED and column.dtype == "i4" and high is not None:
        packed = packed_values(column, body, high, shift, ROWS_MAX)
        if packed is not None and len(packed) == lengths.setdefault(column.rows, len(packed)):
            return packed
    values = _values(column, body, lengths)
    length = lengths.setdefault(column.rows, len(values))
    if len(values) != length:
        raise ValueError(f"column `{name}` has {len(values)} values, not {length}")
    if length > ROWS_MAX:
        raise ValueError(f"column `{name}` has {length} values, and {ROWS_MAX} is the most")
    if column.differences:
        values = np.cumsum(values.astype(np.int64) - shift)
    require_range(name, values, column.low, high)
    before, behind = values[:-1], values[1:]
    if (column.order == "sorted" and (behind < before).any()) or (
        column.order == "increasing" and (behind <= before).any()
    ):
        raise ValueError(f"column `{name}` does not ascend")
    return values.astype(column.dtype, copy=False)


def require_range(name: str, values: Values, low: int, high: int | None) -> None:
    """Refuse a column with a value below `low` or above `high`; None = no limit.

    Raises:
        ValueError: There is such a value.
    """
    if high is None or not values.size:
        return
    largest, smallest = int(values.max()), int(values.min())
    if largest > high:
        raise ValueError(f"column `{name}` holds {largest}, and {high} is the most")
    if smallest < low:
        raise ValueError(f"column `{name}` holds {smallest}, and {low} is the least")


def require_tree(depth: Int32s | Int64s) -> None:
    """Refuse depths that are not those of one tree in document order.

    >>> require_tree(np.array([0, 1, 2, 1]))
    >>> require_tree(np.array([0, 2]))
    Traceback (most recent call last):
    ValueError: the depths of the nodes are not those of one tree

    Args:
        depth: Depth of each node, 0 for the root; at least 0.

    Raises:
        ValueError: The first node is not the only root, or a node is more than one deeper than the
            node before it.
    """
    if depth.size and (
        depth[0] != 0 or depth[1:].min(initial=1) < 1 or np.diff(depth).max(initial=1) > 1
    ):
        raise ValueError("the depths of the nodes are not those of one tree")


@functools.cache
def _declared(stored: type[msgspec.Struct]) -> list[tuple[str, Column]]:
    hints = get_type_hints(stored, include_extras=True)
    return [
        (name, extra)
        for name in stored.__struct_fields__
        for extra in getattr(hints[name], "__metadata__", ())
        if isinstance(extra, Column)
    ]


def _values(column: Column, body: bytes, lengths: Mapping[str, int]) -> Values:
    if column.form == BITS:
        rows = lengths[column.rows]
        if len(body) != (rows + 7) // 8:
            raise ValueError(f"{len(body)} bytes cannot hold {rows} bits")
        return np.unpackbits(np.frombuffer(body, np.uint8), count=rows)
    if column.form != PACKED:
        return np.frombuffer(body, column.form)
    if body[:1] not in (b"\1", b"\2", b"\4"):
        raise ValueError("the values of a column have neither 1, 2 nor 4 bytes")
    return np.frombuffer(body, f"<u{body[0]}", offset=1)


def _largest(column: Column, lengths: Mapping[str, int]) -> int | None:
    return lengths[column.high] - 1 if isinstance(column.high, str) else column.high
