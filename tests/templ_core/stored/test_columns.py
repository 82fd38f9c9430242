from typing import Annotated

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templ_core.stored import columns
from templ_core.stored.columns import (
    BITS,
    ROWS_MAX,
    Column,
    hashes,
    packed,
    packed_differences,
    read_column,
    read_columns,
    require_tree,
)


class Stored(msgspec.Struct):
    places: Annotated[bytes, Column(rows="rows", high=300)] = b"\2" + b"\1\0\2\0\3\0"
    steps: Annotated[bytes, Column(rows="rows", high="known", differences=True, shift="known")] = (
        bytes([1, 7, 4, 6])
    )
    keys: Annotated[bytes, hashes("rows", increasing=True)] = np.arange(3, dtype="<u8").tobytes()
    flags: Annotated[bytes, Column(rows="rows", form=BITS)] = b"\xa0"
    signed: Annotated[bytes, Column(rows="others", form="<i2", low=-5, high=5, order="sorted")] = (
        np.array([-5, 0, 0, 5], "<i2").tobytes()
    )


def read(**changed):
    return {
        name: column.tolist()
        for name, column in read_columns(Stored(**changed), {"known": 5}).items()
    }


def test_columns_are_read_as_declared():
    assert read() == {
        "places": [1, 2, 3],
        "steps": [2, 1, 2],
        "keys": [0, 1, 2],
        "flags": [1, 0, 1],
        "signed": [-5, 0, 0, 5],
    }


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"places": b""}, "neither 1, 2 nor 4 bytes"),
        ({"places": b"\3" + bytes(9)}, "neither 1, 2 nor 4 bytes"),
        ({"places": b"\2" + bytes(5)}, "multiple of element size"),
        ({"places": b"\2" + b"\x2d\1" * 3}, "`places` holds 301, and 300 is the most"),
        ({"places": b"\1" + bytes(ROWS_MAX + 1)}, "and 524288 is the most"),
        ({"steps": bytes([1, 7, 4])}, "`steps` has 2 values, not 3"),
        ({"steps": bytes([1, 7, 4, 9])}, "`steps` holds 5, and 4 is the most"),
        ({"steps": bytes([1, 4, 4, 9])}, "`steps` holds -2, and 0 is the least"),
        ({"keys": bytes(24)}, "`keys` does not ascend"),
        ({"keys": bytes(23)}, "multiple of element size"),
        ({"flags": b"\0\0"}, "2 bytes cannot hold 3 bits"),
        ({"signed": np.array([-6], "<i2").tobytes()}, "`signed` holds -6, and -5 is the least"),
        ({"signed": np.array([1, 0], "<i2").tobytes()}, "`signed` does not ascend"),
    ],
)
def test_columns_that_are_not_as_declared_are_refused(changed, said):
    with pytest.raises(ValueError, match=said):
        read(**changed)


@pytest.mark.parametrize("depths", [[1], [0, 0], [0, 2], [0, 1, 3], [0, 1, 2, 0]])
def test_depths_that_are_not_those_of_one_tree_are_refused(depths):
    with pytest.raises(ValueError, match="not those of one tree"):
        require_tree(np.array(depths))


@pytest.mark.parametrize("depths", [[], [0], [0, 1, 2, 1, 1, 2]])
def test_depths_of_one_tree_are_accepted(depths):
    require_tree(np.array(depths, np.int64))


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint64])
@pytest.mark.parametrize("largest", [0, 255, 256, 65535, 65536, (1 << 31) - 1])
def test_packed_values_have_the_fewest_bytes_that_hold_the_largest(dtype, largest):
    values = np.array([0, largest, 1, 2], dtype)[::2]
    for one in (values, np.array([largest, 3], dtype)):
        width = next(width for width in (1, 2, 4) if one.max() < 1 << 8 * width)
        assert packed(one) == bytes([width]) + one.astype(f"<u{width}").tobytes()


def test_a_value_of_more_than_four_bytes_is_not_packed():
    with pytest.raises(ValueError, match=f"cannot hold {1 << 32}"):
        packed(np.array([1 << 32]))


def test_packed_differences_are_added_up_again():
    owner = np.array([4, 6, 5, 5], np.int32)
    assert read(steps=packed_differences(owner[1:] - 4, 5))["steps"] == [2, 1, 1]
    assert packed_differences(np.empty(0, np.int64)) == packed(np.empty(0, np.int32)) == b"\1"


def outcome(column, body, rows):
    try:
        return read_column("x", column, body, {"rows": rows, "shift": 3}).tolist()
    except ValueError as error:
        return str(error)


@given(
    st.sampled_from([1, 2, 4]),
    st.lists(st.integers(0, 9) | st.sampled_from([255, 300, 70_000, 1 << 31]), max_size=6),
    st.builds(
        Column,
        rows=st.just("rows"),
        low=st.sampled_from([0, 2]),
        high=st.sampled_from([5, 1000, (1 << 31) - 1]),
        order=st.sampled_from(["any", "sorted", "increasing"]),
        differences=st.booleans(),
        shift=st.sampled_from(["", "shift"]),
    ),
)
def test_compiled_code_reads_what_the_rest_reads_and_refuses(width, values, column):
    stored = np.array(values, np.int64) % (1 << 8 * width)
    body = bytes([width]) + stored.astype(f"<u{width}").tobytes()
    compiled = outcome(column, body, len(values))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "packed_values", lambda *_: None)
        assert compiled == outcome(column, body, len(values))
