"""A page model as a file.

The file is a line with the format's name, then MessagePack compressed with zstd. It holds a digest
of the model's numbers, so that damage is noticed and equal models have equal versions.
"""

import functools
import hashlib
from importlib import resources
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.compact import CompactColumns, CompactForm
from templ_core.errors import CodecError
from templ_core.page_level.model.confidence import Confidence
from templ_core.page_level.model.hashed_scores import TABLE_SIZE, HashedTable
from templ_core.page_level.model.network import Network
from templ_core.page_level.model.page_model import About, PageModel
from templ_core.page_level.model.page_type import PageTypeModel
from templ_core.page_level.model.tree_ensemble import TreeEnsemble

_SHIPPED = "page_model.bin"
_NAME = b"templ page model\n"


class _Array(msgspec.Struct, frozen=True, array_like=True):
    dtype: str
    shape: tuple[int, ...]
    data: bytes


class _Table(msgspec.Struct, frozen=True, array_like=True):
    weights: _Array
    unit: float
    bias: float


class _Numbers(msgspec.Struct, frozen=True, array_like=True):
    attribute: _Table
    text: _Table
    tree_columns: list[_Array]
    tree_base: float
    tree_depth: int
    networks: list[list[_Array]]
    """Mean and scale of each network, then the weights of all layers, then the biases."""
    page_types: list[_Array]
    """Mean, scale, weights and biases; empty where the model tells no page types."""
    confidence: list[_Array]
    """The columns `expected` and `found`."""


class _File(CompactColumns, frozen=True, array_like=True):
    digest: bytes
    numbers: bytes
    about: About


_FORM = CompactForm("page model", 2, _File, level=19)


def with_version(model: PageModel) -> PageModel:
    """Return the model with the version that its numbers give it."""
    return msgspec.structs.replace(model, version=_version(_digest(_numbers(model))))


@functools.cache
def shipped_model() -> PageModel:
    """Return the model that comes with the package; the file is read once.

    Example:
        >>> shipped_model().version.startswith("page-2-")
        True
    """
    return decode_model(resources.files(__package__).joinpath(_SHIPPED).read_bytes())


def encode_model(model: PageModel) -> bytes:
    """Return the file of a model: the same bytes for equal models.

    Example:
        >>> decode_model(encode_model(shipped_model())).version == shipped_model().version
        True
    """
    numbers = _numbers(model)
    return _NAME + _FORM.encode(_File(_FORM.format, _digest(numbers), numbers, model.about))


def decode_model(body: bytes) -> PageModel:
    """Return the model in a file.

    Raises:
        CodecError: If the file is not a page model, damaged, or of another format.
    """
    if not body.startswith(_NAME):
        raise CodecError("not a page model: the file does not begin with the name of the format")
    with _FORM.refusing():
        file = _FORM.decode(body[len(_NAME) :])
        if _digest(file.numbers) != file.digest:
            raise CodecError("damaged page model: the digest does not match the numbers")
        return _model(msgspec.msgpack.decode(file.numbers, type=_Numbers), file)


def _model(numbers: _Numbers, file: _File) -> PageModel:
    feature, threshold, left, right, value, roots = map(_array, numbers.tree_columns)
    return PageModel(
        attribute=_table(numbers.attribute),
        text=_table(numbers.text),
        trees=TreeEnsemble(
            feature=feature,
            threshold=threshold,
            left=left,
            right=right,
            value=value,
            roots=roots,
            base=numbers.tree_base,
            depth=numbers.tree_depth,
        ),
        networks=[_network([_array(one) for one in arrays]) for arrays in numbers.networks],
        page_types=_page_types([_array(one) for one in numbers.page_types]),
        confidence=_confidence([_array(one) for one in numbers.confidence]),
        about=file.about,
        version=_version(file.digest),
    )


def _numbers(model: PageModel) -> bytes:
    trees = model.trees
    columns = (
        *(trees.feature, trees.threshold, trees.left, trees.right, trees.value, trees.roots),
    )
    networks = [
        [network.mean, network.scale, *network.weights, *network.biases]
        for network in model.networks
    ]
    return msgspec.msgpack.encode(
        _Numbers(
            attribute=_packed_table(model.attribute),
            text=_packed_table(model.text),
            tree_columns=[_packed(column) for column in columns],
            tree_base=trees.base,
            tree_depth=trees.depth,
            networks=[[_packed(array) for array in arrays] for arrays in networks],
            page_types=[_packed(array) for array in _page_type_columns(model.page_types)],
            confidence=[_packed(model.confidence.expected), _packed(model.confidence.found)],
        )
    )


def _network(arrays: list[npt.NDArray[Any]]) -> Network:
    layers = (len(arrays) - 2) // 2
    return Network(
        mean=arrays[0],
        scale=arrays[1],
        weights=arrays[2 : 2 + layers],
        biases=arrays[2 + layers :],
    )


def _page_type_columns(page_types: PageTypeModel | None) -> list[npt.NDArray[Any]]:
    return (
        [page_types.mean, page_types.scale, page_types.weights, page_types.biases]
        if page_types
        else []
    )


def _page_types(arrays: list[npt.NDArray[Any]]) -> PageTypeModel | None:
    if not arrays:
        return None
    mean, scale, weights, biases = arrays
    return PageTypeModel(mean=mean, scale=scale, weights=weights, biases=biases)


def _confidence(arrays: list[npt.NDArray[Any]]) -> Confidence:
    expected, found = arrays
    if expected.shape != found.shape or expected.ndim != 1:
        raise CodecError("damaged page model: the columns of its confidence differ in length")
    return Confidence(expected=expected, found=found)


def _table(packed: _Table) -> HashedTable:
    weights = _array(packed.weights)
    if weights.shape != (TABLE_SIZE,):
        raise CodecError(
            f"the page model has a table of {weights.size} places, not of {TABLE_SIZE}"
        )
    return HashedTable(weights=weights, unit=packed.unit, bias=packed.bias)


def _packed_table(table: HashedTable) -> _Table:
    return _Table(_packed(table.weights), table.unit, table.bias)


def _packed(array: npt.NDArray[Any]) -> _Array:
    little = array.astype(array.dtype.newbyteorder("<"))
    return _Array(little.dtype.str, array.shape, little.tobytes())


def _array(packed: _Array) -> npt.NDArray[Any]:
    dtype = np.dtype(packed.dtype)
    if dtype.kind not in "if":
        raise CodecError(f"the page model holds numbers of type {packed.dtype!r}")
    return np.frombuffer(packed.data, dtype).reshape(packed.shape)


def _digest(numbers: bytes) -> bytes:
    return hashlib.blake2b(numbers, digest_size=16).digest()


def _version(digest: bytes) -> str:
    return f"page-{_FORM.format}-{digest.hex()[:12]}"
