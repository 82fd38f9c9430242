"""A page model as a file.

The file is a line with the format's name, then MessagePack compressed with zstd. It holds a digest
of the model's numbers, so that damage is noticed and equal models have equal versions.
"""

import functools
import hashlib
import itertools
from pkgutil import get_data
from typing import Annotated, Any

import msgspec
import numpy as np
import numpy.typing as npt

from templ_core.errors import CodecError
from templ_core.page_level.model.hashed_scores import NAMES_SIZE, TABLE_SIZE, HashedTable
from templ_core.page_level.model.network import Network
from templ_core.page_level.model.page_model import CONFIDENCE_INPUTS, About, Confidence, PageModel
from templ_core.page_level.model.page_type import PAGE_TYPES, PageTypeModel
from templ_core.page_level.model.tree_ensemble import TreeEnsemble
from templ_core.stored.columns import require_range
from templ_core.stored.compact import CompactColumns, CompactForm

_SHIPPED = "page_model.bin"
_NAME = b"templ page model\n"
_FLOATS = "<f4"
_INTEGERS = "<i4"
_WEIGHTS = "|i1"
_TREE_DEPTH_MAX = 256
"""Largest depth of a tree, which is read recursively."""
_NUMBER_MAX = 1e12
"""Largest unit, bias or base, whose multiples are finite."""
_NETWORK_ARRAYS = range(4, 20, 2)
"""Numbers of arrays that a network may have: mean and scale, then two for each of up to 8 layers."""


class _Array(msgspec.Struct, frozen=True, array_like=True):
    dtype: str
    shape: Annotated[tuple[int, ...], msgspec.Meta(max_length=2)]
    data: bytes


_Arrays = Annotated[list[_Array], msgspec.Meta(max_length=max(_NETWORK_ARRAYS))]


class _Table(msgspec.Struct, frozen=True, array_like=True):
    weights: _Array
    unit: float
    bias: float


class _Numbers(msgspec.Struct, frozen=True, array_like=True):
    attribute: _Table
    text: _Table
    tree_columns: _Arrays
    tree_base: float
    tree_depth: Annotated[int, msgspec.Meta(ge=0, le=_TREE_DEPTH_MAX)]
    networks: Annotated[list[_Arrays], msgspec.Meta(min_length=1, max_length=64)]
    """Mean and scale of each network, then the weights of all layers, then the biases."""
    page_types: _Arrays
    """Mean, scale, weights, biases and names; empty where the model finds no page types."""
    page_type_unit: float
    recall_shares: tuple[float, ...]
    confidence: Confidence


class _File(CompactColumns, frozen=True, array_like=True):
    digest: bytes
    numbers: bytes
    about: About


_FORM = CompactForm("page model", 4, _File, level=19)


def with_version(model: PageModel) -> PageModel:
    """Return the model with the version that its numbers give it."""
    return msgspec.structs.replace(model, version=_version(_digest(_numbers(model))))


@functools.cache
def shipped_model() -> PageModel:
    """Return the model that comes with the package; the file is read once.

    Example:
        >>> shipped_model().version.startswith("page-4-")
        True
    """
    return decode_model(get_data(__package__, _SHIPPED) or b"")


def encode_model(model: PageModel) -> bytes:
    """Return the file of a model: the same bytes for equal models."""
    numbers = _numbers(model)
    return _NAME + _FORM.encode(_File(_FORM.format, _digest(numbers), numbers, model.about))


def decode_model(body: bytes) -> PageModel:
    """Return the model in a file.

    Raises:
        CodecError: The file is not a page model, damaged, or of another format; or its arrays do not
            fit each other, or hold numbers that are not finite.
    """
    if not body.startswith(_NAME):
        raise CodecError("not a page model: the file does not begin with the name of the format")
    with _FORM.refusing():
        file = _FORM.decode(body[len(_NAME) :])
        if _digest(file.numbers) != file.digest:
            raise CodecError("damaged page model: the digest does not match the numbers")
        return _model(msgspec.msgpack.decode(file.numbers, type=_Numbers), file)


def _model(numbers: _Numbers, file: _File) -> PageModel:
    networks = [_network(arrays) for arrays in numbers.networks]
    features = len(networks[0].mean)
    if any(len(network.mean) != features for network in networks):
        raise ValueError("its networks read different features")
    return PageModel(
        attribute=_table(numbers.attribute),
        text=_table(numbers.text),
        trees=_trees(numbers, features),
        networks=networks,
        page_types=_page_types(numbers) if numbers.page_types else None,
        recall_shares=_recall_shares(numbers.recall_shares),
        confidence=_confidence(numbers.confidence),
        about=file.about,
        version=_version(file.digest),
    )


def _numbers(model: PageModel) -> bytes:
    trees = model.trees
    columns = (
        *(trees.feature, trees.threshold, trees.left, trees.right, trees.value, trees.roots),
    )
    return msgspec.msgpack.encode(
        _Numbers(
            attribute=_packed_table(model.attribute),
            text=_packed_table(model.text),
            tree_columns=[_packed(column) for column in columns],
            tree_base=trees.base,
            tree_depth=trees.depth,
            networks=[_packed_network(network) for network in model.networks],
            page_types=[_packed(array) for array in _page_type_columns(model.page_types)],
            page_type_unit=model.page_types.unit if model.page_types else 0.0,
            recall_shares=model.recall_shares,
            confidence=model.confidence,
        )
    )


def _trees(numbers: _Numbers, features: int) -> TreeEnsemble:
    """Return the trees, whose nodes are checked to make up trees over this number of features."""
    layouts = (_INTEGERS, _FLOATS, _INTEGERS, _INTEGERS, _FLOATS, _INTEGERS)
    feature, threshold, left, right, value, roots = (
        _array(packed, layout, 1)
        for packed, layout in zip(numbers.tree_columns, layouts, strict=True)
    )
    nodes = np.arange(len(feature))
    if not len(nodes) == len(threshold) == len(left) == len(right) == len(value):
        raise ValueError("the columns of its trees differ in length")
    require_range("feature", feature, 0, features - 1)
    for name, column in (("left", left), ("right", right), ("roots", roots)):
        require_range(name, column, 0, len(nodes) - 1)
    inner = left != nodes
    below = np.concatenate([left[inner], right[inner], roots])
    if (
        ((right != nodes) != inner).any()
        or (left[inner] < nodes[inner]).any()
        or (right[inner] < nodes[inner]).any()
        or (np.bincount(below) > 1).any()
    ):
        raise ValueError("the nodes of its trees are not those of trees")
    level = roots
    for _ in range(_TREE_DEPTH_MAX):
        level = level[inner[level]]
        level = np.concatenate([left[level], right[level]])
    if level.size:
        raise ValueError(f"a tree is deeper than {_TREE_DEPTH_MAX}")
    trees = TreeEnsemble(
        feature=feature,
        threshold=threshold,
        left=left,
        right=right,
        value=value,
        roots=roots,
        base=_finite(numbers.tree_base),
        depth=numbers.tree_depth,
    )
    trees.require_few_leaves()
    return trees


def _network(packed: list[_Array]) -> Network:
    if len(packed) not in _NETWORK_ARRAYS:
        raise ValueError(f"a network has {len(packed)} arrays")
    layers = (len(packed) - 2) // 2
    mean, scale = (_array(one, _FLOATS, 1) for one in packed[:2])
    weights = [_array(one, _FLOATS, 2) for one in packed[2 : 2 + layers]]
    biases = [_array(one, _FLOATS, 1) for one in packed[2 + layers :]]
    units = [len(mean), *map(len, biases)]
    shapes = list(itertools.pairwise(units))
    if len(scale) != len(mean) or [one.shape for one in weights] != shapes or units[-1] != 1:
        raise ValueError("the layers of a network do not fit each other")
    if not all(units):
        raise ValueError("a layer of a network is empty")
    return Network(mean=mean, scale=scale, weights=weights, biases=biases)


def _packed_network(network: Network) -> list[_Array]:
    arrays = [network.mean, network.scale, *network.weights, *network.biases]
    return [_packed(array) for array in arrays]


def _page_type_columns(page_types: PageTypeModel | None) -> list[npt.NDArray[Any]]:
    return (
        [
            *(page_types.mean, page_types.scale, page_types.weights, page_types.biases),
            page_types.names,
        ]
        if page_types
        else []
    )


def _page_types(numbers: _Numbers) -> PageTypeModel:
    layouts = ((_FLOATS, 1), (_FLOATS, 1), (_FLOATS, 2), (_FLOATS, 1), (_WEIGHTS, 2))
    mean, scale, weights, biases, names = (
        _array(packed, *layout) for packed, layout in zip(numbers.page_types, layouts, strict=True)
    )
    if len(scale) != len(mean) or weights.shape != (len(mean), len(biases)):
        raise ValueError("the arrays of its page types do not fit each other")
    if len(biases) != len(PAGE_TYPES) or names.shape != (NAMES_SIZE, len(biases)):
        raise ValueError(f"it does not have {len(PAGE_TYPES)} page types")
    return PageTypeModel(
        mean=mean,
        scale=scale,
        weights=weights,
        biases=biases,
        names=names,
        unit=_finite(numbers.page_type_unit),
    )


def _recall_shares(shares: tuple[float, ...]) -> tuple[float, ...]:
    if len(shares) != len(PAGE_TYPES) or not all(_finite(share) > 0 for share in shares):
        raise ValueError(f"it does not say for {len(PAGE_TYPES)} page types how much recall counts")
    return shares


def _confidence(confidence: Confidence) -> Confidence:
    if len(confidence.weights) != len(CONFIDENCE_INPUTS):
        raise ValueError(f"its confidence has {len(confidence.weights)} weights")
    for number in (*confidence.weights, confidence.bias):
        _finite(number)
    return confidence


def _table(packed: _Table) -> HashedTable:
    weights = _array(packed.weights, _WEIGHTS, 1)
    if len(weights) != TABLE_SIZE:
        raise ValueError(f"it has a table of {weights.size} places, not of {TABLE_SIZE}")
    return HashedTable(weights=weights, unit=_finite(packed.unit), bias=_finite(packed.bias))


def _packed_table(table: HashedTable) -> _Table:
    return _Table(_packed(table.weights), table.unit, table.bias)


def _packed(array: npt.NDArray[Any]) -> _Array:
    little = array.astype(array.dtype.newbyteorder("<"))
    return _Array(little.dtype.str, array.shape, little.tobytes())


def _array(packed: _Array, layout: str, dimensions: int) -> npt.NDArray[Any]:
    """Return an array of this layout, with finite numbers alone.

    Raises:
        ValueError: The array is another.
    """
    if packed.dtype != layout or len(packed.shape) != dimensions:
        raise ValueError(f"an array is {packed.dtype!r} of shape {packed.shape}")
    array = np.frombuffer(packed.data, layout).reshape(packed.shape)
    if not np.isfinite(array).all():
        raise ValueError("an array holds numbers that are not finite")
    return array


def _finite(number: float) -> float:
    if not abs(number) <= _NUMBER_MAX:  # Nothing can be said about NaN, so it is refused too.
        raise ValueError(f"it holds {number}, and {_NUMBER_MAX:g} is the most")
    return number


def _digest(numbers: bytes) -> bytes:
    return hashlib.blake2b(numbers, digest_size=16).digest()


def _version(digest: bytes) -> str:
    return f"page-{_FORM.format}-{digest.hex()[:12]}"
